# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What judge.py must know of a program."""

import importlib.util
import os
import re
import shutil
import signal
import socket
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 20000 + os.getpid() % 10000  # below those that the kernel gives


def wait_for_port(port):
    for _ in range(1200):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens on port {port}")


class Program:
    """A run of a program in one of its modes: `clean`, or a leak in a stack with a function
    that `culprit` matches; what it keeps beside that has a function that `kept_too` matches.
    `folder` is the run's own, `inputs` is for files that all runs read."""

    modes = ("leak", "clean")
    ways = ("exit", "live", "killed", "busy")
    needs_programs = ()
    needs_modules = ()
    culprit = kept_too = "^$"
    loading_modes = ()  # which keep more than a tenth of what they allocate

    def __init__(self, mode, folder, inputs, cxx):
        self.mode, self.folder, self.inputs, self.cxx = mode, folder, inputs, cxx

    @classmethod
    def missing(cls):
        """The names of what this machine lacks."""
        return [name for name in cls.needs_programs if not shutil.which(name)] + [
            name for name in cls.needs_modules if not importlib.util.find_spec(name)]

    def prefix(self):
        return []

    def prepare(self):
        pass

    def place_of(self, finding):
        """`culprit`, `beside` where the leak may be seen, too, or `elsewhere`."""
        functions = [frame["function"] or "" for frame in finding["stack"]]
        if any(re.search(self.culprit, function) for function in functions):
            return "culprit"
        # Which lines own growing arenas is not known.
        if finding.get("python_arenas") or any(re.search(self.kept_too, function) for function in functions):
            return "beside"
        return "elsewhere"


class Service(Program):
    """Runs until it is told to stop, `load_seconds` after it was ready."""

    stop_signal = signal.SIGTERM
    is_server = True
    load_seconds = 15
    requests = 0

    def is_ready(self):
        return self.requests > 0 or not self.is_server

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

    def fetch_each_5_ms(self, stop):
        import urllib.request

        wait_for_port(PORT)
        self.each_5_ms(stop, lambda number: urllib.request.urlopen(
            f"http://127.0.0.1:{PORT}/?q={number}", timeout=10).read())
