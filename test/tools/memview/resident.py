# The curves of resident memory: the sampled parts of all processes, stacked, up to the end of each
# process; with a process its own; none for a heap or a device.
#
# RUN: %python %s make | memas --summarize - -o %t.fb
# RUN: %python %s check %t.fb
# RUN: memas --summarize %S/layers.mas -o %t.none.fb
# RUN: %python %s none %t.none.fb
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))

if sys.argv[1] == "make":
    print("""header command=["/srv/a"]
dictionary
  process 1 pid=1 exe="/srv/a"
  process 2 pid=2 parent=1 exe="/srv/b"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main > malloc
events process=1
  1000 th1 alloc #0 heap=1 stack=1 size=10
marks""")
    for ms, process, malloc, stack, pinned in (
            (10, 1, 5000, 1000, 0), (20, 2, 300, 40, 7), (30, 1, 2000, 1000, 0), (40, 2, 600, 40, 7)):
        values = [malloc] + [0] * 4 + [stack] + [0] * 12 + [pinned]
        print(f"  {ms}000000 resident process={process} values={values}".replace(",", ""))
    print("  50000000 process-end process=2 values=[0]\n  90000000 process-end process=1 values=[0]")
    print("complete")
    sys.exit()

from served import Served

with Served(sys.argv[2]) as S:
    start = S.ask("start")
    assert ("resident" in start["curves"]) == (sys.argv[1] == "check"), start["curves"]
    if sys.argv[1] == "none":
        assert not any(S.ask("curves?by=resident")["total"])
        sys.exit()

    def at(ms, request=""):
        """Total and parts in the column of 1 ms that begins at a time."""
        answer = S.ask("curves?by=resident&columns=90&from=0&to=90000000" + request)
        assert all(sum(s["values"][i] for s in answer["series"]) == total
                   for i, total in enumerate(answer["total"]))
        parts = {s["name"]: s["values"][ms] for s in answer["series"] if s["values"][ms]}
        return answer["total"][ms], parts

    malloc, stack, pinned = "live blocks of malloc", "stacks of threads", "pinned by CUDA's driver"
    assert at(5) == (0, {})
    assert at(15) == (6000, {malloc: 5000, stack: 1000})
    assert at(25) == (6347, {malloc: 5300, stack: 1040, pinned: 7}), at(25)
    assert at(45) == (3647, {malloc: 2600, stack: 1040, pinned: 7})
    assert at(60) == (3000, {malloc: 2000, stack: 1000}), at(60)
    assert at(45, "&process=2") == (647, {malloc: 600, stack: 40, pinned: 7})
    assert at(60, "&process=2") == (0, {})
    assert at(45, "&heap=1") == (0, {})
