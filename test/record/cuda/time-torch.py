# The time of a device's work by operator and layer, forward and backward, beside the time of the
# processor: kernels that operators of a model launch, on the tests' driver.
#
# REQUIRES: python, torch
# RUN: %cuda memrec -q --cuda=time -o %t.fb -- %python %s %fake_cuda/libcuda.so.1
# RUN: memdump --check %t.fb
#
# An operator has what it launches itself, and the one around it all of it; in two calls of
# outer 2 ms each, of which 0.5 ms are inner's.
# RUN: memdump --operators --format=csv %t.fb > %t.csv
# RUN: %python %S/Inputs/columns.py name,kind,device_self_ns,device_ns < %t.csv | FileCheck %s --check-prefix=OPERATORS
# OPERATORS-DAG: {{^}}probe::outer operator 3000000 4000000
# OPERATORS-DAG: {{^}}probe::inner operator 1000000 1000000
# OPERATORS-DAG: {{^}}LaunchBackward node 1400000 1400000
#
# RUN: memdump --layers --format=csv %t.fb > %t.layers.csv
# RUN: %python %S/Inputs/columns.py name,backward,device_self_ns,device_ns < %t.layers.csv | FileCheck %s --check-prefix=LAYERS
# LAYERS-DAG: {{^}}body false 4000000 4000000
# LAYERS-DAG: {{^}}body true 1400000 1400000
#
# RUN: memdump --operators %t.fb | FileCheck %s --check-prefix=TEXT
# TEXT: operator {{.*}} device self device time
# TEXT: probe::outer 2 {{.*}} 3 ms 4 ms
# RUN: memdump --kernels %t.fb | FileCheck %s --check-prefix=LINES
# LINES: by line
# LINES: time-torch.py:[[# @LINE + 27]] launch
# RUN: memdump --kernels --format=csv %t.fb > %t.kernels.csv
# RUN: %python %S/Inputs/columns.py name,operator,layer,calls,duration_ns < %t.kernels.csv | FileCheck %s --check-prefix=KERNELS
# KERNELS-DAG: {{^}}forward_kernel probe::outer body 2 3000000
# KERNELS-DAG: {{^}}forward_kernel probe::inner body 2 1000000
# KERNELS-DAG: {{^}}backward_kernel LaunchBackward body 2 1400000
#
# RUN: memstat --format=json %t.fb > %t.json
# RUN: %python -c "import json, sys; print([(o['name'], o['device_self_ns']) for o in json.load(open(sys.argv[1]))['operator_list'] if o['name'] == 'probe::outer'])" %t.json | FileCheck %s --check-prefix=STAT
# STAT: [('probe::outer', 3000000)]
import ctypes
import sys

import torch
from torch import nn

cuda = ctypes.CDLL(sys.argv[1])
context, module, functions = ctypes.c_void_p(), ctypes.c_void_p(), {}
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)


def launch(name, us):
    cuda.cuCtxSetCurrent(context)
    if name not in functions:
        functions[name] = ctypes.c_void_p()
        cuda.cuModuleGetFunction(ctypes.byref(functions[name]), module, name.encode())
    assert cuda.cuLaunchKernel(functions[name], us, 1, 1, 1, 1, 1, 0, None, None, None) == 0


cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), b"")


@torch.library.custom_op("probe::inner", mutates_args=())
def inner(x: torch.Tensor) -> torch.Tensor:
    launch("forward_kernel", 500)
    return x.clone()


@torch.library.custom_op("probe::outer", mutates_args=())
def outer(x: torch.Tensor) -> torch.Tensor:
    launch("forward_kernel", 1500)
    return inner(x)


class Launch(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return outer(x)

    @staticmethod
    def backward(ctx, grad):
        launch("backward_kernel", 700)
        return grad.clone()


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1000))

    def forward(self, x):
        return Launch.apply(x * self.weight)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = Body()

    def forward(self, x):
        return self.body(x).sum()


net = Net()
for _ in range(2):
    net(torch.ones(1000)).backward()
