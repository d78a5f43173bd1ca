# REQUIRES: root
# RUN: env PYTHONPATH=%S/Inputs %python %s
#
# What other users put into /tmp does not concern `live:`: folders and sockets that are theirs are
# not asked, a queue that nobody accepts holds nobody up, and root asks another user's recording
# only by its process id, without taking memory that the other side does not have.

import array
import fcntl
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time

STRANGER = 54323
made = []


def plant(user, number):
    """A folder of a stranger with the name of a user's, and its socket."""
    folder = tempfile.mkdtemp(prefix=f"memkit-{user}-", dir="/tmp")
    made.append(folder)
    path = f"{folder}/{number}.sock"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(1)
    os.chmod(path, 0o777)
    os.chown(path, STRANGER, STRANGER)
    os.chown(folder, STRANGER, STRANGER)
    os.chmod(folder, 0o755)
    return listener, path, folder


def memstat(target, user=0, kilobytes=0):
    limit = f"ulimit -v {kilobytes}; " if kilobytes else ""
    began = time.monotonic()
    done = subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "sh", "-c",
                           f"{limit}exec \"$@\"", "sh", shutil.which("memstat"), target],
                          capture_output=True, text=True, timeout=100, env={**os.environ, "XDG_RUNTIME_DIR": ""})
    return done, time.monotonic() - began


try:
    for user in 0, 54321:
        listener, path, folder = plant(user, 1)
        # The queue is full, and nobody accepts.
        waiting = []
        for _ in range(4):
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.setblocking(False)
            waiting.append(s)
            try:
                s.connect(path)
            except BlockingIOError:
                break
        done, seconds = memstat("live:", user)
        assert done.returncode == 1 and "nothing is being recorded" in done.stderr, done
        assert seconds < 8, seconds
        # Also where the folder is the user's own: the queue alone is an error at once.
        os.chown(folder, user, user)
        os.chmod(folder, 0o700)
        done, seconds = memstat("live:", user)
        assert done.returncode == 1 and seconds < 8, (done, seconds)
        listener.close()

    # A false recorder: root takes no memory that is not there, and no file that may change.
    listener, path, folder = plant(0, os.getpid())
    os.chown(folder, 0, 0)
    os.chmod(folder, 0o700)
    sizes = [(8 << 40, True), (6 << 30, True), (4096, False)]

    def answer():
        while True:
            s, _ = listener.accept()
            while text := s.recv(65536):
                if text == b"hello":
                    s.send(b"ok\nversion 2\npid 1\noutput x\ntime-ns 1\nrecording 1\ncommand x\x1b]0;PWN\x07\n")
                    continue
                size, is_sealed = sizes[0]
                fds = [os.memfd_create("x", os.MFD_ALLOW_SEALING) for _ in range(4)]
                for fd in fds:
                    os.truncate(fd, size)
                    if is_sealed:
                        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_WRITE)
                s.sendmsg([b"ok\nbytes 0\nevents 1\nsince 0\ncells 0\n"],
                          [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
                for fd in fds:
                    os.close(fd)
            s.close()

    threading.Thread(target=answer, daemon=True).start()
    while sizes:
        done, seconds = memstat(f"live:{os.getpid()}", kilobytes=4 << 20)
        assert done.returncode == 1 and "an answer that is not memrec's: a file" in done.stderr, done
        assert seconds < 8, seconds
        sizes.pop(0)
finally:
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)
