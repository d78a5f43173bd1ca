# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command while a debuginfod on a free port serves the files of a folder.

    with-debuginfod.py FOLDER BUILD-ID COMMAND...

Waits until the server has the file of BUILD-ID. The command gets DEBUGINFOD_URLS."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request


def has(url):
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def main():
    folder, build_id, *command = sys.argv[1:]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    # No servers above: the server would ask them for what it does not have.
    environment = {k: v for k, v in os.environ.items() if k != "DEBUGINFOD_URLS"}
    server = subprocess.Popen(["debuginfod", "-p", str(port), "-d", ":memory:", "-F", folder],
                              env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}"
        end = time.monotonic() + 60
        while not has(f"{url}/buildid/{build_id}/debuginfo"):
            if server.poll() is not None or time.monotonic() > end:
                sys.exit("the server has not started")
            time.sleep(0.1)
        return subprocess.run(command, env=dict(environment, DEBUGINFOD_URLS=url), check=False).returncode
    finally:
        server.kill()
        server.wait()


sys.exit(main())
