# On a terminal: colour for what needs a look, unless NO_COLOR is set; the terminal's width; no
# format for programs.
#
# RUN: memas --summarize %S/Inputs/growth.mas -o %t.fb
# RUN: %python %s %t.fb
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))
from on_terminal import run

trace = sys.argv[1]
status, text = run(["memstat", trace])
assert status == 0 and re.search("\x1b\\[[0-9;]*31m  ! LEAK", text), text
status, text = run(["memstat", trace], NO_COLOR="1")
assert status == 0 and "  ! LEAK" in text and "\x1b" not in text, text
for columns in (60, 80, 120):
    status, text = run(["memstat", trace], columns, NO_COLOR="1")
    assert status == 0 and max(map(len, text.splitlines())) <= columns, (columns, text)
    status, text = run(["memleak", trace], columns, NO_COLOR="1")
    assert status == 0 and max(map(len, text.splitlines())) <= columns, (columns, text)
status, text = run(["memflame", trace])
assert status == 2 and "use -o FILE or a pipe" in text, (status, text)
for picture in (["memflame", "--format=svg"], ["memstat", "--timeline", "--format=svg"]):
    status, text = run(picture + [trace])
    assert status == 2 and "use -o FILE or a pipe" in text, (status, text)
status, text = run(["memflame", "--format=collapsed", trace])
assert status == 0 and ";" in text, (status, text)
