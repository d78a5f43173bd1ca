"""Attaches to a program, in several ways, and says what became of both.

attach.py WAY TRACE -- PROGRAM...

WAY: once, once:OPTION,OPTION... (of memrec); told, told:OPTION,... (until the program prints a line); tree (with the
processes below it); watch (by memtop); interrupt (Ctrl-C detaches); cycles:N, cycles:N,OPTION,...; kills:N (memrec,
its process that attaches, or both are killed at a random moment); ends (the program ends
meanwhile).
"""

import os
import random
import re
import signal
import subprocess
import sys
import time


class Target:
    """The program, which prints `ready`, or `ready NUMBER` of another process, and ends at SIGTERM."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        ready, _, pid = self.process.stdout.readline().strip().partition(" ")
        assert ready == "ready"
        self.pid = int(pid or self.process.pid)

    def shared_maps(self):
        """The mappings of a recording that the program has."""
        with open("/proc/%d/maps" % self.pid) as maps:
            return sum("memfd:memkit" in line for line in maps)

    def end(self):
        self.process.terminate()
        print("the program:", self.process.communicate(timeout=120)[0].strip())
        print("the program's status:", self.process.returncode)


def attach(target, trace, *options):
    return subprocess.Popen(["memrec", "-p", str(target.pid), "-o", trace, *options],
                            stderr=subprocess.PIPE, text=True)


def finish(memrec):
    said = memrec.communicate(timeout=120)[1]
    return memrec.returncode, said


def once(target, trace, options=""):
    # Of one option the last counts.
    status, said = finish(attach(target, trace, "--for=500ms", *filter(None, options.split(","))))
    print(said, end="")
    print("memrec's status:", status)


def told(target, trace, options=""):
    """Detaches when the program has printed another line."""
    memrec = attach(target, trace, "--no-census", *filter(None, options.split(",")))
    wait_for_attached(memrec)
    print("the program says:", target.process.stdout.readline().strip())
    time.sleep(0.3)
    memrec.send_signal(signal.SIGINT)
    status, said = finish(memrec)
    print(said, end="")
    print("memrec's status:", status)


def tree(target, trace):
    status, said = finish(attach(target, trace, "--children", "--for=1s"))
    print(said, end="")
    print("memrec's status:", status)


def watch(target, trace):
    shown = subprocess.run(["memtop", "-p", str(target.pid), "--once", "--interval=3s", "--size=100x30", "-o", trace],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(shown.stdout, end="")
    print("memtop's status:", shown.returncode)
    # memrec ends with memtop, however that ends, and detaches.
    memtop = subprocess.Popen(["memtop", "-p", str(target.pid), "--format=json"], stdout=subprocess.PIPE)
    memtop.stdout.readline()
    memtop.kill()
    memtop.wait()
    end = time.monotonic() + 60
    while target.shared_maps() and time.monotonic() < end:
        time.sleep(0.05)
    print("mappings left:", target.shared_maps())


def wait_for_attached(memrec):
    """Reads what memrec says until it has attached."""
    line = memrec.stderr.readline()
    assert "attached to process" in line, line


def interrupt(target, trace):
    memrec = attach(target, trace)
    wait_for_attached(memrec)
    time.sleep(0.3)
    memrec.send_signal(signal.SIGINT)
    status, said = finish(memrec)
    print(said, end="")
    print("memrec's status:", status)


def ends(target, trace):
    memrec = attach(target, trace)
    wait_for_attached(memrec)
    target.end()
    status, said = finish(memrec)
    print(said, end="")
    print("memrec's status:", status)


def longest_pauses(said):
    """In ms: attaching, detaching."""
    unit = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}
    return [float(number) * unit[of] for number, of in
            re.findall(r"stood for ([0-9.]+) (ns|us|ms|s)", said)]


def cycles(target, trace, arguments):
    count, *options = str(arguments).split(",")
    good, pauses = 0, []
    for _ in range(int(count)):
        status, said = finish(attach(target, trace, "--for=20ms", *options))
        if status or "detached" not in said:
            print(said)
        else:
            good += 1
            pauses.append(longest_pauses(said))
    print("cycles:", good)
    for at, name in enumerate(("attach", "detach")):
        ordered = sorted(p[at] for p in pauses)
        # For the reader; the machine's other work decides.
        print("%s: median %.1f ms, longest %.1f ms" %
              (name, ordered[len(ordered) // 2], ordered[-1]), file=sys.stderr)
    print("mappings left:", target.shared_maps())


def tracer_of(memrec):
    """memrec's process that attaches; None: it has not begun, or has ended."""
    try:
        with open("/proc/%d/task/%d/children" % (memrec.pid, memrec.pid)) as children:
            for child in children.read().split():
                with open("/proc/%s/comm" % child) as name:
                    if name.read() == "memrec-attach\n":
                        return int(child)
    except OSError:
        pass
    return None


def kill(pid):
    try:
        if pid:
            os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kills(target, trace, count):
    chance = random.Random(1)
    for _ in range(count):
        memrec = attach(target, trace, "--for=200ms")
        time.sleep(chance.uniform(0, 0.5))
        victim = chance.choice(("memrec", "tracer", "both"))
        if victim != "memrec":
            kill(tracer_of(memrec))
        if victim != "tracer":
            memrec.kill()
        finish(memrec)
        if target.process.poll() is not None:
            print("the program has died")
            return
    # Attaching again finds what was left, and puts it right.
    status, said = finish(attach(target, trace, "--for=200ms"))
    if status:
        print(said, end="")
    print("memrec's status:", status)
    print("mappings left:", target.shared_maps())


def main():
    # A shell that starts this in the background has SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    way, _, count = sys.argv[1].partition(":")
    target = Target(sys.argv[4:])
    arguments = (int(count) if count.isdigit() else count,) if count else ()
    globals()[way](target, sys.argv[2], *arguments)
    if way != "ends":
        target.end()


if __name__ == "__main__":
    main()
