"""Tests with leaks of many kinds, and their twins without: test_leak_* and test_clean_*."""
import asyncio
import collections
import ctypes
import functools
import gc
import io
import json
import os
import re
import socket
import sys
import tempfile
import threading
import types
import unittest
import warnings
import weakref

import pytest

native = ctypes.CDLL(os.environ["NATIVE"])
for name in ("leak_malloc", "leak_mmap", "no_leak", "leak_in_thread"):
    getattr(native, name).argtypes = [ctypes.c_size_t]
    getattr(native, name).restype = ctypes.c_void_p
libc = ctypes.CDLL(None)
for name in ("free", "munmap"):
    getattr(libc, name).argtypes = [ctypes.c_void_p] + [ctypes.c_size_t] * (name == "munmap")
limited = (
    pytest.mark.limit_growth("0 B", rounds=16) if os.environ.get("LIMIT") == "growth" else pytest.mark.limit_leaks("0 B")
)
kept, table, graph = [], {}, collections.defaultdict(list)


class Node:
    def __init__(self, size=10):
        self.data = bytearray(size)
        self.me = self


class Slotted:
    __slots__ = ("a", "b")


class Dropped:
    alive = []

    def __del__(self):
        Dropped.alive.append(bytearray(100))


class Quiet:
    def __del__(self):
        pass


@functools.lru_cache(maxsize=None)
def unbounded(n):
    return [n] * 10


@functools.lru_cache(maxsize=4)
def bounded(n):
    return [n] * 10


numbers = iter(range(10**9))
listeners = []
LEAKS = {
    "malloc": lambda: native.leak_malloc(40000),
    "small_malloc": lambda: native.leak_malloc(100),
    "mmap": lambda: native.leak_mmap(1 << 16),
    "errors": lambda: [native.push_error() for _ in range(3)],
    "thread": lambda: native.leak_in_thread(5000),
    "list": lambda: kept.append([object() for _ in range(10)]),
    "dict": lambda: table.__setitem__(next(numbers), str(next(numbers)) * 5),
    "bytes": lambda: kept.append(bytes(1000)),
    "large_bytes": lambda: kept.append(bytes(1000000)),
    "cycle_kept": lambda: kept.append(Node()),
    "lru_cache": lambda: unbounded(next(numbers)),
    "closure": lambda: kept.append((lambda x: lambda: x)(bytearray(200))),
    "defaultdict": lambda: graph[next(numbers)].append(1),
    "set": lambda: table.setdefault("set", set()).update(str(next(numbers)) for _ in range(10)),
    "deque": lambda: table.setdefault("deque", collections.deque()).extend(object() for _ in range(10)),
    "instances": lambda: kept.extend(Slotted() for _ in range(5)),
    "finalizer": lambda: Dropped(),
    "listener": lambda: listeners.append(functools.partial(print, bytearray(300))),
    "file": lambda: kept.append(open(os.devnull)),
    "socket": lambda: kept.append(socket.socketpair()),
    "frames": lambda: kept.append(frame_of()),
    "thread_local": lambda: kept.append(threading.local()),
    "lock": lambda: kept.extend(threading.Lock() for _ in range(10)),
    "regex": lambda: kept.append(re.compile("a%d" % next(numbers))),
    "array": lambda: kept.append((ctypes.c_char * 5000)()),
    "bytesio": lambda: kept.append(io.BytesIO(bytes(500))),
    "class": lambda: kept.append(type("Made", (), {})),
    "module": lambda: sys.modules.__setitem__("made%d" % next(numbers), types.ModuleType("made")),
    "weak_callback": lambda: kept.append(weakref.ref(Slotted, lambda _: None)),
    "generator": lambda: kept.append(started()),
}


def frame_of():
    local = bytearray(1000)  # noqa: F841
    return sys._getframe()


def started():
    def steps():
        held = bytearray(400)
        yield held

    one = steps()
    next(one)
    return one


def thread_that_ends():
    thread = threading.Thread(target=lambda: bytearray(100000))
    thread.start()
    thread.join()


def file_once():
    with tempfile.TemporaryFile() as file:
        file.write(bytes(10000))


def raised():
    try:
        raise ValueError(bytearray(1000))
    except ValueError as error:
        return str(error)[:3]


def warned():
    with warnings.catch_warnings(record=True):
        warnings.warn("once more")


CLEAN = {
    "malloc": lambda: native.no_leak(40000),
    "freed": lambda: libc.free(native.leak_malloc(100)),
    "mmap": lambda: libc.munmap(native.leak_mmap(1 << 16), 1 << 16),
    "errors": lambda: (native.push_error(), native.clear_errors()),
    "table": lambda: native.use_table(),
    "list": lambda: [object() for _ in range(1000)],
    "dict": lambda: {str(i): i for i in range(1000)},
    "large_bytes": lambda: bytes(3000000),
    "cycle": lambda: Node(1000),
    "cycles": lambda: [Node(100) for _ in range(100)],
    "lru_cache": lambda: unbounded("same"),
    "bounded": lambda: [bounded(i) for i in range(20)],
    "closure": lambda: (lambda x: lambda: x)(bytearray(200)),
    "cache_once": lambda: table.setdefault("once", bytearray(100000)),
    "instances": lambda: [Slotted() for _ in range(100)],
    "finalizer": lambda: Quiet(),
    "thread": thread_that_ends,
    "file": file_once,
    "socket": lambda: [s.close() for s in socket.socketpair()],
    "exception": raised,
    "json": lambda: json.loads(json.dumps({"a": list(range(1000))})),
    "regex": lambda: re.sub("a+", "b", "caat"),
    "generator": started,
    "frames": frame_of,
    "warnings": warned,
    "print": lambda: print("x" * 1000),
    "format": lambda: "%s %r" % (bytearray(100), 3.5),
    "sort": lambda: sorted(range(10000), key=lambda i: -i),
    "gc": lambda: gc.collect(),
    "bytesio": lambda: io.BytesIO(bytes(500)).read(),
}


@limited
@pytest.mark.parametrize("kind", LEAKS)
def test_leak(kind):
    LEAKS[kind]()


@limited
@pytest.mark.parametrize("kind", CLEAN)
def test_clean(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KIND", kind)
    CLEAN[kind]()


class TestClean(unittest.TestCase):
    def setUp(self):
        self.data = [bytearray(1000)] * 10

    @limited
    def test_clean_method(self):
        self.assertTrue(self.data)


@pytest.fixture(scope="module")
def wide():
    yield [bytearray(1000)]


@limited
def test_clean_wide(wide):
    wide.append(1)
    wide.pop()


@limited
@pytest.mark.asyncio
async def test_clean_async():
    await asyncio.sleep(0.001)
