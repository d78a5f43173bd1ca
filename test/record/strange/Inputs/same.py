# same.py [--lost] [--not-recorded] [--processes=N] TRACE [MEMREC OPTIONS] -- PROGRAM...
#
# Runs a program alone and recorded: its output and its status must be the same,
# the trace must agree with itself, and nothing may be lost (--lost: something
# may). --processes: so many processes must have been recorded. Prints the summary.

import json
import subprocess
import sys

arguments = sys.argv[1:]
processes, may_lose, recorded = None, False, True
while arguments[0].startswith("--"):
    flag = arguments.pop(0)
    if flag == "--lost":
        may_lose = True
    elif flag == "--not-recorded":
        recorded = False
    else:
        processes = int(flag.removeprefix("--processes="))
trace = arguments.pop(0)
at = arguments.index("--")
options, command = arguments[:at], arguments[at + 1:]

alone = subprocess.run(command, stdout=subprocess.PIPE, timeout=300)
under = subprocess.run(["memrec", *options, "-o", trace, "--", *command],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
sys.stdout.write(under.stderr.decode(errors="replace"))
# A program that was killed by a signal has 128 + n in memrec's status.
status = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
assert under.returncode == status, (under.returncode, alone.returncode)
assert under.stdout == alone.stdout, (under.stdout, alone.stdout)
subprocess.run(["memdump", "--check", trace], check=True, stdout=subprocess.DEVNULL)
text = subprocess.run(["memdump", "--summary", "--format=json", trace],
                      check=True, stdout=subprocess.PIPE).stdout
summary = json.loads(text)
assert may_lose or summary["events"]["lost"] == 0, summary["events"]
assert not recorded or summary["events"]["allocations"] > 0, summary["events"]
if processes is not None:
    got = [p for p in summary["processes"] if p["recorded"]]
    assert len(got) == processes, [p["command"] for p in summary["processes"]]
sys.stdout.write(text.decode())
