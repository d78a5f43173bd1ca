# A child that a layer forks has its own scopes: what it allocates in the layer is the
# layer's, and what its parent began is not ended by it.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s | FileCheck %s --check-prefix=TOLD
# RUN: memdump --check %t.fb
# RUN: memflame --format=collapsed --heap=torch.cpu --metric=allocated --group-by=layer %t.fb --process='fork.py (fork)' | FileCheck %s
#
# TOLD: child 0
# TOLD-NEXT: done
# CHECK: {{^}}forward;Net{{.*}} 4000000
import os
import sys

import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        child = os.fork()
        if child == 0:
            x.new_empty(1000000)
            os._exit(0)
        print("child", os.waitpid(child, 0)[1])
        sys.stdout.flush()
        return y * 2


torch.set_num_threads(1)
net = Net()
net(torch.ones(10))
print("done")
