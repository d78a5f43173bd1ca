# A census of a program with PyTorch and NumPy: tensors and arrays by dtype and shape, below the variable that holds them.
#
# REQUIRES: python, torch
# RUN: %python %S/Inputs/count.py %t.fb --census=exact -- %python %s
# RUN: memflame --format=collapsed --metric=live %t.fb > %t.collapsed
# RUN: FileCheck %s < %t.collapsed
# CHECK-DAG: {{^}}weights {{.*}};list;Tensor;float32[100, 1000] 40{{[0-9]+}}
# CHECK-DAG: {{^}}half {{.*}};Tensor;bfloat16[64, 32, 16] 6{{[0-9]{4}$}}
# CHECK-DAG: {{^}}many {{.*}};Tensor;int64[1, 2, 3, 4, 5, 6, 70] 40{{[0-9]{4}$}}
# CHECK-DAG: {{^}}layer{{.*}};Parameter;float32[512, 256] 52{{[0-9]{4}$}}
# CHECK-DAG: {{^}}table {{.*}};float64[3000, 50] 120{{[0-9]{4}$}}
# CHECK-DAG: {{^}}flags {{.*}};bool[200000] 20{{[0-9]{4}$}}
import signal

import numpy
import torch

weights = [torch.zeros(100, 1000) for _ in range(10)]
half = torch.ones(64, 32, 16, dtype=torch.bfloat16)
many = torch.zeros(1, 2, 3, 4, 5, 6, 70, dtype=torch.int64)
layer = torch.nn.Linear(256, 512)
table = numpy.zeros((3000, 50))
flags = numpy.ones(200000, dtype=bool)
view = table[:10]
print("ready", flush=True)
signal.pause()
