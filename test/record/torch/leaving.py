# An exception that goes through modules ends their scopes, one that is caught in a
# module ends those inside of it, and os._exit in a module loses nothing.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --check %t.fb
# RUN: memflame --format=collapsed --heap=torch.cpu --metric=allocated --group-by=layer %t.fb | FileCheck %s
#
# What is allocated when the exception has been caught is of the module that caught it, or
# of none. The last module has the address that one before it had, and is called from the
# same place. The careful one has run before, and has names.
# CHECK-DAG: {{^}}forward;Careful 8008000{{$}}
# CHECK-DAG: {{^}}forward;Careful;inner 400{{[04]}}000{{$}}
# CHECK-DAG: {{^}}(no layer) 16000{{$}}
# CHECK-DAG: {{^}}forward;Fails 400000{{$}}
# CHECK-DAG: {{^}}forward;Leaves 32000000{{$}}
import os

import torch
from torch import nn


class Fails(nn.Module):
    def forward(self, x):
        self.kept = x.new_ones(100000)
        raise ValueError


class Inner(nn.Module):
    def forward(self, x):
        self.kept = x.new_ones(len(x) * 1000)
        raise ValueError


class Careful(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        try:
            self.inner(x)
        except ValueError:
            pass
        return x.new_ones(len(x) * 2000)


class Leaves(nn.Module):
    def forward(self, x):
        self.kept = x.new_ones(8000000)
        os._exit(0)


torch.set_num_threads(1)
x = torch.ones(1000)
fails = Fails()
try:
    fails(x)
except ValueError:
    after = torch.ones(3000)
careful = Careful()
careful(x[:1])
kept = careful(x)
Leaves()(x)
