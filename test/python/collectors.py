# A program with devices and allocators that memrec does not know tells them itself.
#
# REQUIRES: libmemkit
# RUN: rm -f %t.fb && env PYTHONPATH=%obj_root/share/memkit/python memrec -q --alert='npu:0:reserved>70MiB' -o %t.fb -- %python %s recorded 2>%t.err
# RUN: FileCheck %s --check-prefix=ERR <%t.err
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python -W error %s alone
# RUN: memdump --check %t.fb
# RUN: memdump --summary %t.fb | FileCheck %s
# RUN: memleak --heap=npu:0.arena %t.fb | FileCheck %s --check-prefix=LINE
# ERR: npu:0:reserved>70MiB
# CHECK-DAG: npu:0.arena {{ *}}2 {{ *}}1
# CHECK-DAG: pool.slab {{ *}}1 {{ *}}0
# LINE: collectors.py:[[#]]{{.*}}keep
import sys
import time
import warnings

import memkit

recorded = sys.argv[1] == "recorded"
MIB = 1 << 20
told = []


def sample():
    told.append(len(told))
    if len(told) == 1:
        return None  # nothing yet
    used = 80 * MIB if len(told) == 4 else 50 * MIB
    return {"used": used, "total": 100 * MIB, "allocated": used // 4, "reserved": used}


assert memkit.register_collector("npu:0", sample, every=0.001) == recorded
for name in ("", "a b", "a.b", "cpu", "host", "x" * 64):
    try:
        memkit.register_collector(name, sample)
    except ValueError as error:
        assert "device's name" in str(error)
    else:
        raise AssertionError(name)
try:
    memkit.register_collector("npu:1", sample, every=0)
except ValueError:
    pass
else:
    raise AssertionError("every=0")


def keep(address, size):
    memkit.allocated("arena", address, size, device="npu:0")


keep(1, 10 * MIB)
keep(2, 5 * MIB)
memkit.freed("arena", 2, "npu:0")
memkit.allocated("slab", 0x7000, 4096)
# What no block has is an error, recorded or not; of address 0 there is no block.
memkit.allocated("slab", 0, 4096)
for wrong in ((None, 1, 1), ("slab", "x", 1), ("slab", -1, 1), ("slab", 1, -5), ("slab", 1, 2**48), ("slab", 1, 1.5)):
    try:
        memkit.allocated(*wrong)
    except ValueError as error:
        assert "not " + repr([part for part in wrong if part not in ("slab", 1)][0]) in str(error), (wrong, error)
    else:
        raise AssertionError(wrong)
with memkit.scope("all") as s:
    for _ in range(8):
        time.sleep(0.01)
        memkit.step()
    memkit.check()
assert (4 <= len(told) <= 9) == recorded, told
if recorded:
    device = s.heaps["npu:0.device"]
    assert device.reserved == 50 * MIB and device.active == 50 * MIB // 4, device
    assert device.reserved_peak == 80 * MIB and device.active_at_peak == 20 * MIB, device
    assert device.inactive_at_peak == 60 * MIB and device.inactive == 50 * MIB - 50 * MIB // 4
    assert s.heaps["npu:0.arena"].after == 10 * MIB

# A thread of its own; a name given again replaces; one that fails is not asked again.
ticks = []
assert memkit.register_collector("npu:1", lambda: ticks.append(1), every=0.001, thread=True) == recorded
time.sleep(0.2)
assert bool(ticks) == recorded
assert memkit.unregister_collector("npu:1") == recorded and not memkit.unregister_collector("npu:1")
before = len(told)
assert memkit.register_collector("npu:0", lambda: {"used": 2, "total": 1}, every=0.001) == recorded
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(3):
        time.sleep(0.005)
        memkit.step()
assert len(told) == before and len(caught) == int(recorded), caught
assert not recorded or "used 2 is above total 1" in str(caught[0].message)
assert not memkit.unregister_collector("npu:0")
