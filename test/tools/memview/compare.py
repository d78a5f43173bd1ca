# Two traces: the page's comparison is what memdiff says, and each question is about one of the traces.
#
# RUN: memas --summarize %S/../memdiff/places.mas -o %t.before.fb
# RUN: sed 's!net.py:60!net.py:64!; s!line=60!line=64!; s!net.py:50!net.py:53!; s!line=50!line=53!; s!Net.load@/home/me/net.py:20!Net.read@/home/me/data.py:7!; s!size=250000!size=650000!; s!size=700000!size=702000!' %S/../memdiff/places.mas | memas --summarize - -o %t.after.fb
# RUN: %python %s %t.before.fb %t.after.fb | FileCheck %s
# RUN: memas --summarize %S/../memdiff/steps.mas -o %t.steps.fb
# RUN: sed 's/size=3000 /size=5000 /' %S/../memdiff/steps.mas | memas --summarize - -o %t.more.fb
# RUN: %python %s %t.steps.fb %t.more.fb | FileCheck %s --check-prefix=STEPS
# A memory space that only one trace has, and a trace without steps.
# RUN: %python %s %t.before.fb %t.more.fb | FileCheck %s --check-prefix=SPACES
# RUN: %python %s %t.before.fb %t.before.fb | FileCheck %s --check-prefix=SAME
# RUN: %python %s %t.before.fb %t.before.fb -- %t.after.fb | FileCheck %s --check-prefix=GROUPS
# RUN: sed 's/^header/header options=["min-size=64"]/' %S/../memdiff/places.mas | memas --summarize - -o %t.options.fb
# RUN: %python %s %t.options.fb %t.after.fb | FileCheck %s --check-prefix=OPTIONS
# RUN: printf 'header command=["x"]\ncomplete\n' | memas -o %t.empty.fb
# RUN: %python %s %t.empty.fb %t.after.fb | FileCheck %s --check-prefix=NOTHING
# RUN: memview -o %t.html %t.before.fb %t.after.fb && %python %S/Inputs/file_answers.py %t.html compare "compare?what=live" start | FileCheck %s --check-prefix=FILE
# FILE: {"what": "peak"
# FILE: {"what": "live"
# FILE: "traces": ["{{[^"]*}}before.fb", "{{[^"]*}}after.fb"]
#
# More than two traces without `--` are one job.
# RUN: memview -o %t.three.html %t.before.fb %t.after.fb %t.more.fb 2>&1 | FileCheck %s --check-prefix=THREE
# RUN: %python %S/Inputs/file_answers.py %t.three.html start | FileCheck %s --check-prefix=JOB
# THREE: memview: 3 traces without ranks are taken as one job; memdiff compares runs
# JOB: "trace": "{{[^"]*}}before.fb and 2 other traces"
# RUN: not memview %t.before.fb -- 2>&1 | FileCheck %s --check-prefix=MISSING
# MISSING: memview: error: a trace is missing; try 'memview --help'
# RUN: not memview %t.before.fb %t.none.fb 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: memview: error: {{.*}}none.fb: No such file or directory
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import file_answers
from served import Served

traces = sys.argv[1:]


def memdiff(*options):
    return subprocess.run(["memdiff", *options, *traces], check=True, capture_output=True, text=True).stdout


def sums(answer):
    """The bytes of all stacks, before and after: those of the outermost boxes."""
    nodes = answer["nodes"]
    return tuple(sum(size for size, depth in zip(nodes[side], nodes["depth"]) if not depth) for side in "ab")


