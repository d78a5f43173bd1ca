# REQUIRES: other-users
# RUN: rm -rf %t && mkdir %t && chmod 777 %t && cd %t && %python %s
#
# Another user makes folders and sockets where recordings are looked for. Nobody asks them, so nobody waits
# for them, root neither. All recordings of a user that do not answer take one time limit together.

import contextlib
import multiprocessing
import os
import shutil
import socket
import subprocess
import time

# Nobody else's, also not another run's of this test.
ALICE = 20000 + os.getpid() * 2 % 40000
MALLORY, ROOT = ALICE + 1, 0
NOTHING = "live: nothing is being recorded"
LIMIT = 5  # seconds, LongestGreeting
made = []


def as_user(user):
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []


def ask(user, target, tool="memstat"):
    """What a tool says, and how long it takes."""
    begin = time.monotonic()
    done = subprocess.run([*as_user(user), tool, *(["--once"] if tool == "memtop" else []), target], timeout=120,
                          env={**os.environ, "XDG_RUNTIME_DIR": "", "MEMKIT_RUNTIME_ONLY": ""}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout + done.stderr, time.monotonic() - begin


def impostor_of(user, folder, pid):
    """Answers for a process with words for a terminal. (A fork: the user may not reach this Python's files.)"""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    os.mkdir(folder, 0o700)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"{folder}/{pid}.sock")
    listener.listen(8)
    while True:
        client, _ = listener.accept()
        client.recv(100)
        client.send(b"error \x1b]0;owned\x07\nmemstat: all is well")


class Silent:
    """A socket that takes no connection, in a folder of a user; it counts as asked if anybody connects."""

    def __init__(self, owner, folder, mode, name="1.sock", full=False):
        self.folder = folder
        if not os.path.isdir(folder):
            os.mkdir(folder)
            made.append(folder)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(f"{folder}/{name}")
        self.socket.listen(0 if full else 8)
        self.clients = []
        while full:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            client.setblocking(False)
            try:
                client.connect(f"{folder}/{name}")
                self.clients.append(client)
            except BlockingIOError:
                break
        os.chmod(f"{folder}/{name}", 0o777)
        os.chown(f"{folder}/{name}", owner, owner)
        os.chown(folder, owner, owner)
        os.chmod(folder, mode)

    def was_asked(self):
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            self.socket.accept()
            return True
        return False


def clean():
    while made:
        path = made.pop()
        if os.path.islink(path):
            os.unlink(path)
        else:
            shutil.rmtree(path, True)


def record(user, *command):
    memrec = subprocess.Popen([*as_user(user), "memrec", "-q", "-o", f"of-{user}.fb", *command],
                              env={**os.environ, "XDG_RUNTIME_DIR": "", "MEMKIT_RUNTIME_ONLY": ""}, start_new_session=True)
    for _ in range(400):
        if "alices: " in ask(user, f"live:{memrec.pid}")[0]:
            return memrec
        time.sleep(0.05)
    raise AssertionError("no recording")


def end(memrec):
    os.killpg(memrec.pid, 9)
    memrec.wait()


shutil.copy(shutil.which("sleep"), "alices")
try:
    # Mallory's folders beside the place of a victim's, however they look.
    for victim in (ALICE, ROOT):
        open_ones = [Silent(MALLORY, f"/tmp/memkit-{victim}-test{mode:o}", mode) for mode in (0o777, 0o755, 0o700)]
        full = Silent(MALLORY, f"/tmp/memkit-{victim}-testfull", 0o777, full=True)
        theirs = Silent(victim, f"/tmp/memkit-{victim}-testopen", 0o777)
        hidden = Silent(victim, f"/tmp/elsewhere-{victim}", 0o700)
        os.symlink(hidden.folder, f"/tmp/memkit-{victim}-testlink")
        made.append(f"/tmp/memkit-{victim}-testlink")
        said, took = ask(victim, "live:")
        assert victim == ROOT or took < 3, (victim, took, said)
        assert victim == ROOT or NOTHING in said, said
        for each in (*open_ones, theirs, hidden):
            assert not each.was_asked(), (victim, each.folder)
        if victim == ALICE:
            # The victim's own recording is found beside them.
            memrec = record(ALICE, "./alices", "600")
            said, took = ask(ALICE, "live:")
            assert "alices: " in said and took < 3, (took, said)
            # Root reads it by its process id, and does not list it. (Other tests may record as root meanwhile.)
            said, took = ask(ROOT, f"live:{memrec.pid}")
            assert "alices: " in said and took < 3, (took, said)
            said, took = ask(ROOT, "live:")
            assert "alices: " not in said and f"live:{memrec.pid}" not in said, (took, said)
            # Mallory gets nothing.
            said, _ = ask(MALLORY, f"live:{memrec.pid}")
            assert "the process is another user's" in said, said
            end(memrec)
        clean()

    # The sockets of the user that do not answer take one limit together, with full ones and silent ones.
    silent = [Silent(ALICE, f"/tmp/memkit-{ALICE}-test", 0o700, f"{number + 1}.sock", full=number % 2)
              for number in range(4)]
    memrec = record(ALICE, "./alices", "600")
    said, took = ask(ALICE, "live:")
    assert "alices: " in said and took < 2 * LIMIT, (took, said)
    end(memrec)
    said, took = ask(ALICE, "live:")
    assert "live: the recorder does not answer" in said and LIMIT - 1 < took < 2 * LIMIT, (took, said)
    assert silent[0].was_asked() and silent[2].was_asked()
    clean()

    # Root asks for a process of Mallory's, who answers with words for a terminal, or not at all.
    folder = f"/tmp/memkit-{MALLORY}-test"
    asleep = subprocess.Popen([*as_user(MALLORY), "sleep", "120"])
    impostor = multiprocessing.get_context("fork").Process(target=impostor_of, args=(MALLORY, folder, asleep.pid))
    impostor.start()
    made.append(folder)
    while not os.path.exists(f"{folder}/{asleep.pid}.sock"):
        assert impostor.is_alive()
        time.sleep(0.02)
    time.sleep(0.2)
    said, took = ask(ROOT, f"live:{asleep.pid}")
    assert took < 3 and "\x1b" not in said and said.count("\n") == 1 and "all is well" in said, (took, said)
    impostor.kill()
    impostor.join()
    os.unlink(f"{folder}/{asleep.pid}.sock")
    # A socket of root's own in the folder of Mallory is not what was asked for.
    decoy = Silent(MALLORY, folder, 0o700, f"{asleep.pid}.sock")
    said, took = ask(ROOT, f"live:{asleep.pid}")
    assert took < 3 and "another user's" in said, (took, said)
    asleep.kill()
    asleep.wait()
finally:
    clean()
