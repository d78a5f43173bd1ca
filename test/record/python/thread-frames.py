# Python takes memory for the frames of a thread (16 KiB, from 3.11 on) before the thread has
# a frame. It belongs to the line that starts the thread, in all versions, with and without
# names of the interpreter's functions (Debian's has none).
#
# REQUIRES: python
# RUN: for p in %pythons /usr/bin/python3; do \
# RUN:   memrec -q -o %t.fb -- $p %s || exit 1; \
# RUN:   memdump -q --table=lines --format=csv %t.fb | grep thread-frames || exit 1; \
# RUN: done > %t.out
# RUN: %python %s check < %t.out
import re
import sys
import threading

THREADS = 40


def wait():
    done.wait()


def start():
    t = threading.Thread(target=wait, daemon=True)
    t.start()


if sys.argv[1:] == ["check"]:
    versions = re.split(r"^version ", sys.stdin.read(), flags=re.M)[1:]
    assert len(versions) >= 2, versions
    for rows in versions:
        minor = int(rows.split(".")[1].split()[0])
        line = r"^host\.mmap,thread-frames\.py:24 start,%d,0,0,%d," % (THREADS, THREADS << 14)
        assert minor < 11 or re.search(line, rows, flags=re.M), rows
    raise SystemExit
print("version %d.%d" % sys.version_info[:2], flush=True)
done = threading.Event()
for i in range(THREADS):
    start()
done.set()
