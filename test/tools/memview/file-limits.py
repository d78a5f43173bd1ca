# What a page as a file holds within --max-bytes, and what its sentences say of the rest.
#
# RUN: memkit-gentrace --events=200000 --heaps=8 --nested --processes=3 --seed=4 -o %t.fb
# RUN: %python %s %t.fb %t.html | FileCheck %s
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
import file_answers
from served import Served

trace, page = sys.argv[1:]


def write(*options):
    """The bytes of the data, and the answers."""
    subprocess.run(["memview", "-o", page, *options, trace], check=True)
    text, answers = file_answers.read(page)
    return len(text.encode()), answers


# CHECK: at most 2 MiB: True; moments: True
size, answers = write()
start = answers["start"]
moments = start["moments"]
print("at most 2 MiB: %s; moments: %s" % (size <= 2 << 20, 20 <= len(moments) <= 64))
# CHECK-NEXT: sorted moments of the curve: True
print("sorted moments of the curve:", moments == sorted(set(moments)) and 0 < moments[0] and moments[-1] <= start["end_ns"])
# CHECK-NEXT: This file holds {{[0-9]+}} moments of the run: run memview on the trace for every moment and every range.
# CHECK-NEXT: Flame graphs show the {{[0-9,]+}} largest frames of the peak, and the {{[0-9,]+}} largest of a moment.
print("\n".join(start["left_out"]))

# Every offered grouping, curve and view has its answer.
# CHECK-NEXT: missing: []
missing = [by for by in start["groups"][1:] if "profile?by=" + by not in answers]
missing += [by for by in start["curves"] if "curves?by=" + by not in answers]
missing += [at for at in moments if "profile?at=%d" % at not in answers or "table?at=%d" % at not in answers]
print("missing:", missing)

# The answers are those of the server.
with Served(trace) as S:
    served = S.ask("start")
    # CHECK-NEXT: groups True curves True
    print("groups", start["groups"] == served["groups"], "curves", start["curves"] == served["curves"])
    # At the end of a process, the file has the moment before it, the server the one after it.
    at = next(ns for ns in moments[len(moments) // 2:] if ns not in start["processes"]["end_ns"])
    for request in ("profile", "profile?by=library", "profile?at=%d" % at, "profile?what=retained", "table", "table?at=%d" % at, "curves?by=line"):
        # CHECK-COUNT-7: same:
        live = S.ask(request)
        held = answers[request]
        same = all(held[key] == live[key] for key in ("total", "title", "unit", "time_ns", "series") if key in live)
        print("same:" if same else "different:", request)
    # Graphs that share their names: the first frames of a moment.
    frames = lambda answer: [answer["names"]["text"][name] for name in answer["nodes"]["name"][:50]]
    # CHECK-NEXT: names: True
    print("names:", frames(S.ask("profile?nodes=2000&at=%d" % at)) == frames(answers["profile?at=%d" % at]))

# Less room: fewer answers, and a sentence.
# CHECK-NEXT: 300K: True True
size, fewer = write("--max-bytes=300K")
print("300K:", size <= 300 << 10, len(fewer) < len(answers))
# CHECK-NEXT: 60K: True True
size, few = write("--max-bytes=60K")
print("60K:", size <= 60 << 10, any("For want of room the file lacks: " in text for text in few["start"]["left_out"]))
# CHECK-NEXT: offered and missing: []
print("offered and missing:", [by for by in few["start"]["groups"][1:] if "profile?by=" + by not in few] +
      [by for by in few["start"]["curves"] if "curves?by=" + by not in few] +
      [view for view, request in (("growth", "growth"), ("timeline", "curves"), ("flame", "profile"))
       if (view in few["start"]["views"]) != (request in few)])

# Memory spaces: those with the highest peaks, whatever their number.
# CHECK-NEXT: spaces: 16 [25, 40] True
# CHECK-NEXT: This file holds the 16 memory spaces with the highest peaks of 40: run memview on the trace for the others.
text = ["header", "dictionary", '  process 1 pid=1 exe="p"', "  thread 1 process=1 tid=1", "  stack 1 main"]
text += ['  device %d name="d" space="cuda:%d" bytes=1000000' % (i, i) for i in range(1, 41)]
text += ['  heap %d name="cuda:%d.device" space=%d' % (i, i, i) for i in range(1, 41)]
text += ["events process=1"] + ["  %d th1 alloc heap=%d stack=1 size=%d" % (1000 * i, i, i) for i in range(1, 41)] + ["complete"]
subprocess.run(["memas", "--summarize", "-", "-o", trace + ".spaces.fb"], input="\n".join(text), text=True, check=True)
trace += ".spaces.fb"
_, answers = write()
spaces = sorted(space["id"] for space in answers["start"]["spaces"])
graphs = {request for request in answers if request.startswith("profile?space=")}
print("spaces:", len(spaces), [spaces[0], spaces[-1]],
      {int(request.split("=")[1].split("&")[0]) for request in graphs} == set(spaces))
print(next(text for text in answers["start"]["left_out"] if "spaces" in text))
