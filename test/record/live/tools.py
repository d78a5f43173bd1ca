# RUN: %cc -O1 -g -fno-optimize-sibling-calls -pthread %S/Inputs/storm.c -o %t.exe
# RUN: rm -rf %t && mkdir %t && cd %t && env PYTHONPATH=%S/Inputs %python %s %t.exe
#
# A recording is a trace for every tool, under load, and the summary of the moment is
# exactly what the events of the file give.

import os
import re
import subprocess
import sys

from live import recording, run, socket_of, wait_for

with recording("-o", "storm.fb", sys.argv[1], "2", "600") as memrec:
    wait_for(memrec, "storm.c:")
    name = f"live:{memrec.pid}"
    for _ in range(4):
        out, err = run("memdump", "--check", name)
        rows = int(re.search(r"compared: ([0-9,]+) rows of the summary", out).group(1).replace(",", ""))
        assert rows > 500, out
        assert err == f"memdump: warning: {name}: still being recorded: this is what is written so far\n", err
    out, err = run("memstat", name)
    assert "storm.c:" in out and "still being recorded: this is the run up to" in out, out
    out, _ = run("memleak", name)
    assert "deep" in out, out
    out, _ = run("memflame", "--format=collapsed", name)
    assert ";deep;malloc " in out, out
    out, _ = run("memdump", "--oom", name)
    assert out.startswith("memory never ran out, as far as the trace goes"), out
    run("memdump", "--format=asm", "-o", "copy.mas", name)
    run("memview", "-o", "page.html", name)
    run("memdiff", name, name)

    # By the number of the program, and the only recording; its socket is private.
    child = subprocess.run(["pgrep", "-P", str(memrec.pid)], stdout=subprocess.PIPE, text=True).stdout.split()[0]
    out, err = run("memstat", f"live:{child}")
    assert "storm.c:" in out, out
    out, err = run("memstat", "live:")
    assert f"live:{memrec.pid}: still being recorded" in err, err
    assert os.stat(os.path.dirname(socket_of(memrec))).st_mode & 0o77 == 0

    # Several: listed.
    with recording("-o", "other.fb", "sleep", "600") as other:
        wait_for(other, "sleep")
        _, err = run("memstat", "live:", status=1)
        assert "live: several programs are being recorded:" in err, err
        assert f"  live:{other.pid}  sleep 600" in err, err

# What is written in the end is a trace like others.
run("memdump", "--check", "storm.fb")
_, err = run("memstat", f"live:{memrec.pid}", status=1)
assert "no such process" in err, err
