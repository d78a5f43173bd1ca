# What the page shows is what the tools say: live and retained bytes, and the map.
#
# RUN: memkit-gentrace --events=200000 --seed=3 -o %t.fb
# RUN: %python %s %t.fb | FileCheck %s
# RUN: memkit-gentrace --events=200000 --heaps=8 --nested --processes=3 --seed=4 -o %t.nested.fb
# RUN: %python %s %t.nested.fb | FileCheck %s
# RUN: memas %S/../memdump/map.mas -o %t.map.fb
# RUN: %python %s %t.map.fb map | FileCheck %s --check-prefix=MAP
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

trace = sys.argv[1]


def collapsed(*arguments):
    """The bytes of each memory space in a graph of memflame."""
    text = subprocess.run(["memflame", "--format=collapsed", "--all-frames", *arguments, trace],
                          check=True, capture_output=True, text=True).stdout
    sums = {}
    for line in text.splitlines():
        stack, value = line.rsplit(" ", 1)
        space = stack.split(";")[0]
        sums[space] = sums.get(space, 0) + int(value)
    return sums


def compare(S, start, request, *arguments):
    """Whether the totals of all memory spaces are those of memflame."""
    expected = collapsed(*arguments)
    # With one memory space the graph has no root for the space.
    many = sum(space["peak_bytes"] != 0 for space in start["spaces"]) > 1
    for space in start["spaces"]:
        of = "space=%d&" % space["id"] if space["id"] else ""
        total = S.ask("profile?" + of + request)["total"]
        table = S.ask("table?" + of + request)
        rows = sum(table["rows"]["own"]) + table["left_out"]["own"]
        wanted = expected.get(space["name"], 0) if many else sum(expected.values())
        if total != wanted or rows != wanted:
            return "%s: %d and %d, memflame %d" % (space["name"], total, rows, wanted)
    return "equal"


with Served(trace) as S:
    start = S.ask("start")
    if len(sys.argv) > 2:
        # MAP: free 4096, largest hole 3072, holes 2: as memdump
        answer = S.ask("map?device=1")
        page = "free %d, largest hole %d, holes %d" % (
            answer["free"], answer["largest_hole"], answer["holes"])
        tool = json.loads(subprocess.run(["memdump", "--map", "--format=json", trace], check=True,
                                         capture_output=True, text=True).stdout)
        device = tool["devices"][0] if "devices" in tool else tool[0]
        same = device["free_bytes"] == answer["free"]
        print(page + (": as memdump" if same else ": memdump has %d" % device["free_bytes"]))
        sys.exit()
    end = start["end_ns"]
    for part in (5, 3, 2):
        at = end // part
        # CHECK: live: equal
        # CHECK: live: equal
        # CHECK: live: equal
        print("live:", compare(S, start, "at=%d" % at, "--at=%dns" % at))
    # CHECK: retained: equal
    print("retained:", compare(
        S, start, "what=retained&from=%d&to=%d" % (end // 4, end // 2),
        "--metric=live", "--since=%dns" % (end // 4), "--until=%dns" % (end // 2)))
    # CHECK: peak: equal
    print("peak:", compare(S, start, "what=peak", "--metric=peak"))
    # CHECK: allocated: equal
    print("allocated:", compare(S, start, "what=allocated", "--metric=allocated"))
    # Curves: the highest value is the peak, and the groups add up to the total.
    # CHECK: curves: peak True sums True True True
    curves = {by: S.ask("curves?by=" + by) for by in ("heap", "line", "library")}
    sums = [all(sum(s["values"][i] for s in c["series"]) == total
                for i, total in enumerate(c["total"])) for c in curves.values()]
    peak = max(curves["heap"]["total"]) == start["spaces"][0]["peak_bytes"]
    print("curves: peak", peak, "sums", *sums)
    # Requests that no page sends.
    # CHECK: what=x: not a kind of values
    # CHECK: by=x: not a grouping
    # CHECK: the range ends at
    # CHECK: from=-1: not a number up to
    # CHECK: space=77: not a number up to
    for request in ("profile?what=x", "profile?by=x", "profile?what=count&from=5&to=5",
                    "table?what=count&from=-1", "curves?space=77"):
        print(S.ask(request)["error"])
