# compare.py [SAMPLES]: runs all that moves Python's frames about, at least until
# SAMPLES stacks have been compared (2,000 unless given). Each time the stack that the
# capture library has for this thread must be the one that traceback has. Needs
# libmemrec-python-oracle.so preloaded and a recorder.
import asyncio
import collections
import contextlib
import ctypes
import functools
import gc
import sys
import threading
import traceback
import weakref

wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
holding, releasing = ctypes.PyDLL(None), ctypes.CDLL(None)
counts = collections.Counter()


def text(s):
    # Cut as the library cuts, between characters.
    return s.encode("utf-8", "backslashreplace")[:4096].decode("utf-8", "ignore")


def name_of(frame):
    code = frame.f_code
    return text(getattr(code, "co_qualname", code.co_name))


def check():
    buffer = ctypes.create_string_buffer(1 << 20)
    reference = ["%s:%d:%s" % (text(f.f_code.co_filename), line, name_of(f))
                 for f, line in traceback.walk_stack(sys._getframe(1))]
    for library in holding, releasing:
        library.memrec_python_stack(buffer, len(buffer))
        # The innermost frame is this one.
        got = [line.lstrip("*") for line in buffer.value.decode("utf-8").splitlines()][1:]
        counts["samples"] += 1
        counts["frames"] += len(got)
        if got != reference[:len(got)] or len(got) < min(len(reference), 500):
            counts["different"] += 1
            if counts["different"] < 4:
                print("different: traceback has\n  %s\nthe library\n  %s" % (
                    "\n  ".join(reference), "\n  ".join(got)))
    return True


def generator(n):
    check()
    for i in range(n):
        yield i
        check()
    if n:
        yield from generator(n - 1)
    check()


class Thing:
    def __init__(self):
        self.me = self
        check()

    def __enter__(self):
        check()
        return self

    def __exit__(self, *what):
        check()

    def __del__(self):
        check()

    def __eq__(self, other):
        return check()

    def __hash__(self):
        check()
        return 7

    def __getattr__(self, name):
        check()
        return 1

    def __add__(self, other):
        check()
        return other

    def __iter__(self):
        check()
        return iter([check()])

    @property
    def value(self):
        check()
        return 1

    @classmethod
    def make(cls):
        check()
        return cls()

    def __getitem__(self, key):
        check()
        return key


