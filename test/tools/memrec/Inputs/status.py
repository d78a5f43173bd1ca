"""status.py N COMMAND...: runs the command and fails unless it exits with N."""
import subprocess
import sys

want, command = int(sys.argv[1]), sys.argv[2:]
got = subprocess.run(command).returncode
if got != want:
    sys.exit("exit status %d, expected %d: %s" % (got, want, " ".join(command)))
