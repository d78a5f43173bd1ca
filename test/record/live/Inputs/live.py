"""What the tests of live recordings share."""

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time

# The recordings of this test alone; a socket's path is short.
folder = tempfile.mkdtemp(prefix="memkit-test-")
os.environ["XDG_RUNTIME_DIR"] = folder
atexit.register(shutil.rmtree, folder, True)


def socket_of(memrec):
    return f"{folder}/memkit/{memrec.pid}.sock"


def run(*command, status=0):
    """The output and the errors of a tool; it must end with this status."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


@contextlib.contextmanager
def recording(*command, **options):
    """memrec that runs; gives its process."""
    memrec = subprocess.Popen(["memrec", "-q", *command], start_new_session=True, **options)
    try:
        yield memrec
    finally:
        memrec.terminate()
        memrec.wait(timeout=300)
        # The program goes on without memrec.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(memrec.pid, signal.SIGKILL)


def wait_for(memrec, text):
    """Waits until memstat says text of the recording."""
    for _ in range(1200):
        done = subprocess.run(["memstat", f"live:{memrec.pid}"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        if text in done.stdout:
            return
        time.sleep(0.05)
    raise AssertionError("no recording")
