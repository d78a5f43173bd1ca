# A trace that is replaced, or cut short, while memview shows the trace: the page says so, and Refresh
# shows the new trace.
#
# RUN: memas --summarize %S/Inputs/two-lines.mas -o %t.one.fb
# RUN: memkit-gentrace --events=200000 --seed=3 -o %t.two.fb
# RUN: %python %s %t.one.fb %t.two.fb %t.fb | FileCheck %s
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

one, two, path = sys.argv[1:]


def replace(source):
    shutil.copy(source, path + ".new")
    os.rename(path + ".new", path)


replace(two)
with Served(path) as S:
    # CHECK: at first: False
    first = S.ask("start")
    print("at first:", first["changed"])
    # CHECK-NEXT: nothing new: {'changed': False, 'status': 200}
    print("nothing new:", S.ask("start?fresh=1"))
    replace(one)
    # The trace that was opened still answers.
    # CHECK-NEXT: replaced: True 200
    print("replaced:", S.ask("start")["changed"], S.ask("profile")["status"])
    # CHECK-NEXT: new: {'changed': True, 'status': 200} True
    print("new:", S.ask("start?fresh=1"), S.ask("start")["end_ns"] != first["end_ns"])
    replace(two)
    S.ask("start?fresh=1")
    os.truncate(path, 5000)
    # CHECK-NEXT: cut short: 400 {{.*}}.fb has changed since memview opened the file: choose Refresh
    print("cut short:", *[S.ask("profile?at=%d" % (first["end_ns"] // 2))[k] for k in ("status", "error")])
    # CHECK-NEXT: cut short: 200
    print("cut short:", S.ask("start?fresh=1")["status"])
    with open(path, "w") as file:
        file.write("no trace")
    # CHECK-NEXT: no trace: 500 {{.*}}not a memkit trace
    answer = S.ask("start?fresh=1")
    print("no trace:", answer["status"], answer.get("error"))
    os.remove(path)
    # CHECK-NEXT: removed: {'changed': False, 'status': 200}
    print("removed:", S.ask("start?fresh=1"))
