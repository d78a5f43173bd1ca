# The first record_function range counts, also when the first tensor of the process is made in it.
#
# REQUIRES: torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s
# RUN: memdump --scopes %t.fb | FileCheck %s
# RUN: memdump --operators --format=json %t.fb | %python -c "import json, sys; print([o['calls'] for o in json.load(sys.stdin)['operators'] if o['name'] == 'aten::zeros'])" | FileCheck --check-prefix=ZEROS %s
# Where no block of the host is recorded, no stack names PyTorch before that tensor.
# RUN: memrec -q --heap='torch.*' -o %t.torch.fb -- %python %s
# RUN: memdump --scopes %t.torch.fb | FileCheck %s
# CHECK: {{^}}batch 5 
# ZEROS: [5]
import torch
from torch.profiler import record_function

for _ in range(5):
    with record_function("batch"):
        torch.zeros(1000)
