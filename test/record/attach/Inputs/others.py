"""A program that others wrote, at work, to attach to: others.py node | postgres FOLDER.

Prints `ready PID`. At SIGTERM: what it answered, and how often wrong.
"""

import glob
import os
import shutil
import signal
import subprocess
import sys
import threading

# Each line that comes is worked upon and answered; the memory is V8's and the addons'.
NODE = r"""
const kept = [];
require('readline').createInterface({input: process.stdin}).on('line', line => {
  const n = Number(line), blocks = [];
  for (let i = 1; i <= 50; i++) blocks.push(Buffer.alloc(i * 997, n % 251));
  if (n % 10 == 0) kept.push(Buffer.alloc(10000, 7));
  const sum = blocks.reduce((s, b) => s + b[0] + b[b.length - 1], 0);
  require('zlib').deflate(Buffer.concat(blocks), (error, packed) => {
    const same = !error && require('zlib').inflateSync(packed).length == 997 * 1275;
    console.log(same && kept.every(b => b[9999] == 7) ? sum : -1);
  });
});
"""


class Node:
    def __init__(self):
        self.process = subprocess.Popen(["node", "-e", NODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def asks(self, number):
        return str(number)

    def answer(self, number):
        return str(100 * (number % 251))

    def end(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


class Postgres:
    """A backend: what a client asks in one connection."""

    def __init__(self, folder):
        bin = os.path.dirname(next(iter(glob.glob("/usr/lib/postgresql/*/bin/initdb")))) + "/"
        own = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        if own:
            shutil.chown(folder, "postgres")
        data = folder + "/data"
        subprocess.run(own + [bin + "initdb", "-A", "trust", "-U", "me", data], check=True, stdout=subprocess.DEVNULL)
        # The socket's path would be too long in a deep folder.
        self.socket = "/tmp/memkit-test-%d" % os.getpid()
        os.makedirs(self.socket)
        if own:
            shutil.chown(self.socket, "postgres")
        self.server = subprocess.Popen(own + [bin + "postgres", "-D", data, "-k", self.socket, "-c", "listen_addresses="],
                                       stderr=subprocess.DEVNULL)
        self.process = self.client()
        self.pid = int(self.ask("SELECT pg_backend_pid();"))

    def client(self):
        ready = ["pg_isready", "-q", "-h", self.socket, "-t", "1"]
        while subprocess.run(ready, check=False).returncode:
            pass
        return subprocess.Popen(["psql", "-qAt", "-h", self.socket, "-U", "me", "postgres"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def asks(self, number):
        return ("SELECT sum(length(s)) FROM (SELECT string_agg(repeat('x', i), ',' ORDER BY i DESC) AS s "
                "FROM generate_series(1, 500) i GROUP BY i %% %d) t;" % (number % 50 + 1))

    def answer(self, number):
        # In each group a comma between two.
        return str(125250 + 500 - (number % 50 + 1))

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        self.server.terminate()
        self.server.wait(timeout=60)
        shutil.rmtree(self.socket)
        return status


def main():
    ends = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ends.set())
    program = Node() if sys.argv[1] == "node" else Postgres(sys.argv[2])
    print("ready", program.pid, flush=True)
    number = wrong = 0
    while not ends.is_set():
        number += 1
        program.process.stdin.write(program.asks(number) + "\n")
        program.process.stdin.flush()
        wrong += program.process.stdout.readline().strip() != program.answer(number)
    status = program.end()
    print("answers %d" % number, file=sys.stderr)
    print("answers some, wrong %d, status %d" % (wrong, status))


main()
