# RUN: rm -rf %t && mkdir %t && cd %t && env PYTHONPATH=%S/Inputs %python %s
#
# A socket where somebody else answers in memrec's place: the tools say that the answer is not
# memrec's, or what is wrong with the trace; none crashes or hangs.

import array
import fcntl
import os
import random
import socket
import struct
import subprocess
import threading

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


def file_of(data):
    fd = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    # A recorder's files are sealed; others are refused before they are read.
    if random.random() < 0.9:
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
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


def answer(s):
    while True:
        text = s.recv(65536)
        if not text:
            return
        if text == b"hello" and random.random() < 0.9:
            s.send(b"ok\nversion 2\npid 1\noutput x\ntime-ns 1\nrecording 1\ncommand x\n")
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
    done = subprocess.run([*tool, f"live:{os.getpid()}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode in (0, 1), (round_, tool, done)
    assert done.returncode == 0 or b"error: " in done.stderr, (round_, tool, done)
    failed += done.returncode
assert failed > 60, failed
