# The page of names: what holds the blocks of the chosen heap, by line, with a filter. A trace
# without names says how to get them.
#
# RUN: memas --summarize %S/../memleak/holders.mas -o %t.fb
# RUN: sed '/held-by/d' %S/../memleak/holders.mas | memas --summarize - -o %t.none.fb
# RUN: env PYTHONPATH=%src_root/test/Inputs LC_ALL=C.UTF-8 %python %s %t.fb %t.none.fb

import sys

from screen import Screen

s = Screen(["memtop", sys.argv[1]])
s.until("by line")
s.press("n")
shown = s.until(r"^      bytes   blocks  held by, of host, found at 15.5 us",
                r"^   2.93 KiB        3  train.history\[\*\].loss  from keep$",
                r"^     1000 B        1  train.main\(\):last  from keep$")
s.press("/", "M", "A", "I", "N", "enter")
shown = s.until(', with "MAIN"', r"train.main\(\):last")
assert "history" not in shown, shown
s.press("/", "x", "y", "enter")
s.until('nothing matches "xy": Escape shows all')
s.press("n")
s.until("by line")
s.leave("q")

s = Screen(["memtop", sys.argv[2]])
s.until("by line")
s.press("n")
s.until("no names were looked for in this recording")
s.press("escape")
s.until("by line")
s.leave("q")
