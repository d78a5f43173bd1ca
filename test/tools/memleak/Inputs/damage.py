# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage.py TRACE FILE: runs the tools on damaged copies of TRACE in FILE."""

import os
import subprocess
import sys

trace, damaged = sys.argv[1:3]
with open(trace, "rb") as file:
    whole = file.read()


def runs(data, *command):
    """Whether a tool answers; fails on anything but an answer or one line of error."""
    with open(damaged, "wb") as file:
        file.write(data)
    result = subprocess.run([*command, damaged], capture_output=True, timeout=60, check=False)
    lines = result.stderr.decode(errors="replace").splitlines()
    what = f"{command} on {len(data)} bytes: {result.returncode}, {lines}"
    assert result.returncode in (0, 1), what
    errors = [line for line in lines if ": error: " in line]
    assert len(errors) == result.returncode, what
    assert all(": error: " in line or ": warning: " in line for line in lines), what
    return result.returncode == 0, lines


# A tool with a sanitizer takes ten times as long to start.
step = 4 if "ASAN_OPTIONS" in os.environ else 1
errors = answers = 0
for end in range(0, len(whole), step):
    fine, lines = runs(whole[:end], "memleak")
    if fine:
        answers += 1
        assert any("warning" in line for line in lines) or end == len(whole), (end, lines)
    else:
        errors += 1
        assert answers == 0, f"an error at {end} after answers"
print(f"cut: {errors} errors, then {answers} answers")

for at in range(0, len(whole), step):
    data = bytearray(whole)
    data[at] ^= 0xFF
    runs(data, ("memleak", "memflame")[at // step % 2])
print("flipped: all answered")
