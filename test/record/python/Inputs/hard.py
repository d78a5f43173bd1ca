# hard.py HANDLER: what an interpreter goes through that a walk must survive. HANDLER:
# the library of handler.c. Prints a line for each.
import ctypes
import functools
import os
import sys
import threading
import time

print = functools.partial(print, flush=True)  # or forked children say it again


def work(n):
    return [bytes(600 + i) for i in range(n)] and n


def recurse(n):
    return work(3) if n == 0 else recurse(n - 1) + 0


def handlers():
    library = ctypes.CDLL(sys.argv[1])
    library.start()
    end = time.process_time() + 0.4
    while time.process_time() < end:
        recurse(40)
        sorted(range(50), key=lambda x: -work(2))
        list(map(recurse, [3, 4]))
        exec("def f():\n return work(2)\nf()", globals())
    print("handlers", library.calls() > 20)


def forks():
    for leave in "exit", "_exit":
        child = os.fork()
        if child == 0:
            recurse(20)
            threading.Thread(target=recurse, args=[10]).start()
            (sys.exit if leave == "exit" else os._exit)(7)
        status = os.waitpid(child, 0)[1]
        print("child", leave, os.WEXITSTATUS(status) if os.WIFEXITED(status) else -status)


def code_objects():
    for i in range(20000):
        exec("def f(x):\n return [x, x]\nf(%d)" % i, {})
    print("code objects")


class Late:
    def __del__(self):
        recurse(10)


def forever():
    # Without the GIL most of the time, and in the middle of it when all ends.
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    while True:
        for _ in range(50):
            libc.free(libc.malloc(900))
        work(2)


sys.setrecursionlimit(3000)
handlers()
forks()
code_objects()
late = [Late()]
late.append(late)
for _ in range(3):
    threading.Thread(target=forever, daemon=True).start()
time.sleep(0.05)
print("end", recurse(2000))
