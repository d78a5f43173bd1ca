"""Runs a program in namespaces of its own below a root folder: container.py ROOT PROGRAM...

Prints `ready NUMBER` when the program prints `ready`, and passes its lines, SIGTERM and its status on.
"""

import ctypes
import os
import signal
import subprocess
import sys

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
libc = ctypes.CDLL(None, use_errno=True)


def must(result):
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def enter(root):
    must(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None))
    must(libc.mount(b"proc", (root + "/proc").encode(), b"proc", 0, None))
    os.chroot(root)
    os.chdir("/")


root = sys.argv[1]
must(libc.unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET))
program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True, env={}, preexec_fn=lambda: enter(root))
signal.signal(signal.SIGTERM, lambda *_: program.terminate())
for line in program.stdout:
    print(f"ready {program.pid}" if line == "ready\n" else line.rstrip(), flush=True)
sys.exit(program.wait())
