# PyTorch's allocator of pinned memory rounds requests up and keeps freed blocks: the trace has
# the requested and the rounded sizes. PyTorch's own `active_bytes` never fall in 2.11, so these
# sizes are compared with a hand count. Runs on a GPU alone (utils/check --gpu).
#
# REQUIRES: torch-cuda
# RUN: %cuda memrec -o %t.fb -- %python %s > %t.own
# RUN: memdump --check %t.fb
# RUN: memdump --summary --format=json %t.fb > %t.json
# RUN: %python %s %t.own %t.json
# RUN: memdump --heap=torch.pinned %t.fb | FileCheck %s
# CHECK: alloc {{.*}} 4 MiB torch.pinned at 0x[[#%x,FIRST:]] in #{{[0-9]+}} requested 2.86 MiB
# CHECK: alloc {{.*}} 1 MiB torch.pinned at {{.*}} in #{{[0-9]+}} requested 586 KiB
# CHECK: alloc {{.*}} 4 MiB torch.pinned at 0x[[#FIRST]] in #{{[0-9]+}} requested 3.81 MiB
# RUN: memstat --show=rounding %t.fb | FileCheck %s --check-prefix=LINES
# LINES: device-pinned.py:[[#@LINE+8]] use torch.pinned 1.14 MiB 4 MiB 1
import json
import sys


def use():
    import torch

    first = torch.empty(3_000_000, dtype=torch.uint8, pin_memory=True)
    second = torch.ones(150_000).pin_memory()
    on_device = second.cuda(non_blocking=True)
    torch.cuda.synchronize()
    del first
    third = torch.empty(1_000_000, pin_memory=True)  # in the block of `first`
    torch.cuda.synchronize()
    print(json.dumps({"held": torch.cuda.memory.host_memory_stats()["allocated_bytes.current"],
                      "pinned": [second.is_pinned(), third.is_pinned(), on_device.is_pinned()]}))


def compare(own, summary):
    own = json.load(open(own))
    summary = json.load(open(summary))
    heaps = {heap["name"]: heap for heap in summary["heaps"]}
    assert summary["events"]["lost"] == 0, summary["losses"]
    assert own["pinned"] == [True, True, False], own
    assert heaps["torch.pinned"]["peak_bytes"] == 5 << 20, (heaps["torch.pinned"], own)
    assert heaps["torch.pinned"]["allocated_bytes"] == 9 << 20, (heaps["torch.pinned"], own)
    assert heaps["cuda.pinned"]["peak_bytes"] == own["held"], (heaps["cuda.pinned"], own)


if len(sys.argv) > 1:
    compare(*sys.argv[1:])
else:
    use()
