# A range, a heap and a process: the page counts what memflame counts; threads, layers and
# scopes add up to the total.
#
# RUN: memkit-gentrace --events=200000 --heaps=8 --nested --processes=3 --seed=4 -o %t.fb
# RUN: %python %s %t.fb | FileCheck %s
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from served import Served

trace = sys.argv[1]


def collapsed(*arguments):
    """The sum of memflame's graph."""
    text = subprocess.run(["memflame", "--format=collapsed", *arguments, trace],
                          check=True, capture_output=True, text=True).stdout
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())


def sums_of(S, request):
    """The sum over the memory spaces of the profile and of the table."""
    total = rows = 0
    for space in start["spaces"]:
        of = "space=%d&" % space["id"] if space["id"] else ""
        answer = S.ask("profile?" + of + request)
        total += answer["total"]
        table = S.ask("table?" + of + request)
        rows += sum(table["rows"]["own"]) + table["left_out"]["own"]
    return total, rows, answer["exact"]


with Served(trace) as S:
    start = S.ask("start")
    end = start["end_ns"]
    begin, until = end // 3, end // 2
    window = ["--since=%dns" % begin, "--until=%dns" % until]
    # CHECK: exact count: True
    found = sums_of(S, "what=count&from=%d&to=%d&exact=1" % (begin, until))
    wanted = collapsed("--metric=count", *window)
    print("exact count:", found == (wanted, wanted, True) or (found, wanted))
    # What the parts of the run have adds up to the run.
    # CHECK: allocated: True
    # CHECK: freed: True
    # CHECK: temporary: True
    whole = {what: sums_of(S, "what=" + what)[0] for what in ("allocated", "temporary")}
    whole["freed"] = sums_of(S, "what=freed&from=0&to=%d&exact=1" % end)[0]
    for what in ("allocated", "freed", "temporary"):
        parts = [sums_of(S, "what=%s&from=%d&to=%d&exact=1" % (what, a, b))
                 for a, b in ((0, begin), (begin, until), (until, end))]
        together = sum(p[0] for p in parts)
        # A block of each thread may be temporary over an edge.
        near = abs(together - whole[what]) <= (8 if what == "temporary" else 0)
        print(what + ":", near or (together, whole[what]))

    # CHECK: heaps: True
    heaps = [h for h in start["heaps"] if h["peak_bytes"]]
    print("heaps:", all(
        S.ask("profile?heap=%d" % h["id"])["total"] == h["peak_bytes"] and
        S.ask("profile?heap=%d&at=%d" % (h["id"], until))["total"] ==
        collapsed("--heap=" + h["name"], "--at=%dns" % until) for h in heaps))
    # CHECK: processes: 3 True
    ids = start["processes"]["id"]
    print("processes:", len(ids), all(
        sum(S.ask("profile?space=%d&process=%d&at=%d" % (space["id"], id, until))["total"]
            for space in start["spaces"]) ==
        collapsed("--process=#%d" % id, "--at=%dns" % until) for id in ids))
    # CHECK: command: memflame --at={{[0-9]+}}ns --heap={{.*}} '--process=#2'
    print("command:", S.ask("profile?heap=%d&process=2&at=%d" % (heaps[0]["id"], until))["command"])
    # CHECK: wrong heap: 400 {{.*}}heap=99999: not a number up to
    status, _, text = S.request(S.path + "api/profile?heap=99999")
    print("wrong heap:", status, text.decode())

    # CHECK: curves by process: sums True peak True
    # CHECK: curves by thread: sums True peak True
    # CHECK: curves by scope: sums True peak True
    peak = start["spaces"][0]["peak_bytes"]
    for by in ("process", "thread", "scope"):
        c = S.ask("curves?by=" + by)
        sums = all(sum(s["values"][i] for s in c["series"]) == total
                   for i, total in enumerate(c["total"]))
        print("curves by %s:" % by, "sums", sums, "peak", max(c["total"]) == peak)
    # Processes may share a name: each series says whose it is.
    # CHECK: series of processes: 3 True
    series = S.ask("curves?by=process")["series"]
    last = {one["process"]: one["values"][-1] for one in series}
    print("series of processes:", len(last), all(
        last[id] == S.ask("curves?process=%d" % id)["total"][-1] for id in ids))
    # CHECK: one heap by thread: True
    c = S.ask("curves?by=thread&heap=%d" % heaps[0]["id"])
    print("one heap by thread:", max(c["total"]) == heaps[0]["peak_bytes"])
