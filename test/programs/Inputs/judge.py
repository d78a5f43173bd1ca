# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records a real program with and without a planted leak, told to stop, killed, and
looked at while it runs, and compares what memleak says of its growth.

    judge.py PROGRAM CXX

PROGRAM is one of PROGRAMS, CXX a compiler. Prints a line for each run; the status is 0 only
when all six runs are right: a leak is found in the function that leaks, a clean run has no
growth. In both the program must have answered MIN_REQUESTS, if it is a server, and
memleak must have measured it."""

import contextlib
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOAD_SECONDS = 15
MIN_REQUESTS = 300
PORT = 20000 + os.getpid() % 10000  # below those that the kernel gives


def wait_for_port(port):
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


class Program:
    """What leaks is in a stack with a frame that `culprit` matches."""

    stop_signal = signal.SIGTERM
    is_server = True
    requests = 0

    def __init__(self, folder, leak, cxx):
        self.folder, self.leak, self.cxx = folder, leak, cxx
        self.mode = "leak" if leak else "clean"

    def prefix(self):
        return []

    def prepare(self):
        pass

    def load(self, stop):
        stop.wait()

    def each_5_ms(self, stop, request):
        try:
            while not stop.is_set():
                request(self.requests)
                self.requests += 1
                time.sleep(0.005)
        except OSError:
            pass  # the program is gone


class Asyncio(Program):
    culprit = "remember"

    def command(self):
        return [sys.executable, os.path.join(HERE, "sessions.py"), self.mode, str(PORT)]

    def load(self, stop):
        wait_for_port(PORT)

        def talk(number):
            with socket.create_connection(("127.0.0.1", PORT)) as peer:
                peer.sendall(b"hello %d\n" % number)
                peer.recv(100)

        self.each_5_ms(stop, talk)


class Clears(Program):
    """Frees all that it has when it is told to stop, in 0.3 s."""

    culprit = "keepJob"
    is_server = False

    def prepare(self):
        self.binary = os.path.join(self.folder, "clears")
        subprocess.run([self.cxx, "-g", "-O1", "-std=c++17", "-o", self.binary,
                        os.path.join(HERE, "clears.cpp")], check=True)

    def command(self):
        return [self.binary, self.mode]


class Torch(Program):
    culprit = "train"
    is_server = False

    def command(self):
        return [sys.executable, os.path.join(HERE, "train.py"), self.mode]

class Web(Program):
    culprit = "remember"

    def command(self):
        return [sys.executable, "-m", "gunicorn", "-w", "2", "--chdir", HERE, "-b", f"127.0.0.1:{PORT}",
                "--log-level", "error", f"web:app({self.leak})"]

    def load(self, stop):
        import urllib.request

        wait_for_port(PORT)
        self.each_5_ms(stop, lambda number: urllib.request.urlopen(
            f"http://127.0.0.1:{PORT}/?q={number}", timeout=10).read())


class Redis(Program):
    culprit = "redis"

    def command(self):
        return ["redis-server", "--port", str(PORT), "--save", "", "--dir", self.folder,
                "--logfile", os.path.join(self.folder, "redis.log")]

    def load(self, stop):
        wait_for_port(PORT)
        with socket.create_connection(("127.0.0.1", PORT)) as peer:

            def store(number):
                for of in range(number * 10, number * 10 + 10):
                    key = of if self.leak else of % 500
                    peer.sendall(b"SET key:%08d %s\r\n" % (key, b"v" * 200))
                    peer.recv(100)

            self.each_5_ms(stop, store)


class Postgres(Program):
    """A session that prepares statements; the clean one drops each."""

    stop_signal = signal.SIGINT  # SIGTERM would wait for its sessions
    culprit = "PrepareQuery|StorePreparedStatement|PrepareStatement"
    bin = os.path.dirname(os.path.realpath(shutil.which("initdb") or max(
        glob.glob("/usr/lib/postgresql/*/bin/initdb"), default=""))) + "/"

    def prefix(self):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []

    def prepare(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.data = os.path.join(self.folder, "data")
        subprocess.run(self.prefix() + [self.bin + "initdb", "-A", "trust", "-U", "me", self.data],
                       check=True, stdout=subprocess.DEVNULL)

    def command(self):
        return [self.bin + "postgres", "-D", self.data, "-p", str(PORT), "-k", self.folder,
                "-c", "listen_addresses=127.0.0.1", "-c", "logging_collector=off"]

    def load(self, stop):
        wait_for_port(PORT)
        time.sleep(1)
        psql = subprocess.Popen(["psql", "-q", "-h", "127.0.0.1", "-p", str(PORT), "-U", "me", "postgres"],
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, text=True)

        def prepare(number):
            psql.stdin.write(f"PREPARE p{number}(int) AS SELECT relname FROM pg_class WHERE oid = $1;\n"
                             f"EXECUTE p{number}(1);\n" + ("" if self.leak else f"DEALLOCATE p{number};\n"))
            psql.stdin.flush()

        self.each_5_ms(stop, prepare)
        psql.kill()


PROGRAMS = {"asyncio": Asyncio, "clears": Clears, "torch": Torch, "web": Web, "redis": Redis,
            "postgres": Postgres}


def growth_of(trace):
    """The growth findings of the trace, and in how many intervals memleak measured most."""
    said = subprocess.run(["memleak", "--kind=growth", "--top=0", "--format=json", trace],
                          capture_output=True, text=True)
    if said.returncode:
        sys.exit(f"memleak {trace}: status {said.returncode}: {said.stderr}")
    report = json.loads(said.stdout)
    return report["findings"], max((span["points"] for span in report["growth"]["measured"]), default=0)


def stop_program(recorder, signal_number):
    """Stops what memrec records; memrec writes the trace's end and follows."""
    children = subprocess.run(["pgrep", "-P", str(recorder.pid)], capture_output=True, text=True)
    program = int(children.stdout.split()[0])
    os.kill(program, signal_number)
    recorder.wait(60)


