"""What the tests of outputs share: every way to write a file, and users."""

import os
import shutil
import stat
import subprocess
import tempfile

# A folder that every user can reach, with a trace that every user can read.
folder = tempfile.mkdtemp(prefix="memkit-outputs-", dir="/tmp")
os.chmod(folder, 0o755)
os.environ["XDG_RUNTIME_DIR"] = ""
trace = folder + "/in.fb"
text = folder + "/in.mas"
profile = folder + "/in.prof"


def make_inputs(tests):
    """The inputs of COMMANDS. tests: the folder of the tests of tools."""
    shutil.copy(tests + "/memview/Inputs/two-lines.mas", text)
    subprocess.run(["memas", "--summarize", text, "-o", trace], check=True)
    shutil.copy(tests + "/memimport/Inputs/jax-memory.prof", profile)
    for path in (trace, text, profile):
        os.chmod(path, 0o644)


# Each writes its output to the path that follows. TRACES write traces.
TRACES = {
    "memas": ["memas", text, "-o"],
    "memmerge": ["memmerge", trace, trace, "-o"],
    "memimport": ["memimport", profile, "-o"],
    "memdump --redact": ["memdump", "--redact", trace, "-o"],
    "memstat --bundle": ["memstat", "--bundle", trace, "-o"],
    "memrec": ["memrec", "-q", "--force", "true", "-o"],
}
TEXTS = {
    "memstat": ["memstat", trace, "-o"],
    "memleak": ["memleak", trace, "-o"],
    "memflame": ["memflame", "--format=collapsed", trace, "-o"],
    "memview": ["memview", trace, "-o"],
    "memdiff": ["memdiff", "--format=text", trace, trace, "-o"],
    "memdump": ["memdump", "--summary", trace, "-o"],
}
COMMANDS = {**TRACES, **TEXTS}


def write(name, path, user=None, cwd=None):
    """Runs the command of this name; the finished process."""
    command = COMMANDS[name]
    if name == "memrec":  # options come before the program
        command = [*command[:3], "-o", path, command[3]]
    else:
        command = [*command, path]
    if user:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace", timeout=60, cwd=cwd or "/")


def put(path, content="secret plans\n", mode=0o644, user=None):
    """Makes a file with a content and a mode, of a user."""
    with open(path, "w", encoding="utf-8") as to:
        to.write(content)
    if user is not None:
        os.chown(path, user, user)
    os.chmod(path, mode)


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def read(path):
    with open(path, "rb") as of:
        return of.read()
