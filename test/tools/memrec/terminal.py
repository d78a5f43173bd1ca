# At a terminal memrec says what it records, then how it goes, in whole lines: the program
# writes there, too. Elsewhere, and with -q, it is quiet.
#
# RUN: %python %s %t.fb
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))
from on_terminal import run

output = sys.argv[1]


def record(*options, seconds=0.1, only_errors=False):
    """What memrec and the program print."""
    return run(["memrec", *options, "-o", output, "sleep", str(seconds)], only_errors=only_errors)[1]


lines = record(seconds=8).splitlines()
assert lines[0] == f"memrec: recording sleep 8 to {output}", lines
assert re.fullmatch(r"memrec: [5-8](\.\d+)? s: live .+, peak .+; trace .+", lines[1]), lines
assert len(lines) == 3 and "next: memstat" in lines[2], lines
assert "recording" not in record(only_errors=True)
assert record("-q") == ""
