"""slow_writer.py TRACE COMMAND...: gives TRACE to the command's standard input,
keeps that open, and waits for the last record."""

import subprocess
import sys

process = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
with open(sys.argv[1], "rb") as trace:
    process.stdin.write(trace.read())
process.stdin.flush()
for line in process.stdout:
    if b'"loss","kind"' in line:
        print("summary printed before the pipe was closed")
        break
process.stdin.close()
process.stdout.read()
sys.exit(process.wait())
