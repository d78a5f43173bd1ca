# The names that hold memory: twenty ways to hold a block, on each version.
#
# REQUIRES: python
# RUN: %each_python memrec -q -o %t.fb -- PYTHON %s --- memdump --check %t.fb
# RUN: memrec -q --python-objects -o %t.fb -- %python %s
# RUN: %python %s 2>&1 | FileCheck %s --check-prefix=ALONE
# ALONE: None
import collections
import dataclasses
import functools
import gc
import os
import sys
import threading
import weakref

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../python"))
import holders_other
import memkit

gc.disable()
expected = {}


def block(path):
    """A block of a size of its own, with the path that should be found."""
    size = 100_000 + 1000 * len(expected)
    expected[size] = path
    return bytes(size)


class Plain:
    pass


class Slots:
    __slots__ = ("value",)


class Rude:
    """Answers everything with an error."""

    def __getattr__(self, name):
        os.abort()

    def __getattribute__(self, name):
        os.abort()

    def __repr__(self):
        os.abort()

    def __eq__(self, other):
        os.abort()

    def __hash__(self):
        return 1

    @property
    def __class__(self):
        os.abort()


# A list of a module, a dict by key, attributes of attributes.
history = [block("holders.history[0]")]
table = {"x": {3: block("holders.table['x'][3]")}}
outer = Plain()
outer.inner = Plain()
outer.inner.data = block("holders.outer.inner.data")


# A class, an instance in a list, slots.
class Trainer:
    cache = {"x": [0, block("holders.Trainer.cache['x'][1]")]}


objects = [Plain(), Plain()]
objects[1].data = block("holders.objects[1].data")
slotted = Slots()
slotted.value = block("holders.slotted.value")


# Functions: a closure, defaults, a cache.
def counter():
    total = block("holders.count.__closure__.total")
    return lambda: total


count = counter()


def with_default(a, b=block("holders.with_default.__defaults__.b"), *, c=block("holders.with_default.__defaults__.c")):
    pass


@functools.lru_cache(maxsize=None)
def cached(n):
    return block("holders.cached.lru_cache[*]")


@functools.lru_cache(maxsize=10)
def cached_some(n):
    return block("holders.cached_some.lru_cache[*]")


cached(1), cached_some(1)


# Frames that rest: a generator, a coroutine, a stored exception.
def numbers():
    buffer = block("holders.stream.numbers():buffer")
    yield 1
    yield buffer


stream = numbers()
next(stream)


async def waits():
    payload = block("holders.coroutine.waits():payload")
    await Later()
    return payload


class Later:
    def __await__(self):
        yield


coroutine = waits()
coroutine.send(None)


def fails():
    rows = block("holders.stored.__traceback__.fails():rows")
    raise ValueError(len(rows))


try:
    fails()
except ValueError as e:
    stored = e

# Locals of threads; containers; objects of other modules; wrapped functions.
local = threading.local()
local.data = block("holders.local.data")
queue = collections.deque([1, block("holders.queue[1]")])


@dataclasses.dataclass
class Record:
    name: str
    data: bytes


Point = collections.namedtuple("Point", "x y")
record = Record("a", block("holders.record.data"))
point = Point(1, block("holders.point.y"))
holders_other.registry["big"] = block("holders_other.registry['big']")
bound = functools.partial(print, block("holders.bound.args[0]"))
some = {block("holders.some{*}")}
array = bytearray(block("holders.array"))
view = memoryview(array)
# Objects that would end the program if they were asked.
rude = Rude()
object.__setattr__(rude, "data", block("holders.rude.data"))
by_rude = {Rude(): block("holders.by_rude[<Rude>]")}
long_key = {"k" * 1000: block("holders.long_key['%s...']" % ("k" * 40))}


# Only a cycle, and only a weak reference.
def cycle():
    one = Plain()
    one.self = one
    one.data = block(None)
    return weakref.ref(one)


weak = cycle()
cycle_size = max(expected)


# A local of a frame that runs, here and in another thread.
def waiter(ready, done):
    batch = block("holders.waiter():batch")
    ready.set()
    done.wait()
    del batch


def runs():
    batch = [block("holders.runs():batch[0]")]
    cell = block("holders.runs():cell")
    ready, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=waiter, args=(ready, done))
    thread.start()
    ready.wait()
    found = memkit.holders(limit=20)
    done.set()
    thread.join()
    return found, batch, (lambda: cell)


before = {id(o): sys.getrefcount(o) for o in (history, table, outer, Trainer, record)}
found = runs()[0]
if found is None:
    print(found)
    sys.exit()
after = {id(o): sys.getrefcount(o) for o in (history, table, outer, Trainer, record)}
assert before == after, (before, after)

bad = 0
by_size = {}
for one in found:
    for size in expected:
        if size <= one.bytes < size + 100:
            by_size.setdefault(size, []).append(one)
for size, path in expected.items():
    got = by_size.get(size, [])
    if size == cycle_size:
        ok = len(got) == 1 and got[0].only_cycle and not got[0].no_name and got[0].path == "<Plain>.data"
    else:
        # A bytearray and the bytes that it was made of, freed since.
        ok = len(got) == 1 and got[0].path == path and not got[0].only_cycle and not got[0].no_name
    if not ok:
        bad += 1
        print("expected", path, "got", got)
print(len(expected) - bad, "of", len(expected), "are right")
assert weak() is not None and gc.collect() and weak() is None
sys.exit(bad != 0)
