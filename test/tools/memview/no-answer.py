# A question that the trace cannot answer is answered in words with 404, and no question with 500.
#
# RUN: memas --summarize %S/Inputs/two-lines.mas -o %t.fb
# RUN: memas --summarize %S/../memdump/map.mas -o %t.map.fb
# RUN: echo header > %t.mas && memas --summarize %t.mas -o %t.empty.fb
# RUN: %python %s %t.fb %t.map.fb %t.empty.fb | FileCheck %s
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served


def answer(S, question):
    status = 202
    while status == 202:
        status, _, text = S.request(S.path + "api/" + question)
        time.sleep(0.01)
    return status, json.loads(text).get("error", "")


QUESTIONS = ["start", "curves", "profile", "table", "layers", "operators", "programs", "map", "growth"]
QUESTIONS += [q + "?by=" + by for q in ("curves", "profile", "table")
              for by in ("line", "stack", "function", "library", "heap", "layer", "scope", "category", "thread",
                         "resident")]
QUESTIONS += ["profile?what=" + what for what in ("live", "retained", "allocated", "freed", "count", "temporary")]
QUESTIONS += ["map?device=2", "map?at=1", "map?device=1&at=1", "map?device=99"]

for trace in sys.argv[1:]:
    with Served(trace) as S:
        if trace == sys.argv[1]:
            # CHECK: (404, 'the trace has no devices')
            print(answer(S, "map"))
            # CHECK-NEXT: (404, 'the trace has no devices')
            print(answer(S, "map?device=1&at=3"))
        # CHECK-COUNT-3: 500: []
        statuses = {q: answer(S, q) for q in QUESTIONS}
        print("500:", [(q, a) for q, a in statuses.items() if a[0] == 500])
        print({q: a for q, a in statuses.items() if a[0] != 200}, file=sys.stderr)
