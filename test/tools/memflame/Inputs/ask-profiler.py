# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ask-profiler.py NODE PROFILER_CLI FILE COMMAND...: what the Firefox Profiler's own code finds in FILE.

Each COMMAND is one argument, `thread functions`. profiler-cli answers through a process in the
background, which ends with this script."""

import os
import subprocess
import sys
import tempfile

node, cli, path, *commands = sys.argv[1:]
with tempfile.TemporaryDirectory(prefix="memkit-pq-") as folder:
    environment = dict(os.environ, PROFILER_CLI_SESSION_DIR=folder, HOME=folder)

    def ask(*words):
        print("$", *words if words[0] != "load" else ["load"], flush=True)
        return subprocess.run([node, cli, *words], env=environment, timeout=120).returncode

    try:
        status = ask("load", path)
        for command in commands:
            status = status or ask(*command.split())
    finally:
        ask("stop", "--all")
sys.exit(status)
