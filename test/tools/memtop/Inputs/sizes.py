"""Frames of TRACE in all kinds of sizes fit in them."""
import subprocess
import sys

for width, height in [(1, 2), (2, 9), (7, 5), (11, 24), (12, 40), (39, 16), (40, 17), (79, 3), (80, 200), (300, 31)]:
    text = subprocess.run(["memtop", "--once", f"--size={width}x{height}", sys.argv[1]], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    lines = text.splitlines()
    assert len(lines) <= height and max(map(len, lines), default=0) <= width, (width, height, text)
