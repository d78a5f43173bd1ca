# memkit.measure(): a result for each use, sums by name, the layers so far.
#
# REQUIRES: libmemkit
# RUN: rm -f %t.fb && env PYTHONPATH=%obj_root/share/memkit/python memrec -q -o %t.fb -- %python %s recorded
# RUN: env PYTHONPATH=%obj_root/share/memkit/python %python -W error %s alone
# RUN: memdump --scopes %t.fb | FileCheck %s
# CHECK-DAG: {{^}}load 4 
# CHECK-DAG: {{^}}outer 1 
# CHECK-DAG: {{^}}Model 3 
# CHECK-DAG: {{^}}student 1 
# CHECK-DAG: {{^}}teacher 1 
# CHECK-DAG: {{^}}measure.py:{{[0-9]+}} 1 
import asyncio
import functools
import sys
import threading
import types

import memkit

recorded = sys.argv[1] == "recorded"


def near(value, bytes_):
    """Interpreters allocate a little beside."""
    if not recorded:
        return value is None
    return bytes_ <= value < bytes_ + 300_000


@memkit.measure()
def load(n):
    return bytearray(n)


with memkit.measure("outer") as m:
    kept = [load(n * 1_000_000) for n in (1, 2, 3)]
    assert m.end is None and near(m.net, 6_000_000), m
    gone = bytearray(4_000_000)
    del gone
assert near(m.net, 6_000_000) and near(m.rise, 10_000_000) and near(m.allocated, 10_000_000), m
assert (m.peak is None) == (not recorded) and (m.heaps is None) == (not recorded)
assert not recorded or (m.peak == m.before + m.rise and m.freed >= 4_000_000 and m.stats.total.allocations > 4)
assert m.rss - m.rss_before > 5_000_000 and 0 < m.end - m.begin < 60 and 0 < m.duration < 60
assert "outer" in repr(m) and ("not recorded" in repr(m)) == (not recorded)

# A result for each call, the latest last.
assert [r.name for r in memkit.results()] == ["load"] * 3 + ["outer"]
assert all(near(r.net, n * 1_000_000) for n, r in enumerate(memkit.results("load"), 1))
rows = {row.name: row for row in memkit.summary()}
assert rows["load"].calls == 3 and near(rows["load"].allocated, 6_000_000) and near(rows["load"].rise, 3_000_000)
assert str(memkit.summary()).splitlines()[0].split() == ["name", "calls", "time", "allocated", "net", "rise", "peak"]

# A function called; exceptions pass, and are measured; threads and coroutines.
result = memkit.profile(bytearray, 5_000_000)
assert len(result.value) == 5_000_000 and near(result.net, 5_000_000) and result.name == "bytearray"
try:
    with memkit.measure("fails"):
        raise KeyError("x")
except KeyError:
    assert memkit.results("fails")[0].end is not None
else:
    raise AssertionError


@memkit.measure()
async def slow(n):
    await asyncio.sleep(0.01)
    return bytearray(n)


async def both():
    return await asyncio.gather(slow(10), slow(20))


assert [len(x) for x in asyncio.run(both())] == [10, 20] and len(memkit.results("slow")) == 2
shared = memkit.measure("shared")


def use():
    with shared:
        pass


threads = [threading.Thread(target=use) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(memkit.results("shared")) == 8
with memkit.measure() as unnamed:
    pass
assert unnamed.name.startswith("measure.py:"), unnamed.name


def generator():
    yield


try:
    memkit.measure()(generator)
except TypeError as error:
    assert "memkit.scope can" in str(error)

memkit.reset()
assert not memkit.results() and not memkit.summary() and "nothing was measured" in str(memkit.summary())
for _ in range(1100):
    with memkit.measure("many"):
        pass
assert len(memkit.results()) == 1024 and memkit.summary()[0].calls == 1100

# Devices.
for given in ("cuda:99", 99):
    try:
        memkit.measure("x", device=given)
    except ValueError as error:
        assert "of CUDA" in str(error) and "99" in str(error), error
    else:
        raise AssertionError(given)
sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(device_count=lambda: 3))
for given, name in ((None, None), ("cuda", "cuda:0"), ("cuda:1", "cuda:1"), (2, "cuda:2"), ("cpu", "cpu")):
    assert memkit.measure("x", device=given).device == name
try:
    memkit.measure("x", device=3)
except ValueError as error:
    assert str(error) == "no device: 3; PyTorch sees 3 devices of CUDA", error
for given in (-1, True, "CUDA:0", "cuda:x", ""):
    try:
        memkit.measure("x", device=given)
    except ValueError as error:
        assert "a device is 'cpu', 'cuda'" in str(error)
    else:
        raise AssertionError(given)
heap = memkit.HeapStats
stats = memkit.Stats(heap("host", *range(1, 8)), {
    h.name: h for h in (heap("torch.cpu", 1, 1, 10, 10, 0, 10, 0), heap("torch.cuda:0", 2, 0, 20, 0, 0, 20, 20),
                        heap("torch.cuda:0.segments", 1, 0, 64, 0, 0, 64, 64))}, 1.0)
assert stats.tensors.allocated == 30 and stats.tensors_of("cuda:0").allocated == 20
assert stats.tensors_of("cuda:1").allocated == 0 and stats.devices() == ["cuda:0"]
# A result of a device has the device's numbers, and the host's beside.
for device, peak, net in (("cuda", 20, 20), (None, 6, 2), ("cpu", 6, 2), ("cuda:1", 0, 0)):
    of = memkit.measure("x", device=device)
    with of as result:
        pass
    result._stats = stats
    assert (result.peak, result.net) == (peak, net), (device, result.peak, result.net)
    assert result.host.peak == 6 and result.tensors.allocated == {"cuda": 20, None: 30, "cpu": 10, "cuda:1": 0}[device]
# The table is of the host, with a column of all tensors and one for each device.
row = [r for r in memkit.summary() if r.name == "x"][0]
assert row.peak == 6 and row.tensors == 30 and row.devices == {"cuda:0": 20}, row
assert str(memkit.summary()).splitlines()[0].split()[-2:] == ["tensors", "cuda:0"], memkit.summary()
del sys.modules["torch"]


# A model in a with statement: trace() gives the model itself, as always.
class Model:
    def named_modules(self):
        return []


model = Model()
with memkit.trace(model) as same:
    assert same is model
with memkit.trace(model, "student"), memkit.trace(Model()):
    pass
# Traced again meanwhile: the block is still the scope that it began.
with memkit.trace(model, "teacher"):
    memkit.trace(model, "other")
    kept = load(1000)
assert memkit._program._entered == {}
assert memkit.trace(5) == 5 and memkit.trace(None) is None
try:
    with memkit.trace(model):
        raise KeyError("passed on")
except KeyError:
    pass

# What is called need not be a function; what a measurement is called is a text.
def part(n):
    return bytearray(n)


assert memkit.profile(functools.partial(part, 1000)).name == "part"
assert len(memkit.measure()(functools.partial(part, 1000))()) == 1000
assert memkit.results()[-1].name == "part"
for wrong in (5, b"x"):
    try:
        memkit.measure(wrong)
    except TypeError as error:
        assert "the name is a str" in str(error), error
    else:
        raise AssertionError(wrong)

layers = memkit.layers()
assert (layers is None) == (not recorded) and (not recorded or len(layers) == 0)
