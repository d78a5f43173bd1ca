# What is no leak though it survives, beside requests that come and go: a pool that takes its chunks seldom and is large
# enough by now, the last phase of a program, and modules that are imported one after the other. Threads that never end
# are: their stacks of Python frames are no arenas. In a program without steps, modules that are imported to its end are no
# growth.
#
# RUN: %python %s pool > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=POOL
# RUN: %python %s going > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=GOING
# RUN: %python %s phase > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=PHASE
# RUN: %python %s half > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=HALF
# RUN: %python %s imports > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=IMPORTS
# RUN: %python %s bytecode > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=IMPORTS
# RUN: %python %s start > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=START
# RUN: %python %s timed > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=TIMED
# RUN: %python %s threads > %t.mas && memas --summarize %t.mas -o %t.fb && memleak --kind=growth %t.fb | FileCheck %s --check-prefix=THREADS
# POOL-NOT: {{^(LEAK|grows)}}
# POOL: grew until step 7{{[0-9]+}}  train.py:7 take
# GOING: LEAK  train.py:7 take
# PHASE-NOT: LEAK
# PHASE: grows  train.py:7 take
# HALF: LEAK  train.py:7 take
# IMPORTS-NOT: LEAK
# IMPORTS: grows  imports
# START-NOT: {{^(LEAK|grows)}}
# START: Nothing grows
# TIMED-NOT: {{^(LEAK|grows)}}
# TIMED: grew until {{.*}} s  train.py:7 take
# THREADS-NOT: arenas
# THREADS: LEAK  threading
import sys

what = sys.argv[1]
has_steps = what not in ("timed", "threads", "start")
what = "imports" if what == "start" else what
steps, ms, request = 1000, 1_000_000, 200_000
leaf = {"imports": "<module>@/home/me/train.py:5 > load@/usr/lib/python3.11/importlib/_bootstrap.py:9"
                   " > <module>@/usr/lib/python3/dist-packages/lib%d/__init__.py:1 > malloc",
        "bytecode": "<module>@/home/me/train.py:5 > load@/usr/lib/python3.11/importlib/_bootstrap.py:9 > malloc",
        "threads": "run@/usr/lib/python3.11/threading.py:9 > python3.11!_PyThreadState_BumpFramePointerSlow@p.c:1"
                   " > python3.11!push_chunk@p.c:2 > python3.11!_PyObject_ArenaMmap@o.c:2 > mmap"}.get(
                       what, "<module>@/home/me/train.py:3 > take@/home/me/train.py:7 > malloc")
when = {"pool": lambda step: step % 25 == 0 and step < 725, "going": lambda step: step % 25 == 0,
        "phase": lambda step: step > 830, "half": lambda step: step > 500,
        "imports": lambda step: step % 45 == 0, "bytecode": lambda step: step % 45 == 0, "timed": lambda step: step % 100 == 0 and step < 650,
        "threads": lambda step: step % 10 == 0}[what]
pace = ms if has_steps else 10 * ms
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="host.mmap"
  stack 1 <module>@/home/me/train.py:4 > read@/home/me/train.py:50 > malloc""")
made = {}
for step in range(1, steps + 1):
    if when(step):
        made[step] = len(made) + 2 if what == "imports" or not made else 2
        if made[step] == len(made) + 1:
            print(f"  stack {made[step]} {leaf % made[step] if '%d' in leaf else leaf}")
print("events process=1")
block = -1
for step in range(1, steps + 1):
    at = step * pace
    block += 1
    print(f"  {at} th1 alloc #{block} heap=1 stack=1 size={request}")
    print(f"  {at + 100} th1 free #{block}")
    if step in made:
        block += 1
        print(f"  {at + 200} th1 alloc #{block} heap={2 if what == 'threads' else 1} stack={made[step]} size=16384")
if has_steps:
    print("marks")
    for step in range(1, steps + 1):
        print(f"  {step * pace} step process=1 id={step}")
print("complete")
