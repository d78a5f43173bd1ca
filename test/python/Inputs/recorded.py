"""The package in a process that memrec records."""

import asyncio
import os
import threading

import memkit

MB = 1000 * 1000
assert memkit.recording()
whole = memkit.stats()
assert whole.before == 0 and whole.allocated > 0 and whole.duration > 0
assert whole.heaps["host.malloc"].allocations > 0

# Numbers of an open and of an ended scope.
keep = bytearray(3 * MB)
with memkit.scope("load") as load:
    before = load.before
    assert before > 3 * MB
    block = bytearray(10 * MB)
    assert 10 * MB <= load.allocated < 11 * MB, load.stats
    assert load.after - before >= 9 * MB
    del block, keep
assert load.calls == 1
malloc = load.heaps["host.malloc"]
assert 10 * MB <= load.peak - load.before < 11 * MB, load.stats
assert 13 * MB <= load.freed < 14 * MB, load.stats
assert load.live == load.after <= load.before - 2 * MB
assert malloc.allocated >= 10 * MB and malloc.peak >= 13 * MB and malloc.live == malloc.after
assert 0 < load.duration < 600
with load:
    pass
assert load.calls == 2 and load.allocated < MB, load.stats

# Also when the body raises.
raises = memkit.scope("raises")
try:
    with raises:
        block = bytearray(5 * MB)
        raise KeyError("x")
except KeyError:
    pass
assert 5 * MB <= raises.allocated < 6 * MB and raises.peak - raises.before >= 5 * MB
del block

# Threads: one object, each its own spans.
shared = memkit.scope("thread")


def run():
    with shared:
        with memkit.scope("inner"):
            block = bytearray(MB)
            del block


threads = [threading.Thread(target=run) for _ in range(4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert shared.calls == 4 and shared.allocated >= MB


function = memkit.scope("function")


@function
def recursive(n):
    block = bytearray(MB)
    return recursive(n - 1) if n else len(block)


assert recursive(2) == MB and function.calls == 3
assert function.allocated >= 3 * MB  # the outermost ended last


@memkit.scope("coroutine")
async def coroutine(size, go, done):
    go.set()
    await done.wait()
    block = bytearray(size)
    await asyncio.sleep(0)
    return len(block)


async def main():
    done = asyncio.Event()
    goes = [asyncio.Event(), asyncio.Event()]
    tasks = [asyncio.ensure_future(coroutine(size, go, done)) for size, go in zip((10 * MB, 20 * MB), goes)]
    for go in goes:
        await go.wait()
    block = bytearray(30 * MB)
    done.set()
    assert await asyncio.gather(*tasks) == [10 * MB, 20 * MB]
    return block


asyncio.run(main())

generator = memkit.scope("generator")


@generator
def numbers():
    for i in range(2):
        block = bytearray(40 * MB)
        yield len(block)


for n in numbers():
    block = bytearray(50 * MB)
    del block
assert generator.calls == 1 and generator.allocated >= 100 * MB

# The numbers of a thousand scopes can be asked for later.
many = []
for i in range(1000):
    with memkit.scope("many") as s:
        many.append(s)
assert all(s.stats is not None for s in many)

memkit.mark("half")
memkit.step()
memkit.stop()
assert not memkit.recording()
memkit.start()
assert memkit.recording()

# A child is in no scope of its parent's.
with memkit.scope("parent") as parent:
    pid = os.fork()
    if pid == 0:
        assert parent.stats is None
        with memkit.scope("child") as child:
            block = bytearray(MB)
        os._exit(0 if child.allocated >= MB else 1)
assert os.waitpid(pid, 0)[1] == 0
assert parent.stats is not None