def decorated(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        check()
        return function(
            *args,
            **kwargs)
    return inner


@decorated
def cells(a, b=2, *, c=3):
    def one():
        nonlocal a
        a += b
        check()
        return lambda: (
            check(),
            a)
    return one()()


@contextlib.contextmanager
def context():
    check()
    try:
        yield check()
    finally:
        check()


class Meta(type):
    def __new__(cls, name, bases, body):
        check()
        return super().__new__(cls, name, bases, body)

    def __call__(cls):
        check()
        return super().__call__()


def syntax():
    list(generator(3))
    [check() for _ in range(2)]
    {check(): check() for _ in range(2)}
    sum(check() for _ in range(2))
    with Thing() as a, context():
        a.value, a == a, a.missing, a + a, list(a), a[1], Thing.make(), {a: check()}
    a.me = None
    del a
    sorted([3, 1, 2], key=lambda x: (
        check(),
        x)[1])
    list(map(lambda x: check(), [1, 2]))
    functools.reduce(lambda x, y: check(), [1, 2, 3])
    cells(1)
    (lambda:
        check(
        ))()

    class Made(metaclass=Meta):
        check()
        value = check()
    Made()
    "%s" % check(), f"{check()}"
    print("", end="") if check() else None


def errors():
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            check()
            raise KeyError
        finally:
            check()
    except KeyError:
        check()
    for _ in range(2):
        try:
            check()
            continue
        finally:
            check()
    try:
        list(x for x in [check(), int("no")])
    except ValueError as e:
        check()
        traceback.format_exc()
        try:
            raise RuntimeError from e
        except RuntimeError:
            check()


def code():
    exec(compile("check()\n\n\ncheck()", "<text>", "exec"), globals())
    eval("check() and [check() for _ in range(2)]", globals())
    for name in ("\u043f\u0440\u0438\u0432\u0435\u0442", "\u4f60\u597d.py", "\U0001f40d",
                 "lone\udc80surrogate", "\xe9", "x" * 5000, "\u20ac" * 2000, ""):
        exec(compile("def f\u00e9\u4f60():\n check()\nf\u00e9\u4f60()", name, "exec"), globals())
    # Code objects die, and others come to their addresses.
    for i in range(30):
        exec("\n" * (i % 7) + "def f():\n" + "\n" * (i % 5) + " return check()\nf()", globals())
        gc.collect() if i % 10 == 0 else None


def recursion(n):
    if n == 0:
        check()
        return
    if n % 3:
        recursion(n - 1)
    else:
        list(map(recursion, [n - 1]))


def to_the_limit():
    def deeper():
        nonlocal depth
        depth += 1
        deeper()
    depth = 0
    try:
        deeper()
    except RecursionError:
        check()
    # As deep as that leaves room for the comparison.
    recursion(max(sys.getrecursionlimit() * 2 // 3 - 150, 50))


def collected():
    class Cycle:
        def __del__(self):
            check()
    a = Cycle()
    a.me = a
    del a
    gc.collect()
    r = weakref.ref(Thing, lambda _: check())
    b = Cycle()
    weakref.finalize(b, check)
    del b, r


async def sleeper(n):
    check()
    await asyncio.sleep(n)
    check()
    return n


async def asynchronous():
    async def numbers():
        for i in range(2):
            check()
            yield i
            await asyncio.sleep(0)
    check()
    await asyncio.sleep(0)
    await asyncio.gather(*[sleeper(i * 0.0001) for i in range(3)])
    async for _ in numbers():
        check()
    [x async for x in numbers() if check()]
    task = asyncio.ensure_future(sleeper(10))
    await asyncio.sleep(0)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await asyncio.get_running_loop().run_in_executor(None, check)


def interpreters():
    try:
        import _interpreters as module
    except ImportError:
        try:
            import _xxsubinterpreters as module
        except ImportError:
            return
    # 3.8's collector is one for all: finalisers of this interpreter would run in that
    # one, whose thread state cannot be told when the GIL is released (before 3.12).
    gc.collect()
    if sys.version_info >= (3, 13):
        interpreter = module.create("legacy")
    elif sys.version_info >= (3, 12):
        interpreter = module.create(isolated=False)  # ctypes needs that
    else:
        interpreter = module.create()
    # Frames of the one that calls belong to another thread state.
    failed = module.run_string(interpreter, """if True:
        import sys
        import ctypes
        def f():
            buffer = ctypes.create_string_buffer(1 << 16)
            ctypes.PyDLL(None).memrec_python_stack(buffer, len(buffer))
            lines = buffer.value.decode().splitlines()
            frame = sys._getframe()
            while frame:
                line = lines.pop(0)
                assert frame.f_code.co_name in line, (line, frame)
                frame = frame.f_back
            assert not lines, lines
        f()
        """)
    assert not failed, failed
    check()
    module.destroy(interpreter)
    counts["interpreters"] += 1


def greenlets():
    try:
        import greenlet
    except ImportError:
        return

    def other(n):
        check()
        if n:
            greenlet.greenlet(other).switch(n - 1)
        greenlet.getcurrent().parent.switch(check())
        check()
    g = greenlet.greenlet(other)
    recursion(5)
    g.switch(3)
    check()
    g.switch()
    counts["greenlets"] += 1


def everything():
    for part in syntax, errors, code, to_the_limit, collected, greenlets:
        part()
    asyncio.run(asynchronous())


def main():
    interpreters()
    while counts["samples"] < wanted:
        everything()
        threads = [threading.Thread(target=everything) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    interpreters()


main()
print("version %s samples %d different %d" % (
    ".".join(map(str, sys.version_info[:2])), counts["samples"], counts["different"]))
print(dict(counts), file=sys.stderr)
sys.exit(counts["different"] != 0)
