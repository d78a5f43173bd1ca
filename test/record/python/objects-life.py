# What an interpreter goes through with its objects recorded: threads, forks, finalisers
# that run when all ends, tracemalloc that comes and goes over us or was there before,
# debug functions, an end by os._exit. Its output and status are those it has alone, and
# the sums are those of the events.
#
# REQUIRES: python
# RUN: %each_python memrec -q --python-objects -o %t.fb -- PYTHON %s end --- memdump --check %t.fb
# RUN: %each_python memrec -q --python-objects -o %t.fb -- PYTHON -X tracemalloc -X faulthandler %s end --- memdump --check %t.fb
# RUN: memrec -q --python-objects -o %t.fb -- %python %s exit && memdump --check %t.fb
# RUN: memrec -q --python-objects -o %t.fb -- %python -X dev %s end && memdump --check %t.fb
#
# What lives is written before the end, too, of objects in arenas and in malloc's blocks.
# RUN: memrec -q --python-objects -o %t.fb -- %python -I -S %s snapshots && memdump --check %t.fb | FileCheck %s --check-prefix=SNAPSHOTS
# SNAPSHOTS: {{[1-9][0-9]*}} snapshots
#
# A child's objects are its own; what it frees of its parent's is inherited.
# RUN: memrec -q --python-objects -o %t.fb -- %python %s child && memdump --check %t.fb
# RUN: memleak --heap=python.object --process='*(fork)' --stack=in_child --format=json %t.fb | FileCheck %s --check-prefix=CHILD
# CHILD: "blocks": 7777,
# RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=INHERITED
# INHERITED: "inherited_frees": {{[1-9][0-9]*}}
#
# Nothing is recorded between stop and start, and frees of what was are.
# RUN: memrec -q --python-objects -o %t.fb -- %python %s stop && memdump --check %t.fb
# RUN: memleak --heap=python.object --stack='unseen|seen' --format=json %t.fb | FileCheck %s --check-prefix=STOP
# STOP: "findings": [
# STOP: "blocks": 3333,
# STOP-NOT: "blocks": 4444,
#
# What cannot be.
# RUN: not memrec --python-objects --sample=1M -- true 2>&1 | FileCheck %s --check-prefix=SAMPLE
# SAMPLE: --python-objects cannot be combined with --sample
# RUN: not memrec -o %t.x.fb --heap=python.object -- true 2>&1 | FileCheck %s --check-prefix=ALONE
# ALONE: --heap=python.object needs --python-objects
import os
import sys
import threading
import tracemalloc


class Last:
    def __del__(self):
        # The interpreter is being finalised.
        self.made = [object() for i in range(1000)]


def work():
    for i in range(200):
        [object() for j in range(100)]


def in_child():
    return [object() for i in range(7777)]


def seen(n):
    return [object() for i in range(n)]


def unseen():
    return [object() for i in range(4444)]


def fork(then):
    pid = os.fork()
    if pid == 0:
        then()
    assert os.waitpid(pid, 0)[1] == 0


def child():
    global kept
    kept = in_child()
    parents.clear()
    os._exit(0)


what = sys.argv[1]
parents = seen(100)
if what == "child":
    fork(child)
elif what == "snapshots":
    kept = [bytes(1000) for i in range(100)]
    pool, n = [None] * 256, 1
    for i in range(150000):
        n = n * 1103515245 + 12345 & 0x7FFFFFFF
        pool[n >> 8 & 255] = bytes((n >> 12) % 700)
    os._exit(0)
elif what == "stop":
    import memkit
    kept = seen(3333)
    gone = seen(5555)
    memkit.stop()
    del gone
    hidden = unseen()
    memkit.start()
    os._exit(0)
else:
    threads = [threading.Thread(target=work) for i in range(8)]
    for t in threads:
        t.start()
    tracemalloc.start(5)
    work()
    tracemalloc.stop()
    for t in threads:
        t.join()
    last = Last()
    if what == "exit":
        os._exit(0)
