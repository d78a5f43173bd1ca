# status.py COMMAND...: runs the command; its exit status must be $status.
import os
import subprocess
import sys

status = subprocess.run(sys.argv[1:]).returncode
sys.exit(0 if status == int(os.environ["status"]) else "exit status %d" % status)
