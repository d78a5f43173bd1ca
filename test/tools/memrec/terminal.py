# At a terminal memrec says what it records, then how it goes, in whole lines: the program
# writes there, too. Elsewhere, and with -q, it is quiet.
#
# RUN: %python %s %t.fb
import os
import pty
import re
import subprocess
import sys

output = sys.argv[1]


def run(*options, seconds=0.1, at_terminal=True):
    """What memrec and the program print."""
    main, terminal = pty.openpty()
    command = ["memrec", *options, "-o", output, "sleep", str(seconds)]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal,
                               stderr=terminal if at_terminal else subprocess.PIPE)
    os.close(terminal)
    if not at_terminal:
        return process.communicate()[1].decode()
    text = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        text += piece
    process.wait()
    return text.decode().replace("\r\n", "\n")


lines = run(seconds=5.7).splitlines()
assert lines[0] == f"memrec: recording sleep 5.7 to {output}", lines
assert re.fullmatch(r"memrec: 5(\.\d+)? s: live .+, peak .+; trace .+", lines[1]), lines
assert len(lines) == 3 and "next: memstat" in lines[2], lines
assert "recording" not in run(at_terminal=False)
assert run("-q") == ""
