# The replicas that nn.DataParallel makes anew for each step are called as the
# modules that they were made of, however many there are: forward, in threads of
# their own, and backward.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --layers --format=csv %t.fb > %t.csv
# RUN: FileCheck %s < %t.csv
# RUN: FileCheck --check-prefix=NONE %s < %t.csv
# RUN: memdump --check %t.fb
#
# 100 steps of 4 replicas; those of the first step may run before there are names.
# The class of the wrapped model is its name.
# CHECK-DAG: {{^}}Net,{{39[2-9]|400}},{{.*}},false,
# CHECK-DAG: {{^}}body,{{39[2-9]|400}},{{.*}},false,
# CHECK-DAG: {{^}}body.first,{{39[2-9]|400}},{{.*}},false,
# CHECK-DAG: {{^}}body.second,{{39[2-9]|400}},{{.*}},false,
# CHECK-DAG: {{^}}body.first,{{[0-9]+}},{{.*}},true,
# NONE-NOT: {{^((Body|Linear),[0-9][0-9]|module|Net\.)}}
import threading

import torch
from torch.nn.parallel import DataParallel


class Body(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(64, 64)
        self.second = torch.nn.Linear(64, 64)

    def forward(self, x):
        return self.second(self.first(x).relu())


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()

    def forward(self, x):
        return self.body(x).sum()


def replicate(module):
    """As torch.nn.parallel.replicate, but for the copies of tensors."""
    replica = module._replicate_for_data_parallel()
    for key, child in module._modules.items():
        setattr(replica, key, replicate(child))
    for key, parameter in module._parameters.items():
        setattr(replica, key, parameter * 1)
    return replica


class OnProcessors(DataParallel):
    """Without a device DataParallel makes no replicas."""

    def forward(self, x):
        inputs = x.chunk(4)
        replicas = [replicate(self.module) for _ in inputs]
        outputs = [None] * len(inputs)

        def run(number):
            outputs[number] = replicas[number](inputs[number])

        threads = [threading.Thread(target=run, args=(number,))
                   for number in range(len(inputs))]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return sum(outputs)


torch.set_num_threads(1)
model = OnProcessors(Net())
for _ in range(100):
    model(torch.randn(8, 64)).backward()