def run(kind, leak, way, cxx):
    # Not below TMPDIR: lit's is closed to other users, as postgres is.
    folder = tempfile.mkdtemp(prefix="memkit-programs-", dir="/tmp")
    os.chmod(folder, 0o755)
    trace = os.path.join(folder, "trace.fb")
    recorder = None
    try:
        program = kind(folder, leak, cxx)
        program.prepare()
        recorder = subprocess.Popen(program.prefix() + ["memrec", "-q", "-o", trace, "--"] + program.command(),
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    start_new_session=True)
        stop = threading.Event()
        load = threading.Thread(target=program.load, args=[stop])
        load.daemon = True
        load.start()
        time.sleep(LOAD_SECONDS + (10 if kind is Torch else 0))
        seen = growth_of(trace) if way == "live" else None
        # The load goes on: what a program has stopped doing is no growth to its end.
        stop_program(recorder, signal.SIGKILL if way == "killed" else kind.stop_signal)
        stop.set()
        load.join(20)
        findings, intervals = seen or growth_of(trace)
        right = [f for f in findings if re.search(kind.culprit, json.dumps(f))]
        ran = intervals >= 20 and (program.requests >= MIN_REQUESTS or not kind.is_server)
        good = ran and (bool(right) if leak else not findings)
        print(f"{kind.__name__} {program.mode}, {way}: {program.requests} requests, {intervals} intervals,"
              f" {len(findings)} places grow, {len(right)} of the leak: {'right' if good else 'WRONG'}", flush=True)
        if not good:
            subprocess.run(["memleak", "--kind=growth", "--top=3", trace])
        return good
    finally:
        if recorder:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(recorder.pid, signal.SIGKILL)  # its session, where it still runs
        shutil.rmtree(folder, ignore_errors=True)


def main():
    kind, cxx = PROGRAMS[sys.argv[1]], sys.argv[2]
    runs = [run(kind, leak, way, cxx) for leak in (True, False) for way in ("stopped", "killed", "live")]
    print(f"{sum(runs)} of {len(runs)} right")
    sys.exit(0 if all(runs) else 1)


main()
