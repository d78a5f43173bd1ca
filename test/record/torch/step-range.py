# With --step=REGEX the ranges of that name end the steps, and no optimizer does; an
# optimizer's range may be the one. Names of operators are none.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q --step='^iteration' -o %t.fb -- %python %s && memdump --summary %t.fb | FileCheck %s --check-prefix=RANGES
# RUN: memrec --heap='torch.*' -q --step='^Optimizer.step#Adam' -o %t.adam.fb -- %python %s && memdump --summary %t.adam.fb | FileCheck %s --check-prefix=ADAM
# RUN: memrec --heap='torch.*' -q -o %t.first.fb -- %python %s && memdump --summary %t.first.fb | FileCheck %s --check-prefix=FIRST
# RUN: memrec --heap='torch.*' --step='^aten::' -o %t.none.fb -- %python %s 2>&1 | FileCheck %s --check-prefix=NONE
#
# RANGES: , 5 steps,
# ADAM: , 2 steps,
# FIRST: , 4 steps,
# NONE: warning: no range matching '^aten::' ended, so there are no steps
import torch

torch.set_num_threads(1)
model = torch.nn.Linear(10, 10)
often = torch.optim.SGD(model.parameters())
seldom = torch.optim.Adam(model.parameters())
for i in range(5):
    with torch.profiler.record_function("iteration %d" % i):
        model(torch.randn(3, 10)).sum().backward()
        if i:
            often.step()
        if i % 2:
            seldom.step()