with Served(*traces) as S:
    answer = S.ask("compare")
    # CHECK: verdict: True
    # STEPS: verdict: True
    # SPACES: verdict: True
    # SAME: verdict: True
    # GROUPS: verdict: True
    # NOTHING: verdict: True
    print("verdict:", memdiff().splitlines()[0] == answer["verdict"])
    # CHECK-NEXT: train.py: peak +393 KiB
    # SAME-NEXT: train.py: no change of peak or of memory live at the end above the noise
    print(answer["verdict"])
    # OPTIONS: warning: recorded with different options: min-size=64
    # CHECK-NOT: warning
    # SAME-NOT: warning
    for line in answer["doubts"]:
        print("warning:", line)
    # GROUPS: means of 2 and 1 runs
    print(answer["means"])
    for what, total, place in (("peak", "peak_bytes", "at_peak_bytes"), ("live", "live_bytes", "live_bytes")):
        # The boxes of each memory space sum to memdiff's totals, the rows are memdiff's places.
        # CHECK: peak: host sums True rows True
        # CHECK: live: host sums True rows True
        # STEPS: peak: host sums True rows True
        # STEPS: peak: cuda:0 sums True rows True
        # STEPS: live: host sums True rows True
        # SPACES: peak: host sums True rows True
        # SPACES: peak: cuda:0 sums True rows True
        # SAME: peak: host sums True rows True
        # GROUPS: peak: host sums True rows True
        # NOTHING: peak: host sums True rows True
        options = ["--metric=live"] if what == "live" else []
        tool = json.loads(memdiff("--format=json", *options))
        for number, space in enumerate(tool["spaces"]):
            of = S.ask("compare?what=%s&space=%d" % (what, number))
            wanted = (space["before"][total], space["after"][total])
            places = [(p["text"], p["source"] or "", p["before"][place], p["after"][place])
                      for p in tool["places"] if p["space"] == space["name"]]
            rows = of["rows"]
            # memdiff sorts out rows by a second value, too: the page's rows are of one.
            shown = list(zip(rows["text"], rows["source"], rows["a"], rows["b"]))
            print("%s: %s sums %s rows %s" % (what, of["spaces"][number], sums(of) == wanted, shown == places))
    # A line that moved is one box, with both sizes.
    names, nodes = answer["names"], answer["nodes"]
    for at, name in enumerate(nodes["name"]):
        if "Net" in names["text"][name]:
            # CHECK-DAG: net.py:64 Net.forward 250000 650000 return x @ self.weight
            # CHECK-DAG: net.py:53 Net.forward 50000 50000 self.weight = zeros(n)
            # CHECK-DAG: net.py:20 Net.load 100000 0
            # CHECK-DAG: data.py:7 Net.read 0 100000
            # GROUPS-DAG: net.py:64 Net.forward 250000 650000 return x @ self.weight
            print(names["text"][name], nodes["a"][at], nodes["b"][at], names["source"][name])
    # CHECK: 97.7 KiB moved from net.py:20 Net.load to data.py:7 Net.read
    print(*answer["moved"], sep="\n")
    # CHECK: curves: ns
    # STEPS: curves: step ns
    # SPACES: curves: ns
    print("curves:", *[curve["x"] for curve in answer["curves"]])
    # CHECK: memdiff {{.*}}before.fb {{.*}}after.fb
    # GROUPS: memdiff {{.*}}before.fb {{.*}}before.fb -- {{.*}}after.fb
    print(answer["command"])
    # CHECK: start: before.fb after.fb shows 1 True
    start = S.ask("start")
    print("start:", *[name.split(".tmp.")[-1] for name in start["traces"]], "shows", start["trace_shown"],
          "compare" in start["views"])
    # CHECK: each trace: 1100000 1502000 1502000
    print("each trace:", *[S.ask("profile" + query).get("total") for query in ("?trace=0", "?trace=1", "")])
    # Frames that another question asked for do not change the comparison.
    # CHECK: again: True
    with Served(*traces) as Other:
        Other.ask("profile?all=1")
        print("again:", Other.ask("compare") == answer)
    # A page that is a file compares the same frames.
    # CHECK: saved: True
    # STEPS: saved: True
    # GROUPS: saved: True
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "page.html")
        subprocess.run(["memview", "-q", "-o", file, *traces], check=True)
        del answer["status"]
        print("saved:", file_answers.read(file)[1]["compare"] == answer)
    # CHECK: trace=2: not a number up to 1
    # CHECK: what=x: a comparison is of peak or of live
    # CHECK: space=9: not a number up to 0
    for request in ("profile?trace=2", "compare?what=x", "compare?space=9"):
        print(S.ask(request).get("error"))
