# What a scope says of tensors, and the table of scopes.
#
# REQUIRES: python, torch
# RUN: memrec --heap='torch.*' -q -o %t.fb -- %python %s | FileCheck %s
# RUN: memdump --scopes --format=json %t.fb | FileCheck %s --check-prefix=TABLE
# RUN: env PYTHONPATH=%src_root/python %python %s | FileCheck %s --check-prefix=ALONE
#
# CHECK: TensorStats(created=3, deleted=2, allocated=12000, freed=8000, before=4000, peak=12000, after=8000, reserved=None, reserved_peak=None, active=None, active_at_peak=None)
# CHECK: 3 2 12000 None
# CHECK: 4000 8000
# TABLE: "name": "work",
# TABLE: "tensor_allocations": 3,
# TABLE-NEXT: "tensor_frees": 2,
# TABLE-NEXT: "tensor_allocated_bytes": 12000,
# TABLE-NEXT: "tensor_freed_bytes": 8000,
# TABLE-NEXT: "tensor_peak_bytes": 12000,
# TABLE: "kind": "scope"
# TABLE: "name": "inside",
# TABLE: "tensor_allocations": 2,
# TABLE: "kind": "range"
# ALONE: None
import torch

import memkit

held = torch.empty(1000)
with memkit.scope("work") as work:
    kept = torch.empty(1000)
    with torch.profiler.record_function("inside"):
        torch.empty(1000)
        torch.empty(1000)
print(work.tensors)
if work.heaps:
    cpu = work.heaps["torch.cpu"]
    print(cpu.allocations, cpu.frees, cpu.peak, cpu.reserved)
    print(work.tensors.before, memkit.stats().tensors.after)
