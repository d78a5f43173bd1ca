"""Tries to attach to what memrec must refuse, and looks whether it goes on."""

import ctypes
import os
import signal
import subprocess
import sys
import time

folder, compiler = sys.argv[1], sys.argv[2:]
os.makedirs(folder, exist_ok=True)
PTRACE_SEIZE = 0x4206
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]

FILTERED = """
import ctypes, time
libc = ctypes.CDLL(None)
class Filter(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filters", ctypes.POINTER(Filter))]
libc.prctl(38, 1, 0, 0, 0)
# mremap kills.
filters = (Filter * 4)(Filter(0x20, 0, 0, 0), Filter(0x15, 0, 1, 25), Filter(6, 0, 0, 0x80000000), Filter(6, 0, 0, 0x7fff0000))
assert libc.prctl(22, 2, ctypes.byref(Program(4, filters))) == 0
print("ready", flush=True)
time.sleep(300)
"""


def attach(name, target, *options):
    result = subprocess.run(["memrec", "-p", str(target), "--for=1s", "-o", folder + "/t.fb", *options],
                            stderr=subprocess.PIPE, text=True, timeout=60)
    said = result.stderr.strip().splitlines()[0].replace("memrec: error: ", "")
    print("%s: %d %s" % (name, result.returncode, said), flush=True)


def zombie():
    child = os.fork()
    if child == 0:
        os._exit(0)
    time.sleep(0.2)
    attach("zombie", child)
    os.waitpid(child, 0)


WAITS = "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n"
OWN = """#include <stddef.h>
static char Room[1 << 20];
static size_t At;
void *malloc(size_t N) { size_t Is = At; At += (N + 31) / 16 * 16; return Room + Is; }
void free(void *P) { (void)P; }
void *calloc(size_t N, size_t M) { return malloc(N * M); }
void *realloc(void *P, size_t N) { (void)P; return malloc(N); }
""" + WAITS
# The child ends with its parent.
FORKS = """#include <sys/prctl.h>
#include <unistd.h>
int main(void) { if (vfork() == 0) { prctl(PR_SET_PDEATHSIG, 9); for (;;) pause(); } return 0; }
"""


def build(name, *options, source=WAITS):
    file = folder + "/" + name + ".c"
    with open(file, "w") as to:
        to.write(source)
    subprocess.run([*compiler, file, "-o", folder + "/" + name, *options], check=True)
    return folder + "/" + name


def main():
    started = []

    def start(*command, **more):
        started.append(subprocess.Popen(command, **more))
        time.sleep(0.2)
        return started[-1]

    attach("nobody", 4194305)
    attach("no name", "no-such-program")
    attach("nothing", "")
    # No other run of this test has the name.
    name = "two-of-%d" % os.getpid()
    two = build(name)
    start(two)
    start(two)
    attach("several", name)
    sleep = start("sleep", "300")
    sleep.send_signal(signal.SIGSTOP)
    while " T " not in open("/proc/%d/stat" % sleep.pid).read():
        time.sleep(0.01)
    attach("stopped", sleep.pid)
    sleep.send_signal(signal.SIGCONT)
    zombie()
    assert libc.ptrace(PTRACE_SEIZE, sleep.pid, None, None) == 0
    attach("traced", sleep.pid)
    if os.path.exists("/proc/2/comm"):
        attach("kernel", 2)
    else:
        print("kernel: 125 process 2 (kthreadd) is a thread of the kernel, which has no memory of its own")
    attach("static", start(build("static", "-static")).pid)
    attach("own", start(build("own", source=OWN)).pid, "--no-private")
    attach("sanitizer", start(build("checked", "-fsanitize=address")).pid)
    attach("vfork", start(build("forks", source=FORKS)).pid)
    filtered = start(sys.executable, "-c", FILTERED, stdout=subprocess.PIPE, text=True)
    assert filtered.stdout.readline() == "ready\n"
    attach("seccomp", filtered.pid)
    print("all others go on" if all(p.poll() is None for p in started) else "one has ended")
    for process in started:
        process.kill()


main()
