# What is wrapped around a model, or around a part of it, is no part of the names
# of the layers. What a wrapper holds has its class at the end.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --layers --format=csv %t.fb > %t.csv
# RUN: FileCheck %s < %t.csv
# RUN: FileCheck --check-prefix=NONE %s < %t.csv
#
# CHECK-DAG: {{^}}checkpointed.0.Block,3,{{.*}},false,
# CHECK-DAG: {{^}}checkpointed.0.inner,3,{{.*}},false,
# CHECK-DAG: {{^}}compiled.1.Block,3,{{.*}},false,
# CHECK-DAG: {{^}}spread.0.inner,3,{{.*}},false,
# CHECK-DAG: {{^}}sharded.1.Block,3,{{.*}},false,
# CHECK-DAG: {{^}}sharded.1.inner,3,{{.*}},false,
# CHECK-DAG: {{^}}OptimizedModule.Net,3,{{.*}},false,
# CHECK-DAG: {{^}}sharded.1.inner,{{.*}},true,
# NONE-NOT: {{_orig_mod|wrapped_module|module}}
import warnings

import torch
import torch.distributed
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.nn.parallel import DistributedDataParallel


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 64)

    def forward(self, x):
        return self.inner(x).relu()


class Net(nn.Module):
    """Its layers are called as it is told."""

    def __init__(self, name, wrap):
        super().__init__()
        self.name = name
        setattr(self, name, nn.Sequential(*[wrap(Block()) for _ in range(2)]))

    def forward(self, x):
        return getattr(self, self.name)(x)


def plain(module):
    return module


def compiled(module):
    return torch.compile(module, backend="eager")


def sharded(module):
    return FullyShardedDataParallel(module, device_id=torch.device("cpu"))


warnings.simplefilter("ignore")
torch.set_num_threads(1)
torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0,
                                     world_size=1)
models = [
    Net("checkpointed", checkpoint_wrapper),
    Net("compiled", compiled),
    DistributedDataParallel(Net("spread", plain)),
    sharded(Net("sharded", sharded)),
    compiled(DistributedDataParallel(Net("both", plain))),
]
for model in models:
    # It has names before it counts.
    with torch.no_grad():
        model(torch.randn(4, 64))
for model in models:
    for _ in range(2):
        model(torch.randn(4, 64)).sum().backward()
torch.distributed.destroy_process_group()
