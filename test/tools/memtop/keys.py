# What each key does, on a terminal: the cursor on the curve, heaps, groups, rows that open,
# sorting, a filter, a mark, other pages, other sizes; the terminal is given back as it was.
#
# RUN: memas %S/Inputs/service.mas -o %t.fb
# RUN: env PYTHONPATH=%src_root/test/Inputs LC_ALL=C.UTF-8 %python %s %t.fb

import re
import subprocess
import sys

from screen import Screen

trace = sys.argv[1]
s = Screen(["memtop", trace])

# The first picture is that of --once.
once = subprocess.run(["memtop", "--once", trace], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
first = s.until("by line, at 4m 00s", "q quit")
assert first == once, (first, once)

# The cursor: end, some columns back, the begin, back to now.
s.press("end")
s.until(r"by line$")
s.press(*["left"] * 7)  # 70 columns of 240 s
at = s.until(r"by line, at 3m 36s", r"^     0 ns .*\^")
assert re.search(r"^   150 MiB    \+60 MiB   180 MiB .* serve.py:12 remember", at, re.M), at
s.press("right")
s.until("at 3m 39s")
s.press("home")
s.until("by line, at 0 ns", "^       0 B        0 B   180 MiB")
s.press("escape")
s.until(r"by line$")

# A key whose bytes come one by one, as from far away, is one key.
# A busy machine may let the bytes come later than a key may last: then again.
for attempt in range(10):
    for byte in "\x1b[F\x1b[D":
        s.press(byte)
        s.read(0.02)
    try:
        s.until("at 3m 57s", seconds=5 if attempt < 9 else 20)
        break
    except AssertionError:
        if attempt == 9:
            raise
        s.press("escape")
        s.until(r"by line$")
s.press("escape")
s.until(r"by line$")

# Heaps.
s.press("tab")
s.until(r"^>  host.malloc")
s.press("backtab", "backtab")
s.until(r"^>  torch.cuda:0 ", r"net.py:7 forward")
s.press("tab")
s.until(r"^>host")

# Rows: the first is chosen by the first move; Enter opens a row, again closes the row.
s.press("down", "up", "enter")
s.until(r" - serve.py:12 remember\n.*     .. serve.py:12 remember$")
s.press("enter")
s.until(r"[+] serve.py:12 remember\n.*[+] serve.py:18 keep")

# Groups, and sorting: what was first sorts equal rows.
s.press("g")
s.until("by stack", "serve.py:40 main")
s.press("enter")
s.until(r"- serve.py:40 main\n.*     .. serve.py:12 remember$")
s.press("G")
s.until("by line$")
s.press(">", ">")
s.until(r"live     \+/min\*", "sorted by growth, then peak")
s.press("<", "<")
s.until(r"live\*")

# The window of rates.
s.press("w")
s.until(r"\+/600 s|\+/240 s", "growth and rates over the last 10m 00s")
s.press("w")
s.until(r"\+/10 s")

# A filter; Escape leaves what is typed, then the filter.
s.press("/", "keek", "backspace", "p")
s.until("^/keep_")
s.press("enter")
assert "remember" not in s.until('with "keep"', "serve.py:18 keep")
s.press("/", "x", "escape")
s.until('with "keep"', "q quit")
s.press("escape")
s.press("end")
s.until("serve.py:12 remember", "q quit")

# A mark at an earlier moment.
s.press(*["left"] * 10)
s.until("by line, at 3m 2")
s.press("m", "end")
s.until(r"live     \+mark\*", r"^   180 MiB    \+40 MiB   180 MiB", r"^     0 ns .*M")
s.press("M")
s.until(r"\+/10 s")

# Less time on the curve, more.
s.press("+")
s.until(r"^   3m 00s ")
s.press("-")
s.until(r"^     0 ns ")

# Other pages.
s.press("!")
s.until("alerts and failures: 1", "3m 20s  host is above 90 MiB")
s.press("!", "h")
s.until("move the cursor on the curve", "the recording goes on")
s.press("escape", "s")
s.until("the recording has ended|is no recording")
s.press(" ")
s.until("4:00  paused")
s.press(" ", "y")
s.until("h shows the keys")

# Any bytes.
s.press("\x1b[", "99~", "\x1b[<0;1;1M", "\xff", "\x00")
s.press("end")
s.until("serve.py:12 remember", "q quit")

# Other sizes.
s.resize(120, 30)
s.until(r"^>host                       185 MiB", r"temp  by line")
s.resize(20, 6)
s.until(r"^>host       185 MiB", r"^h help  Tab heap  g~")
s.resize(80, 24)
s.until("q quit")

# Only what changes is sent.
s.settle()
before = s.bytes
s.press("down")
s.settle()
assert 0 < s.bytes - before < 1000, s.bytes - before

assert {"31", "32"} <= s.styles, s.styles
# memview, at the cursor's moment; ends with memtop.
s.press("left", "o")
shown = s.until(r"^memview: http://127.0.0.1:\d+/\w+/#view=fl")
s.leave("q")

# Without colours; Ctrl-C leaves, too; so does a closed terminal.
s = Screen(["memtop", trace], NO_COLOR="1")
s.until("q quit")
assert not {"31", "32"} & s.styles, s.styles
s.leave("ctrl-c")
