# The names of Python that hold blocks, where the page shows a line or a block: in graphs, the
# table, the map and beside what grows. A trace without names has no such columns.
#
# RUN: %python %s make | memas --summarize - -o %t.fb
# RUN: %python %s check %t.fb
# RUN: %python %s make | sed /held-by/d | memas --summarize - -o %t.none.fb
# RUN: %python %s none %t.none.fb
# RUN: %python %s make | sed '/held-by.* id=/d' | memas --summarize - -o %t.searched.fb
# RUN: %python %s searched %t.searched.fb
# RUN: memview -o %t.html %t.fb && %python %s file %t.html
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))

HISTORY = "train.history[*].loss (6 KiB in 12 blocks looked at)"
MODEL = "train.model.head.weight (8 KiB in 1 block looked at)"
STEPS = 14

if sys.argv[1] == "make":
    print("""header command=["train"]
dictionary
  device 1 space="cuda:0" bytes=65536
  process 1 pid=1
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="torch.cuda:0.segments" space=1
  heap 3 name="torch.cuda:0" space=1 parent=2
  stack 1 main@train.py:9 > "<script>@train.py:4"
  stack 2 main@train.py:9 > build@train.py:2
events process=1
  100 th1 alloc #0 heap=2 size=32768 stack=2 address=0x10000
  200 th1 alloc #1 heap=3 size=8192 stack=2 address=0x10000 in=#0""")
    for step in range(1, STEPS + 1):
        block = step + 1
        print(f"  {step}500 th1 alloc #{block} heap=3 size=512 stack=1 address={0x12000 + 512 * step} in=#0")
    print("marks")
    for step in range(1, STEPS + 1):
        print(f"  {step}000 step process=1 id={step}")
    print('  14600 held-by process=1 name="train.model.head.weight" id=1 heap=3 stack=2 values=[8192 0]')
    for block in range(2, 14):
        print(f'  14600 held-by process=1 name="train.history[{block}].loss" id={block} heap=3 stack=1 values=[512 0]')
    print("  14700 held-by process=1 values=[900 8 1000 13]\n  15000 process-end process=1 values=[0]\ncomplete")
    sys.exit()

if sys.argv[1] == "file":
    import file_answers
    _, answers = file_answers.read(sys.argv[2])
    names = next(answer["names"] for answer in answers.values() if "nodes" in answer)
    held = dict(zip(names["text"], names["held_by"]))
    assert held["train.py:2 build"] == MODEL, held
    sys.exit()

from served import Served

with Served(sys.argv[2]) as S:
    profile = S.ask("profile?space=1&what=live&at=14800")
    rows = S.ask("table?space=1&what=live&at=14800")["rows"]
    blocks = S.ask("map?device=1&at=14800")["blocks"]
    (finding,) = S.ask("growth")["findings"]
    if sys.argv[1] != "check":
        for answer in (profile["names"], rows, blocks):
            assert "held_by" not in answer, answer
        wanted = ("no Python name found at the end, when functions have returned; look for names earlier, at cuda:0:live>"
                  if sys.argv[1] == "searched" else "")
        assert finding["held_by"].startswith(wanted) and bool(finding["held_by"]) == bool(wanted), finding
        sys.exit()
    of_line = dict(zip(profile["names"]["text"], profile["names"]["held_by"]))
    assert of_line["train.py:2 build"] == MODEL, of_line
    assert of_line["train.py:9 main"] == "", of_line
    assert dict(zip(rows["text"], rows["held_by"])) == {
        "train.py:2 build": MODEL, "train.py:4 <script>": HISTORY}, rows
    of_block = dict(zip(blocks["offset"], blocks["held_by"]))
    assert of_block[0] == "train.model.head.weight", of_block
    assert of_block[0x2000 + 512 * 3] == "train.history[4].loss", of_block
    assert of_block[0x2000 + 512 * STEPS] == "", of_block
    assert finding["held_by"] == HISTORY, finding
