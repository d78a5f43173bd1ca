# A program that dies because memory could not be had: what lived then stays in the trace,
# by kind and layer, also when it is killed for it.
#
# REQUIRES: python, torch
# RUN: not memrec -q -o %t.fb -- %python %s raise > %t.out 2>&1
# RUN: memdump --check %t.fb
# RUN: memdump --oom %t.fb | FileCheck %s
# RUN: memdump --oom --format=json %t.fb | %python -c "import json, sys; o = json.load(sys.stdin)['ooms']; assert len(o) == 1; print(sum(k['bytes'] for k in o[0]['categories']), [h['live_bytes'] for h in o[0]['heaps'] if h['name'] == 'torch.cpu'][0])" | FileCheck %s --check-prefix=SUM
# RUN: not memrec --heap='torch.*' -q -o %t.kill.fb -- %python %s kill
# RUN: memdump --oom %t.kill.fb | FileCheck %s
# RUN: memdump --summary %t.kill.fb | FileCheck %s --check-prefix=KILLED
#
# CHECK: oom.py:{{[0-9]+}} {{.*}} asked for 1 PiB of torch.cpu at {{.*}}: the machine has {{.*}} of memory and swap, of which {{.*}} were left
# CHECK-NEXT: to change: the size of this request: no machine like this has it
# CHECK-NEXT: in forward/Net/wide/aten::empty
# CHECK: oom.py:{{[0-9]+}} Wide.forward
# CHECK: live tensors of oom.py:
# CHECK: activation 3.91 MiB {{.*}} first 3.91 MiB
# CHECK: parameter 1.96 MiB
# CHECK: input 1000 KiB
# CHECK: 3.91 MiB in 1 block: activation of first
# CHECK: oom.py:{{[0-9]+}} Net.forward
# The one process's tensors are all that the heap had.
# SUM: [[SUM:[0-9]+]] [[SUM]]
# KILLED: 1 out-of-memory event
import os
import signal
import sys

import torch
from torch import nn


class Wide(nn.Module):
    def forward(self, x):
        try:
            return torch.empty(1 << 50, dtype=torch.uint8)
        except RuntimeError:
            if sys.argv[1] == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.wide = nn.Linear(256, 1024), Wide()
        self.second = nn.Linear(1024, 244)

    def forward(self, x):
        return self.second(self.wide(self.first(x)))


torch.set_num_threads(1)
net = Net()
net(torch.randn(1000, 256))
