# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that run until they are told to stop."""

import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

from program import HERE, PORT, Service, wait_for_port


class Script(Service):
    """A script of Inputs; if it is no server it makes a file when it is ready."""

    script = ""
    is_server = False
    culprit = "^remember$"

    def prepare(self):
        self.ready = os.path.join(self.folder, "ready")

    def command(self):
        return [sys.executable, os.path.join(HERE, self.script), self.mode,
                str(PORT) if self.is_server else self.ready]

    def is_ready(self):
        return super().is_ready() if self.is_server else os.path.exists(self.ready)


class Asyncio(Script):
    script = "sessions.py"
    is_server = True

    def load(self, stop):
        wait_for_port(PORT)

        def talk(number):
            with socket.create_connection(("127.0.0.1", PORT)) as peer:
                peer.sendall(b"hello %d\n" % number)
                peer.recv(100)

        self.each_5_ms(stop, talk)


class Clears(Service):
    """Frees all that it has when it is told to stop, in 0.3 s."""

    culprit = "keepJob"
    is_server = False

    def prepare(self):
        self.binary = os.path.join(self.folder, "clears")
        subprocess.run([self.cxx, "-g", "-O1", "-std=c++17", "-o", self.binary,
                        os.path.join(HERE, "clears.cpp")], check=True)

    def command(self):
        return [self.binary, self.mode]


class Torch(Script):
    script = "train.py"
    needs_modules = ("torch",)
    culprit = "^train$"


class Loader(Script):
    script = "loader.py"
    needs_modules = ("torch",)


class Infer(Script):
    script = "infer.py"
    needs_modules = ("torch",)
    is_server = True

    def load(self, stop):
        self.fetch_each_5_ms(stop)


class Frames(Script):
    script = "frames.py"
    needs_modules = ("pandas",)
    culprit = "^summarise$"
    kept_too = "^one_round$"  # the sums hold names of the table that was read


class Web(Service):
    needs_modules = ("gunicorn", "flask")
    culprit = "^remember$"

    def command(self):
        return [sys.executable, "-m", "gunicorn", "-w", "2", "--chdir", HERE, "-b", f"127.0.0.1:{PORT}",
                "--log-level", "error", f"web:app({self.mode == 'leak'})"]

    def load(self, stop):
        self.fetch_each_5_ms(stop)


class Planted(Service):
    """A program that is not ours: its leak is a library that it loads."""

    function, every = "write", 50
    culprit = "^plantBlock$"

    def plant(self):
        """A command before the program's own, which loads the leak."""
        if self.mode != "leak":
            return []
        library = os.path.join(self.folder, "plant.so")
        subprocess.run([self.cxx, "-xc", "-g", "-O1", "-shared", "-fPIC", f"-DPLANT_FUNCTION={self.function}",
                        "-o", library, os.path.join(HERE, "plant.c"), "-ldl"], check=True)
        return ["env", f"LD_PRELOAD={library}", f"PLANT_EVERY={self.every}"]


class Node(Planted):
    needs_programs = ("node",)
    function, every = "writev", 20

    def command(self):
        # A leak beside V8's heap, which grows until it is collected, cannot be told in 15 s.
        options = ["--expose-gc"] if self.mode == "leak" else []
        return self.plant() + ["node", *options, os.path.join(HERE, "server.js"), str(PORT)]

    def load(self, stop):
        self.fetch_each_5_ms(stop)


class Redis(Planted):
    """In the mode `keys` the store is the leak: each key is new."""

    modes = ("leak", "clean", "keys")
    loading_modes = ("keys",)
    needs_programs = ("redis-server",)

    def command(self):
        if self.mode == "keys":
            self.culprit = "redis"  # Debian's has no names of its functions
        return self.plant() + ["redis-server", "--port", str(PORT), "--save", "", "--dir", self.folder,
                               "--logfile", os.path.join(self.folder, "redis.log")]

    def load(self, stop):
        wait_for_port(PORT)
        with socket.create_connection(("127.0.0.1", PORT)) as peer:

            def store(number):
                for of in range(number * 10, number * 10 + 10):
                    key = of if self.mode == "keys" else of % 500
                    peer.sendall(b"SET key:%08d %s\r\n" % (key, b"v" * 200))
                    peer.recv(100)

            self.each_5_ms(stop, store)


class Postgres(Planted):
    """A session that prepares statements and drops each, but not in the mode `statements`."""

    modes = ("leak", "clean", "statements")
    loading_modes = ("statements",)
    stop_signal = signal.SIGINT  # SIGTERM would wait for its sessions
    function, every = "send", 5
    bin = os.path.dirname(os.path.realpath(shutil.which("initdb") or max(
        glob.glob("/usr/lib/postgresql/*/bin/initdb"), default=""))) + "/"

    @classmethod
    def missing(cls):
        return [] if os.path.exists(cls.bin + "initdb") and shutil.which("psql") else ["postgres"]

    def prefix(self):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []

    def prepare(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.data = os.path.join(self.folder, "data")
        subprocess.run(self.prefix() + [self.bin + "initdb", "-A", "trust", "-U", "me", self.data],
                       check=True, stdout=subprocess.DEVNULL)

    def command(self):
        if self.mode == "statements":
            # Freed contexts are used again, for whatever needs the next one.
            self.culprit, self.kept_too = "PrepareQuery|StorePreparedStatement|PrepareStatement", "ExecuteQuery"
        return self.plant() + [self.bin + "postgres", "-D", self.data, "-p", str(PORT), "-k", self.folder,
                               "-c", "listen_addresses=127.0.0.1", "-c", "logging_collector=off"]

    def load(self, stop):
        wait_for_port(PORT)
        time.sleep(1)
        psql = subprocess.Popen(["psql", "-q", "-h", "127.0.0.1", "-p", str(PORT), "-U", "me", "postgres"],
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, text=True)

        def prepare(number):
            psql.stdin.write(f"PREPARE p{number}(int) AS SELECT relname FROM pg_class WHERE oid = $1;\n"
                             f"EXECUTE p{number}(1);\n" +
                             ("" if self.mode == "statements" else f"DEALLOCATE p{number};\n"))
            psql.stdin.flush()

        self.each_5_ms(stop, prepare)
        psql.kill()


SERVICES = {"asyncio": Asyncio, "clears": Clears, "torch": Torch, "loader": Loader, "infer": Infer,
            "frames": Frames, "web": Web, "node": Node, "redis": Redis, "postgres": Postgres}
