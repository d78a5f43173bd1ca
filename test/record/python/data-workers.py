# Workers of DataLoaders, told by the function that runs them, are numbered from 0 in
# the order in which each process starts those that run at a time.
#
# REQUIRES: python3.11
# RUN: memrec -q -o %t.fb -- %python3.11 %s %t.folder
# RUN: memdump --summary %t.fb | FileCheck %s
# RUN: memleak -v --process='data-workers.py (DataLoader worker 1)' %t.fb | FileCheck %s --check-prefix=ONE
#
# CHECK: exit 0 data-workers.py {{[^(]}}
# CHECK: exit 0 data-workers.py (DataLoader worker 0)
# CHECK: exit 0 data-workers.py (DataLoader worker 1)
# CHECK: exit 0 data-workers.py (DataLoader worker 2)
# CHECK: exit 0 data-workers.py (fork)
# CHECK: exit 0 data-workers.py (DataLoader worker 0)
# CHECK: exit 0 data-workers.py (DataLoader worker 1)
# CHECK-NOT: DataLoader
# ONE: live at the end
import multiprocessing
import os
import sys

CODE = """
def _worker_loop(ready, end):
    kept = [bytearray(100000) for _ in range(10)]
    ready.set()
    end.wait()
"""


def run(count):
    """As one epoch of a DataLoader: COUNT workers at a time."""
    end = fork.Event()
    started = []
    for _ in range(count):
        ready = fork.Event()
        started.append(fork.Process(target=names["_worker_loop"], args=(ready, end)))
        started[-1].start()
        ready.wait()
    end.set()
    for process in started:
        process.join()


if __name__ == "__main__":
    folder = os.path.join(sys.argv[1], "torch/utils/data/_utils")
    names = {}
    exec(compile(CODE, os.path.join(folder, "worker.py"), "exec"), names)
    fork = multiprocessing.get_context("fork")
    run(3)
    other = fork.Process(target=len, args=((),))
    other.start()
    other.join()
    run(2)
