# Tensors of the CPU: each in a block of malloc, no byte counted twice; one that could
# not be had leaves a mark; what torch.profiler sees is what it always does.
#
# REQUIRES: python, torch
# RUN: memrec -q -o %t.fb -- %python %s | FileCheck %s --check-prefix=TOLD
# RUN: memdump --check %t.fb
# RUN: memflame --group-by=stack --format=collapsed --heap=torch.cpu --metric=peak %t.fb | FileCheck %s --check-prefix=LIVE
# RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=HEAPS
# RUN: memdump %t.fb | grep ' oom ' | FileCheck %s --check-prefix=OOM
# RUN: memrec --heap='torch.*' -q --torch=heaps -o %t.heaps.fb -- %python %s > %t.out
# RUN: memdump --summary %t.heaps.fb | FileCheck %s --check-prefix=ALONE
#
# TOLD: allocation by the profiler: 40000
# TOLD: 1125899906842624
# When the profiler's 40,000 bytes come, the 400 are gone.
# LIVE: keep (tensors.py){{.*}} 4000000
# LIVE-NOT: lose (tensors.py)
# HEAPS: "name": "torch.cpu",
# HEAPS-NEXT: "space": "host",
# HEAPS-NEXT: "parent": "host.malloc",
# OOM: oom {{.*}}torch.cpu
# ALONE: , 0 steps, 0 layers
# ALONE: torch.cpu
import torch


def keep():
    return torch.empty(1000000)


def lose():
    torch.empty(100)


kept = keep()
lose()
with torch.profiler.profile(profile_memory=True) as profile:
    torch.empty(10000)
event = next(e for e in profile.key_averages() if e.key == "aten::empty")
print("allocation by the profiler:", event.cpu_memory_usage if hasattr(event, "cpu_memory_usage") else event.self_cpu_memory_usage)
try:
    torch.empty(1 << 50, dtype=torch.uint8)
except RuntimeError as e:
    print(str(e))
