# RUN: %cc -O1 -g -fno-optimize-sibling-calls -pthread %S/Inputs/storm.c -o %t.exe
# RUN: rm -rf %t && mkdir %t && cd %t && env PYTHONPATH=%S/Inputs %python %s %t.exe
#
# Peers that send nonsense, leave in the middle, or come in great number do not harm the
# recording.

import array
import contextlib
import random
import socket
import subprocess
import sys
import time

from live import recording, run, socket_of, wait_for

random.seed(7)


def connect(memrec):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(socket_of(memrec))
    s.settimeout(30)
    return s


def ask(s, text):
    s.send(text)
    return s.recv(65536)


with recording("-o", "storm.fb", sys.argv[1], "1", "600") as memrec:
    wait_for(memrec, "storm.c:")
    with connect(memrec) as s:
        assert ask(s, b"hello").startswith(b"ok\nversion "), "no hello"
        for text in (b"nonsense", b"trace\0", b"mark", b"\xff" * 5000, b"hello hello", b"\0"):
            assert ask(s, text) == b"error an unknown request", text
        assert ask(s, b"mark a\nname\xff\x00" + b"x" * 5000) == b"ok\n"
        s.send(b"trace")
        s.close()  # before the answer
    # The recorder refuses some of so many.
    for _ in range(200):
        with connect(memrec) as s, contextlib.suppress(OSError):
            for _ in range(random.randrange(4)):
                s.send(bytes(random.randrange(256) for _ in range(random.randrange(1, 300))))
            if random.random() < 0.2:
                s.send(b"trace")
    # A flood of requests whose answers nobody takes, and descriptors that nobody asked for.
    with connect(memrec) as s:
        s.setblocking(False)
        try:
            for _ in range(10000):
                s.send(b"hello")
        except (BlockingIOError, ConnectionError):
            pass
    # The recorder may still have the connections from above, and refuse this one.
    for _ in range(200):
        with connect(memrec) as s, contextlib.suppress(OSError):
            fds = array.array("i", [0, 1, 2])
            s.sendmsg([b"hello"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
            if s.recv(65536).startswith(b"ok\n"):
                break
        time.sleep(0.05)
    else:
        raise AssertionError("no answer to a message with descriptors")
    # More readers than the recorder serves.
    many = [connect(memrec) for _ in range(40)]
    answers = 0
    for s in many:
        try:
            answers += ask(s, b"hello").startswith(b"ok\n")
        except OSError:
            pass
    assert 20 <= answers <= 32, answers
    for s in many:
        s.close()
    out, _ = run("memdump", "--check", f"live:{memrec.pid}")
    # Requests do what they say.
    with connect(memrec) as s:
        assert ask(s, b"mark by hand") == b"ok\n"
        assert ask(s, b"stop") == b"ok\n"
        assert ask(s, b"start") == b"ok\n"
        assert ask(s, b"finish") == b"ok\n"
    # The trace is whole, and memrec waits for the program, which goes on.
    for _ in range(600):
        if subprocess.run(["memdump", "--check", "storm.fb"], capture_output=True, check=False).returncode == 0:
            break
        time.sleep(0.1)
    assert memrec.poll() is None
run("memdump", "--check", "storm.fb")
run("memflame", "--format=collapsed", "--at=mark:by hand", "storm.fb")
