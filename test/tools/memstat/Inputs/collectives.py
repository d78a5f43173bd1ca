"""Prints the trace of a rank whose ranges of a name end at the same times as those of other ranks.

collectives.py RANK HOST CLOCK RANGES STEPS NAME [MISSED]: CLOCK: by how many seconds the real time of the machine is
ahead; MISSED: how many of the ranges happened before the recording."""

import sys

rank, host, clock, ranges, steps = (int(a) if a.lstrip("-").isdigit() else a for a in sys.argv[1:6])
name, missed = sys.argv[6], int(sys.argv[7]) if len(sys.argv) > 7 else 0
MS, S = 10**6, 10**9
print(f"""header tool="memas" host="{host}" boot-id="{host}" pid={100 + rank} rank={rank} world-size=2
    start=[0 {S} {(1000 + clock) * S}]""".replace("\n   ", ""))
print(f"""dictionary
  process 1 pid={100 + rank} rank={rank} world-size=2
  thread 1 process=1 tid={100 + rank}
  heap 1 name="host.malloc"
  stack 1 main > malloc
events process=1
  0 th1 alloc #0 heap=1 stack=1 size=100
marks""")
marks = []
for step in range(1, steps + 1):
    marks.append((step * S, f"step process=1 id={step}"))
for n in range(missed, ranges):
    # The ranges do not come at equal times, begin when a rank is ready, and end together.
    end = 200 * MS + n * 100 * MS + n * n * 7 * MS
    marks.append((end - 20 * MS - rank * 10 * MS, f'range-begin process=1 name="{name}" id={n + 1}'))
    marks.append((end + rank * 20000, f"range-end process=1 id={n + 1}"))
for time, text in sorted(marks):
    print(f"  {time} {text}")
print("complete")
