# What users see on terminals of 60, 80 and 120 columns, with and without colour, in UTF-8 and
# in ASCII: the same as the kept screens. After a wanted change of outputs, run this file by
# hand with --update as third argument.
#
# RUN: memas --summarize %S/../memstat/Inputs/growth.mas -o %t.fb
# RUN: sed -E '/stack=[23] size/{p;s/^( *[0-9]+ th1) alloc (#[0-9]+).*/\1 free \2/}' %S/../memstat/Inputs/growth.mas | memas --summarize - -o %t.flat.fb
# RUN: %python %s %t.fb %t.flat.fb %S/Inputs/screens.txt
import difflib
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Inputs"))
from on_terminal import run

grows, flat, kept = sys.argv[1:4]
screens = ""
for tool in (["memstat", grows], ["memleak", grows], ["memdiff", flat, grows]):
    for columns, locale, colour in ((60, "C.UTF-8", False), (80, "C.UTF-8", False), (120, "C.UTF-8", False),
                                    (80, "C.UTF-8", True), (80, "C", False)):
        status, text = run(tool, columns, LC_ALL=locale, NO_COLOR="" if colour else "1")
        assert status == 0, text
        assert colour or max(map(len, text.splitlines())) <= columns, (columns, text)
        assert locale != "C" or text.isascii(), text
        assert colour or "\x1b" not in text, text
        screens += f"==== {tool[0]}, {columns} columns, {locale}{', colour' if colour else ''}\n"
        screens += text.replace("\x1b", "ESC")
if sys.argv[4:] == ["--update"]:
    with open(kept, "w", encoding="utf-8") as file:
        file.write(screens)
with open(kept, encoding="utf-8") as file:
    expected = file.read()
if screens != expected:
    sys.exit("\n".join(difflib.unified_diff(expected.splitlines(), screens.splitlines(), "kept", "now", lineterm="")))
