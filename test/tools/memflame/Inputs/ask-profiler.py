# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ask-profiler.py NODE PROFILER_CLI FILE COMMAND...: what the Firefox Profiler's own code finds in FILE.

Each COMMAND is one argument, `thread functions`. profiler-cli answers through a process in the
background, which ends with this script. The script starts this process itself: `profiler-cli load`
gives up after half a second, which a busy machine needs for less."""

import os
import subprocess
import sys
import tempfile
import time


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


node, cli, path, *commands = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="memkit-pq-") as folder:
    environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=folder, HOME=folder)

    def ask(*words):
        return subprocess.run([node, cli, *words, "--session", "test"], env=environment, timeout=120,
                              capture_output=True, text=True)

    daemon = subprocess.Popen([node, cli, "--daemon", path, "--session", "test"], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # The daemon's log says when it can answer. A question before the daemon has written its session's file
        # ends the session: profiler-cli takes the session for a dead one and deletes the daemon's socket.
        log = os.path.join(folder, "test.log")
        deadline = time.monotonic() + 60
        while "Profile loaded successfully" not in (text := read(log)):
            if "[ERROR]" in text or time.monotonic() > deadline or daemon.poll() is not None:
                sys.exit(f"profiler-cli has not loaded the file: {' '.join(text.split())}")
            time.sleep(0.1)
        for command in commands:
            answer = ask(*command.split())
            print("$", command)
            print(answer.stdout + answer.stderr)
            if answer.returncode:
                sys.exit(1)
    finally:
        daemon.terminate()
        daemon.wait()
