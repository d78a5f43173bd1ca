# A recording of tensors alone: the heap around them holds nothing, and the curve shows the tensors.
# Events that were left out on request are no loss; those that were dropped are.
#
# RUN: memas --summarize %S/Inputs/left-out.mas -o %t.fb
# RUN: %python %s %t.fb | FileCheck %s
# CHECK: total 408
# CHECK-NEXT: heap: torch.cpu 408
# CHECK-NEXT: line: main 408
# CHECK-NEXT: marks: 7 events lost
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

with Served(sys.argv[1]) as S:
    for by in ("heap", "line"):
        curves = S.ask("curves?by=%s&columns=10&from=0&to=2000" % by)
        if by == "heap":
            print("total", curves["total"][-1])
        print(by + ":", ", ".join("%s %d" % (s["name"], s["values"][-1]) for s in curves["series"]))
    marks = S.ask("start")["marks"]
    print("marks:", ", ".join(text for kind, text in zip(marks["kind"], marks["text"]) if kind == "loss"))
