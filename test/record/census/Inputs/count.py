"""Runs a program, takes a census of it, and says what memrec said and how the program went on.

count.py TRACE [OPTION...] -- PROGRAM...

The program prints `ready`, and at SIGTERM what it knows of itself.
"""

import subprocess
import sys

trace, *options = sys.argv[1:sys.argv.index("--")]
command = sys.argv[sys.argv.index("--") + 1:]
program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
assert program.stdout.readline() == "ready\n"
options = options or ["--census"]
memrec = subprocess.run(["memrec", "-o", trace, *options, str(program.pid)], stderr=subprocess.PIPE, text=True,
                        timeout=120, check=False)
print(memrec.stderr, end="")
print("memrec's status:", memrec.returncode)
program.terminate()
print("the program:", program.communicate(timeout=60)[0].strip())
print("the program's status:", program.returncode)
