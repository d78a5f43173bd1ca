# REQUIRES: torch
# RUN: %python %s > %t.alone
# RUN: memrec -q -o %t.fb -- %python %s > %t.recorded
# RUN: diff %t.alone %t.recorded
# RUN: memdump --check %t.fb
# RUN: memdump --layers %t.fb | FileCheck %s
#
# A sub-interpreter beside PyTorch, which cannot be imported there: the program runs
# as it does alone, and what was trained before has its layers.
# CHECK: layer phase calls
# CHECK-DAG: {{^}}0 forward 3 {{.*}} 384 B
# CHECK-DAG: {{^}}Sequential forward 3 

import os
import sys
import threading

import _xxsubinterpreters as interpreters
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.ones(4, 8)).sum().backward()
    optimizer.step()

GROW = """
def grow(n):
    return [bytearray(5000) for _ in range(n)]
kept = grow(100)
"""
IMPORT = """
try:
    import torch
    print("imported")
except Exception as error:
    print(type(error).__name__)
"""
other = interpreters.create()
interpreters.run_string(other, GROW)
thread = threading.Thread(target=interpreters.run_string, args=(other, GROW))
thread.start()
thread.join()
interpreters.run_string(other, IMPORT)
interpreters.destroy(other)
print(torch.ones(3).sum().item())
# PyTorch does not survive the interpreter's end after that, recorded or not.
sys.stdout.flush()
os._exit(0)
