# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %python
#
# What an alert does beside its line: a command, one at a time, with facts in its environment;
# a signal to the program; the end of the recording; a snapshot. The line comes soon.

import os
import re
import subprocess
import sys
import time

GROW = """
import sys, time
kept = []
while len(kept) < 60:
    kept.append(bytearray(1 << 20))
    # A recorder on a busy machine is late: above the bounds the program waits for it.
    time.sleep(0.5 if len(kept) == 40 else 0.005)
print("all", flush=True)
time.sleep(0.3)
"""
with open("grow.py", "w", encoding="utf-8") as script:
    script.write(GROW)
with open("note.sh", "w", encoding="utf-8") as script:
    script.write('#!/bin/sh\nenv | grep ^MEMREC_ALERT | sort >> facts.txt\necho "$@" >> facts.txt\nsleep 0.2\n')
os.chmod("note.sh", 0o755)


def record(*options, command=("grow.py",), status=0):
    begin = time.time()
    done = subprocess.run(["memrec", "-q", "-o", "out.fb", *options, sys.argv[1], *command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == status, (options, done)
    return done.stdout, done.stderr, time.time() - begin


# A command, without a shell: `$HOME` is a word.
out, err, _ = record("--alert=host:live>30M", "--alert=host:live>31M", "--on-alert=exec:./note.sh one $HOME")
assert out == "all\n", out
with open("facts.txt", encoding="utf-8") as facts:
    text = facts.read()
assert "MEMREC_ALERT=host:live>30M\n" in text and "one $HOME\n" in text, text
assert re.search(r"^MEMREC_ALERT_VALUE=3\d{7}$", text, re.M) and "MEMREC_ALERT_BOUND=31457280\n" in text, text
assert "MEMREC_ALERT_TRACE=out.fb\n" in text and re.search(r"^MEMREC_ALERT_PID=\d+$", text, re.M), text
# The second alert came while the command ran.
assert text.count("MEMREC_ALERT=") == 1 and "still runs for an alert before this one" not in text, text
assert err.count("memrec: alert at ") == 2, err

_, err, _ = record("--alert=host:live>30M", "--on-alert=exec:./nowhere")
assert "memrec: alert at" in err, err

# A signal to the program.
out, err, _ = record("--alert=host:live>30M", "--on-alert=signal:TERM", status=128 + 15)
assert out == "" and "alert" in err, (out, err)

# The recording ends, the program goes on; memrec waits for it.
ends = "exec(open('grow.py').read()); sys.exit(7)"
out, err, _ = record("--alert=host:live>30M", "--on-alert=stop", command=("-c", ends), status=7)
assert out == "all\n", out
stat = subprocess.run(["memstat", "out.fb"], check=True, stdout=subprocess.PIPE, text=True).stdout
peak = float(re.search(r"peak ([\d.]+) MiB", stat).group(1))
assert 29 < peak < 45, stat

# A snapshot: a summary in the middle of the file.
record("--alert=host:live>30M", "--on-alert=snapshot")
sections = subprocess.run(["memdump", "--format=asm", "out.fb"], check=True, stdout=subprocess.PIPE, text=True).stdout
assert len(re.findall(r"^summary ", sections, re.M)) >= 2, sections

# The line is there soon after the event.
late = []
process = subprocess.Popen(["memrec", "-q", "-o", "soon.fb", "--alert=host:live>30M", sys.argv[1], "-c", """
import time
kept = [bytearray(1 << 20) for _ in range(20)]
time.sleep(0.3)
print(time.time(), flush=True)
more = bytearray(20 << 20)
time.sleep(1)
"""], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
begin = float(process.stdout.readline())
line = process.stderr.readline()
assert "alert at" in line and time.time() - begin < 2, (line, time.time() - begin)
process.communicate()
