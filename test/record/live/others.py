# REQUIRES: other-users
# RUN: rm -rf %t && mkdir %t && chmod 777 %t && cd %t && env PYTHONPATH=%S/Inputs %python %s
#
# Only the user and root get an answer. A recording in other namespaces is found by a pid,
# that of memrec or of its program.

import os
import shutil
import subprocess

from live import recording, run, wait_for

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def as_nobody(*command):
    return subprocess.run([*NOBODY, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "XDG_RUNTIME_DIR": ""})


def pids(pattern):
    return subprocess.run(["pgrep", "-f", pattern], stdout=subprocess.PIPE, text=True).stdout.split()


with recording("-o", "ours.fb", "sleep", "600") as memrec:
    wait_for(memrec, "sleep")
    done = as_nobody("memstat", f"live:{memrec.pid}")
    assert done.returncode == 1, done
    assert done.stderr == f"memstat: error: live:{memrec.pid}: the process is another user's\n", done.stderr

# Root sees another user's recording.
theirs = subprocess.Popen([*NOBODY, shutil.which("memrec"), "-q", "-o", "theirs.fb", "sleep", "61"],
                          env={**os.environ, "XDG_RUNTIME_DIR": ""}, start_new_session=True)
wait_for(theirs, "sleep")
os.killpg(theirs.pid, 9)
theirs.wait()

# Namespaces of its own.
if subprocess.run(["unshare", "-rpmf", "--mount-proc", "true"], stderr=subprocess.DEVNULL).returncode == 0:
    seconds = f"62.{os.getpid()}"  # no other test's
    inside = subprocess.Popen(["unshare", "-rpmf", "--mount-proc", shutil.which("memrec"), "-q", "-o", "inside.fb",
                               "sleep", seconds], start_new_session=True)
    def is_of(pid):
        """Whether it is memrec, the child of unshare, or the program: memrec's helpers have its arguments at first."""
        try:
            with open(f"/proc/{pid}/stat") as file:
                name, rest = file.read().rsplit(")", 1)
        except OSError:
            return False
        return int(rest.split()[1]) == inside.pid or name.endswith("(sleep")

    found = []
    while len(found) < 2:
        found = [p for p in pids("sleep " + seconds) if is_of(p)]
    class Inside:
        pid = int(found[0])
    wait_for(Inside, "sleep")
    for pid in found:
        out, _ = run("memstat", f"live:{pid}")
        assert out.startswith("sleep: "), out
    os.killpg(inside.pid, 9)
    inside.wait()
