"""The package in a process that nobody records."""

import asyncio
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

import memkit


class Unrecorded(unittest.TestCase):
    def test_nothing_is_measured(self):
        self.assertFalse(memkit.recording())
        memkit.start()
        memkit.stop()
        memkit.step()
        memkit.mark("a mark")
        self.assertIsNone(memkit.stats())
        with memkit.scope("load") as load:
            self.assertIsNone(load.stats)
        self.assertEqual(load.calls, 1)
        for name in ("stats", "heaps", "allocated", "freed", "live", "before", "peak", "after", "duration"):
            self.assertIsNone(getattr(load, name), name)

    def test_names(self):
        for name in ("", "ünï", "\udc80", "x" * 100000, "a\0b"):
            with memkit.scope(name) as s:
                memkit.mark(name)
            self.assertEqual(s.name, name)

    def test_exception_passes(self):
        s = memkit.scope("body")
        with self.assertRaises(KeyError):
            with s:
                raise KeyError("x")
        self.assertEqual(s.calls, 1)

    def test_function(self):
        s = memkit.scope("f")

        @s
        def f(a, b=2):
            """Adds."""
            if a < 0:
                raise ValueError(a)
            return a + b if a == 0 else f(a - 1, b=b)

        self.assertEqual(f(3), 2)
        self.assertEqual((f.__name__, f.__doc__), ("f", "Adds."))
        with self.assertRaises(ValueError):
            f(-1)
        self.assertEqual(s.calls, 5)

    def test_method(self):
        class C:
            @memkit.scope("C.m")
            def m(self, x):
                return self, x

        c = C()
        self.assertEqual(c.m(1), (c, 1))

    def test_generator(self):
        s = memkit.scope("g")
        closed = []

        @s
        def g():
            try:
                got = yield 1
                try:
                    yield got
                except KeyError:
                    yield "caught"
                return "end"
            finally:
                closed.append(True)

        self.assertTrue(inspect.isgeneratorfunction(g))
        i = g()
        self.assertEqual(next(i), 1)
        self.assertEqual(i.send("sent"), "sent")
        self.assertEqual(i.throw(KeyError()), "caught")
        with self.assertRaises(StopIteration) as stop:
            next(i)
        self.assertEqual(stop.exception.value, "end")
        i = g()
        next(i)
        i.close()
        i = g()
        next(i)
        with self.assertRaises(IndexError):
            i.throw(IndexError())
        self.assertEqual(closed, [True] * 3)
        self.assertEqual(s.calls, 3)
        self.assertEqual(list(memkit.scope("h")(lambda: [1])()), [1])

    def test_coroutine(self):
        s = memkit.scope("co")

        @s
        async def co(n):
            await asyncio.sleep(0)
            if n == 2:
                raise KeyError(n)
            return n

        self.assertTrue(inspect.iscoroutinefunction(co))

        async def main():
            return await asyncio.gather(co(1), co(2), co(3), return_exceptions=True)

        got = asyncio.run(main())
        self.assertEqual([got[0], got[2]], [1, 3])
        self.assertIsInstance(got[1], KeyError)
        self.assertEqual(s.calls, 3)

    def test_coroutine_cancelled(self):
        ended = []

        @memkit.scope("co")
        async def co():
            try:
                await asyncio.sleep(100)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise

        async def main():
            task = asyncio.ensure_future(co())
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(main())
        self.assertEqual(ended, ["cancelled"])

    def test_asynchronous_generator_is_refused(self):
        async def g():
            yield 1

        with self.assertRaises(TypeError):
            memkit.scope("g")(g)

    def test_threads_share_a_scope(self):
        s = memkit.scope("s")

        def run():
            for _ in range(1000):
                with s:
                    pass

        threads = [threading.Thread(target=run) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertFalse(s._open)


class Main(unittest.TestCase):
    def run_with_path(self, folder, **more):
        environment = dict(os.environ, PATH=folder, **more)
        return subprocess.run(
            [sys.executable, "-m", "memkit", "-q", "--", "x", "a b"],
            env=environment, capture_output=True, text=True)

    def test_no_memrec(self):
        # Elsewhere than in a checkout, whose own build serves.
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.dirname(memkit.__file__), os.path.join(folder, "memkit"))
            got = self.run_with_path("/nonexistent", PYTHONPATH=folder)
        self.assertEqual(got.returncode, 127)
        self.assertIn("memkit: error: memrec is neither", got.stderr)

    def test_memrec_on_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "memrec")
            with open(path, "w") as f:
                f.write('#!/bin/sh\nfor a; do echo "[$a]"; done; exit 7\n')
            os.chmod(path, 0o755)
            got = self.run_with_path(folder)
        self.assertEqual((got.returncode, got.stdout), (7, "[--run=%s]\n[-q]\n[--]\n[x]\n[a b]\n" % sys.executable))


unittest.main()
