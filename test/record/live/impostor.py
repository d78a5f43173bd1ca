# RUN: rm -rf %t && mkdir %t && cd %t && env PYTHONPATH=%S/Inputs %python %s
#
# A socket where somebody else answers in memrec's place: the tools say that the answer is not
# memrec's, or what is wrong with the trace; none crashes or hangs. Memory that is not sealed, has holes
# or is too much is refused at once, and costs the tool nothing.

import array
import fcntl
import os
import random
import socket
import struct
import subprocess
import threading
import time

from live import folder, run

random.seed(11)
run("memrec", "-q", "-o", "real.fb", "true")
with open("real.fb", "rb") as real:
    real = real.read()

os.makedirs(f"{folder}/memkit", mode=0o700, exist_ok=True)
path = f"{folder}/memkit/{os.getpid()}.sock"
listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(path)
listener.listen(8)


SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


def file_of(data, seals=SEALS, size=None):
    """Memory with this content, and holes up to a size."""
    fd = os.memfd_create("x", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if size is not None:
        os.ftruncate(fd, size)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    return fd


def some_bytes():
    kind = random.randrange(5)
    if kind == 0:
        return b""
    if kind == 1:
        return bytes(random.randrange(256) for _ in range(random.randrange(1, 2000)))
    if kind == 2:
        return real[:random.randrange(len(real))]
    if kind == 3:
        data = bytearray(real)
        for _ in range(random.randrange(1, 8)):
            data[random.randrange(len(data))] = random.randrange(256)
        return bytes(data)
    return struct.pack("<4Q", 0, 2**63, 1, 2**64 - 1) * random.randrange(1, 20)


def number():
    return random.choice([0, 1, 5, len(real), 2**31, 2**40, 2**63, 2**64 - 1, -1])


# What the recorder hands out instead, by the number of the descriptor.
planned = {}


def planned_answer(s):
    reply = f"ok\nbytes {len(real)}\nevents 1\nsince 0\ncells 0\n"
    fds = [planned[i]() if i in planned else file_of(real if i < 2 else b"") for i in range(4)]
    s.sendmsg([reply.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
    for fd in fds:
        os.close(fd)


def answer(s):
    while True:
        text = s.recv(65536)
        if not text:
            return
        if text == b"hello" and (planned or random.random() < 0.9):
            s.send(b"ok\nversion 3\npid 1\noutput x\ntime-ns 1\nrecording 1\ncommand x\n")
            continue
        if planned:
            planned_answer(s)
            continue
        reply = f"ok\nbytes {number()}\nevents {number()}\nsince {random.choice([0, 0, 0, number()])}\ncells {number()}\n"
        fds = [file_of(some_bytes()) for _ in range(random.choice([4, 4, 4, 4, 0, 2]))]
        if random.random() < 0.1:
            fds[:1] = [os.open(".", os.O_RDONLY)]
        if random.random() < 0.05:
            reply = "".join(chr(random.randrange(1, 128)) for _ in range(100))
        s.sendmsg([reply.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
        for fd in fds:
            os.close(fd)


def serve():
    while True:
        s, _ = listener.accept()
        try:
            answer(s)
        except OSError:
            pass
        finally:
            s.close()


threading.Thread(target=serve, daemon=True).start()
failed = 0
for round_ in range(120):
    tool = random.choice([["memstat"], ["memtop", "--once"], ["memdump"], ["memflame"]])
    done = subprocess.run([*tool, "live:"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode in (0, 1), (round_, tool, done)
    assert done.returncode == 0 or b"error: " in done.stderr, (round_, tool, done)
    failed += done.returncode and b"nothing is being recorded" not in done.stderr
assert failed > 60, failed


def refused(number, make, words):
    """The tool says so within a moment, and with the memory of a tool that reads a small trace."""
    planned.clear()
    planned[number] = make
    begin = time.monotonic()
    tool = subprocess.Popen(["memstat", "live:"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = tool.stderr.read().decode()
    _, status, used = os.wait4(tool.pid, 0)
    tool.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - begin
    assert tool.returncode == 1 and "error: live:" in said and words in said, (number, tool.returncode, said)
    assert took < 20 and used.ru_utime + used.ru_stime < 1, (number, took, used)
    assert used.ru_maxrss < 128 << 10, (number, used.ru_maxrss)


names = {1: "totals", 2: "rows", 3: "sections"}
for which, name in names.items():
    for size in (1 << 20, 6 << 30, 8 << 40):
        refused(which, lambda: file_of(b"", SEALS, size), f"the {name} are memory with holes")
    for seals in (0, fcntl.F_SEAL_SHRINK, SEALS & ~fcntl.F_SEAL_SHRINK):
        refused(which, lambda: file_of(real, seals), f"the {name} are not in sealed memory")
    for path in ("/dev/zero", "/proc/self/exe", "."):
        refused(which, lambda: os.open(path, os.O_RDONLY), f"the {name} are not in sealed memory")
refused(1, lambda: file_of(bytes(65 << 20)), "the totals have 68157440 bytes")
refused(0, lambda: os.open("/dev/zero", os.O_RDONLY), "shorter than its recorder says")
