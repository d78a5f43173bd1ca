# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command on a terminal, for tests."""

import fcntl
import os
import pty
import struct
import subprocess
import termios


def run(command, columns=80, only_errors=False, **variables):
    """The status of a command on a terminal of so many columns, and its output: with
    only_errors, standard error alone is not the terminal, and is what is returned."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **variables}
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal,
                               stderr=subprocess.PIPE if only_errors else terminal, env=environment)
    os.close(terminal)
    if only_errors:
        text = process.communicate()[1]
        os.close(main)
        return process.returncode, text.decode()
    text = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(main)
    return process.wait(), text.decode().replace("\r\n", "\n")
