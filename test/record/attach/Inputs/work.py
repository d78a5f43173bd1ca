"""A program of Python to attach to: threads that make blocks and code objects."""

import ctypes
import json
import signal
import sys
import threading
import time

stop = False
rounds = errors = 0
finders = list(sys.meta_path)
# The place of tp_dealloc in the type of code objects.
CODE = type((lambda: 0).__code__)
deallocator = ctypes.c_void_p.from_address(id(CODE) + 48)
own = deallocator.value


def make_blocks():
    return [bytearray(1000 + size) for size in range(50)]


def turn():
    global rounds, errors
    while not stop:
        if sum(map(len, make_blocks())) != sum(range(1000, 1050)):
            errors += 1
        values = {str(i): [i] * 50 for i in range(100)}
        if json.loads(json.dumps(values)) != values:
            errors += 1
        exec(compile("def f(): return %d" % rounds, "<made>", "exec"), {})
        rounds += 1
        time.sleep(0.002)


def end(*_):
    global stop
    stop = True


signal.signal(signal.SIGTERM, end)
threads = [threading.Thread(target=turn) for _ in range(3)]
for thread in threads:
    thread.start()
print("ready", flush=True)
while not stop:
    time.sleep(0.02)
for thread in threads:
    thread.join()
print("rounds %s, errors %d, deallocator of code objects: %s, finders: %s" % (
    "some" if rounds else "none", errors,
    "its own" if deallocator.value == own else "another",
    "its own" if sys.meta_path == finders else "others"))
sys.exit(errors != 0)
