# A range whose end comes while recording is stopped is over all the same.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memflame --format=collapsed --heap=torch.cpu --metric=allocated --group-by=scope-path %t.fb | FileCheck %s
#
# CHECK-DAG: {{^}}outer;aten::zeros;aten::empty 400000
# CHECK-DAG: {{^}}aten::ones;aten::empty 800004
import memkit
import torch

torch.set_num_threads(1)
torch.ones(1)  # 4 bytes
with torch.profiler.record_function("outer"):
    a = torch.zeros(100000)
    memkit.stop()
memkit.start()
b = torch.ones(200000)
