# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: env PYTHONPATH=%S/Inputs:%src_root/test/Inputs LC_ALL=C.UTF-8 %python %s %python
#
# memtop beside a service: the line that keeps memory; a mark shows what grows since, and the
# recording has the mark, too; a snapshot; the end of the program.

import json
import os
import re
import subprocess
import sys

from live import recording, run, wait_for
from screen import Screen

with open("serve.py", "w", encoding="utf-8") as script:
    script.write("""
import sys, time
kept = []
def handle(i):
    kept.append(bytearray(100_000))
    return bytearray(1000)
while True:
    handle(0)
    time.sleep(0.005)
""")

with recording("-o", "serve.fb", sys.argv[1], "serve.py") as memrec:
    wait_for(memrec, "serve.py:5 handle")
    name = f"live:{memrec.pid}"

    once, err = run("memtop", "--once", name)
    assert re.search(r"recording +live:\d+$", once.splitlines()[0]), once
    assert re.search(r"^ +[\d.]+ [KM]iB +\+[\d.]+ [KM]iB .* serve.py:5 handle$", once, re.M), once
    assert not err, err

    # On a busy machine the program, or the recorder, may not get on between three looks.
    for _ in range(20):
        out, _ = run("memtop", "--format=json", "--count=3", "--interval=200ms", name)
        lines = [json.loads(line) for line in out.splitlines()]
        kept = [next(r["live_bytes"] for r in l["rows"] if r["name"] == "serve.py:5 handle") for l in lines]
        if kept[0] < kept[-1]:
            break
    assert len(lines) == 3 and all(l["status"] == "recording" and l["rows"] for l in lines), lines
    times = [l["now_ns"] for l in lines]
    assert times == sorted(times) and times[2] - times[0] >= 400_000_000, times
    assert kept[0] < kept[2], kept

    s = Screen(["memtop", "--interval=200ms", name])
    s.until(r"recording  ", "serve.py:5 handle", r"memrec \d+ % of a CPU")
    s.press("m")
    marked = s.until(r"live     \+mark\*", r'marked: "memtop 1" in the recording', "^     0 ns .*M")
    grown = s.until(r"^ +[\d.]+ MiB +\+[1-9][\d.]* [KM]iB .* serve.py:5 handle$")
    # What has grown most comes first.
    first = next(line for line in grown.splitlines() if re.search(r"serve.py|import|Python", line) and "iB" in line)
    assert "serve.py:5 handle" in first, grown
    s.press("s")
    s.until("a snapshot is being written into the trace")
    # The program looks for the names that hold its memory.
    s.press("n")
    s.until(r"serve\.kept\[\*\]  from serve.py:5 handle$")
    s.press("n")
    s.until("by line")
    # The same word as memleak's: it keeps most of what it allocates.
    s.until(r"^grows  serve.py:5 handle  \+[\d.]+ MiB per second, [\d.]+ MiB so far$")
    # Leaving ends nothing.
    s.leave("q")
    run("memtop", "--once", name)
    out, _ = run("memflame", "--since=mark:memtop 1", "--metric=live", "--format=collapsed", name)
    assert "handle" in out, out

    # The program ends: the last trace stays.
    s = Screen(["memtop", "--interval=200ms"], XDG_RUNTIME_DIR=os.environ["XDG_RUNTIME_DIR"])
    s.until("recording ", "serve.py:5 handle")
    child = subprocess.run(["pgrep", "-P", str(memrec.pid)], stdout=subprocess.PIPE, text=True).stdout.split()[0]
    os.kill(int(child), 15)
    s.until("ended  ", r"serve\.fb$", "serve.py:5 handle")
    s.press("m")
    s.until(r"\+mark\*", "marked ")
    s.leave("q")

# The finished trace is found from another folder, also without -o.
os.mkdir("elsewhere")
with recording(sys.argv[1], "serve.py") as memrec:
    wait_for(memrec, "serve.py:5 handle")
    s = Screen(["memtop", "--interval=200ms", f"live:{memrec.pid}"], cwd="elsewhere")
    s.until("recording ", "serve.py:5 handle")
    memrec.terminate()
    s.until("ended  ", r" trace\.fb$", "serve.py:5 handle")
    s.leave("q")

# Without a name, several recordings are listed, although there is a trace.fb.
with recording("-o", "a.fb", sys.argv[1], "serve.py") as a, recording("-o", "b.fb", sys.argv[1], "serve.py") as b:
    wait_for(a, "serve.py:5 handle")
    wait_for(b, "serve.py:5 handle")
    _, err = run("memtop", "--once", status=1)
    assert f"live:{a.pid}  " in err and f"live:{b.pid}  " in err, err
_, err = run("memtop", "--once")
assert "live:" not in err, err

# Threads need events.
run("memrec", "-q", "--events=none", "-o", "none.fb", sys.argv[1], "-c", "x = bytearray(1 << 20)")
out, _ = run("memtop", "--once", "--at=end", "--group-by=thread", "none.fb")
assert "by thread" in out and "needs all events" in out, out

# Recording that is switched on late says so.
with recording("--start=off", "-o", "late.fb", sys.argv[1], "serve.py") as memrec:
    name = f"live:{memrec.pid}"
    wait_for(memrec, "serve.py")
    out, _ = run("memtop", "--once", name)
    assert "  recording is off  " in out and "nothing has been recorded yet" in out, out
    memrec.send_signal(10)  # SIGUSR1
    s = Screen(["memtop", "--interval=100ms", name])
    s.until(r"  recording  ", "serve.py:5 handle")
    s.leave("q")
