"""Runs a tool with a condition of each metric that its own message names.

    each_metric.py TOOL TRACE...

A metric is judged (status 0 or 3), or the tool says why the trace cannot tell it; a tool
that names a metric and does not know it fails here.
"""

import re
import subprocess
import sys


def run(condition):
    return subprocess.run([*sys.argv[1:], f"--fail-on={condition}"], text=True,
                          capture_output=True)


names = run("nothing").stderr.split("is not one of ", 1)[1].strip().split(", ")
assert len(names) > 4, names
for form in names:
    metric = re.sub(r"^\[HEAP:\]", "", form)
    word = re.match("[a-z]+", metric)[0]
    bound = metric[len(word):]
    if not bound or bound.startswith("["):
        condition = word
    else:
        bound = bound[1:].split("|")[0]
        condition = word + ">" + bound.replace("SIZE", "1KiB").replace("N", "1")
    done = run(condition)
    said = "cannot judge" in done.stderr and "does not know" not in done.stderr
    assert done.returncode in (0, 3) or said, (condition, done.returncode, done.stderr)
    assert ("holds" in done.stderr) == (done.returncode == 3), (condition, done.stderr)
