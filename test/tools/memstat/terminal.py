# On a terminal: colour for what needs a look, unless NO_COLOR is set; the terminal's width; no
# format for programs.
#
# RUN: memas --summarize %S/Inputs/growth.mas -o %t.fb
# RUN: %python %s %t.fb
import os
import pty
import re
import struct
import fcntl
import subprocess
import sys
import termios


def run(command, columns=80, **variables):
    """The status of a command on a terminal of so many columns, and its output."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **variables}
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
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


trace = sys.argv[1]
status, text = run(["memstat", trace])
assert status == 0 and re.search("\x1b\\[[0-9;]*31m  ! grows", text), text
status, text = run(["memstat", trace], NO_COLOR="1")
assert status == 0 and "  ! grows" in text and "\x1b" not in text, text
for columns in (60, 80, 120):
    status, text = run(["memstat", trace], columns, NO_COLOR="1")
    assert status == 0 and max(map(len, text.splitlines())) <= columns, (columns, text)
    status, text = run(["memleak", trace], columns, NO_COLOR="1")
    assert status == 0 and max(map(len, text.splitlines())) <= columns, (columns, text)
status, text = run(["memflame", trace])
assert status == 2 and "use -o FILE or a pipe" in text, (status, text)
status, text = run(["memflame", "--format=collapsed", trace])
assert status == 0 and ";" in text, (status, text)
