# RUN: %cc -O1 -g -fno-optimize-sibling-calls -pthread %S/Inputs/storm.c -o %t.exe
# RUN: rm -rf %t && mkdir %t && cd %t && env PYTHONPATH=%S/Inputs %python %s %t.exe
#
# Recordings whose output cannot be read, or has no events, answer as well: what lives,
# since when, and where the peak was.

import subprocess
import sys
import time

from live import recording, run, wait_for

for options in (["-o", "-"], ["--events=none", "-o", "none.fb"], ["--events=last:1M", "-o", "last.fb"],
                ["--max-size=100K", "-o", "max.fb"]):
    with open("out", "wb") as out, subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out) as cat:
        with recording(*options, sys.argv[1], "1", "600", stdout=cat.stdin) as memrec:
            cat.stdin.close()
            wait_for(memrec, "storm.c:")
            name = f"live:{memrec.pid}"
            text, _ = run("memstat", name)
            assert "storm.c:" in text and "nothing lost" in text, (options, text)
            # New stacks have names a moment later.
            for _ in range(200):
                text, _ = run("memleak", "-v", name)
                if "storm.c:" in text:
                    break
                time.sleep(0.05)
            assert "storm.c:" in text, (options, text)
            _, err = run("memdump", "--check", name)
            assert "events were left out on request" in err, (options, err)
    if options[1] == "-":
        run("memdump", "--check", "out")
