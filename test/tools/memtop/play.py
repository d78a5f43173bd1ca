# A replay shows the program as it was at each moment, with the time passing, and stays at its
# end. A pause stops the time.
#
# RUN: memas %S/Inputs/service.mas -o %t.fb
# RUN: env PYTHONPATH=%src_root/test/Inputs LC_ALL=C.UTF-8 %python %s %t.fb

import re
import sys

from screen import Screen

s = Screen(["memtop", "--play=100", sys.argv[1]])
early = s.until(r"0:00:[3-5]\d  replay", "serve.py:20 load")
assert re.search(r"^       0 B .*serve.py:12 remember", early, re.M), early
s.until(r"0:01:\d\d  replay")
s.press(" ")
paused = s.until(r"0:0\d:\d\d  paused")
for _ in range(5):
    s.read(0.1)
assert s.text() == paused, (s.text(), paused)
s.press(" ")
s.until(r"0:04:00  replay, at end", r"^   180 MiB .*serve.py:12 remember")
s.leave("q")
