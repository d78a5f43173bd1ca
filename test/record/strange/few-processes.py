# REQUIRES: root
# RUN: %python %s %t
#
# Where few processes and threads are allowed (ulimit -u, a control group of a container), memrec
# goes on with fewer threads, or leaves the program unrecorded; the program's status is memrec's in
# any case.

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Nobody else's, also not another run's of this test: the limit counts the user's processes.
USER = str(70000 + os.getpid() % 100000)
# TMPDIR and the build may be closed to other users.
with tempfile.TemporaryDirectory(prefix="memkit-few-", dir="/tmp") as folder:
    os.chmod(folder, 0o777)
    memrec = shutil.which("memrec")
    build = os.path.dirname(os.path.dirname(os.path.realpath(memrec)))
    for part in "bin/memrec", "lib/memkit":
        to = os.path.join(folder, part)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        (shutil.copytree if os.path.isdir(os.path.join(build, part)) else shutil.copy)(
            os.path.join(build, part), to)
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)

    def folders():
        """Of memrec's sockets."""
        return {name for name in glob.glob("/tmp/memrec-*") if os.stat(name).st_uid == int(USER)}

    before = folders()
    said = ""
    # What ended may still be counted for a moment.
    for processes in (*range(1, 9), 14):
        trace = f"{folder}/{processes}.fb"
        run = subprocess.run(
            ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups",
             "prlimit", f"--nproc={processes}", "--", f"{folder}/bin/memrec", "-o", trace,
             "sh", "-c", "sleep 0.2; exit 7" if processes > 2 else "exit 7"],
            cwd=folder, env={**os.environ, "TMPDIR": "/tmp", "XDG_RUNTIME_DIR": ""},
            capture_output=True, text=True)
        # The shell may lack its own process.
        assert run.returncode == 7 or (processes < 14 and "fork" in run.stderr), (processes, run)
        assert "out of memory" not in run.stderr, run.stderr
        if processes > 1 and os.path.exists(trace):
            subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
        said += run.stderr
    assert "runs in memrec's place, unrecorded" in said, said
    assert folders() <= before, folders() - before
    assert re.search("no thread may start here: functions appear as addresses", said), said
