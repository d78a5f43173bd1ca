# With steps: a leak keeps memory in each of them; a container grows, and may be full some day;
# a cache that was full after a third has grown. Each has its word in all formats, and SARIF its
# own level.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak %t.fb | FileCheck %s
# RUN: memleak -v --kind=growth %t.fb | FileCheck %s --check-prefix=LONG
# RUN: memleak --kind=growth --format=json %t.fb | FileCheck %s --check-prefix=JSON
# RUN: memleak --kind=growth,exit --format=sarif %t.fb > %t.sarif
# RUN: %python -c "import json; [print(r['level'], r['ruleId'], r['properties'].get('verdict')) for r in json.load(open('%t.sarif'))['runs'][0]['results']]" | FileCheck %s --check-prefix=SARIF
# RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT
# RUN: memstat --format=json %t.fb | %python -c "import json, sys; t = json.load(sys.stdin); print([g['verdict'] for g in t['growing']], [g['verdict'] for g in t['grew']])" | FileCheck %s --check-prefix=LISTS
#
# CHECK: {{^}}LEAK train.py:8 log +1000 B per step, 57.6 KiB in 59 blocks so far
# CHECK: {{^}}grows train.py:5 append {{.*}} per step, {{.*}} in 1 block so far
# CHECK: Nothing else grows (measured: steps 1 to 59)
# CHECK-NEXT: {{^}}grew until step 20 train.py:11 fill 97.7 KiB in 20 blocks
# CHECK-NEXT: Live at the end
#
# LONG: 2 places grow, by {{.*}} per step in all (measured: steps 1 to 59)
# LONG: {{^}}LEAK +1000 B per step in host.malloc
# LONG: {{^}}grows +{{.*}} per step in host.malloc
# LONG-NEXT: one block is replaced by larger ones repeatedly
# LONG: {{^}}grew until {{.*}} per step in host.malloc
#
# JSON: "verdict": "leak",
# JSON-NEXT: "evidence": "steps",
# JSON: "verdict": "grows",
# JSON-NEXT: "evidence": null,
# JSON: "container": true,
# JSON: "verdict": "grew",
# JSON-NEXT: "evidence": null,
# JSON-NEXT: "rounds": null,
# JSON-NEXT: "until_ns": 21000000,
# JSON: "container": false,
#
# SARIF-DAG: error growth leak
# SARIF-DAG: warning grows grows
# SARIF-DAG: note grew grew
# SARIF-DAG: warning exit None
#
# STAT: {{^  }}! LEAK +1000 B per step, 57.6 KiB so far: train.py:8 log
# STAT: {{^  }}grows +{{.*}} per step, {{.*}} so far: train.py:5 append
# STAT-NOT: grew
# LISTS: ['leak', 'grows'] ['grew']
steps, full, ms = 60, 20, 1_000_000
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="train.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main@/home/me/train.py:3 > log@/home/me/train.py:8 > malloc
  stack 2 main@/home/me/train.py:3 > append@/home/me/train.py:5 > malloc
  stack 3 main@/home/me/train.py:3 > fill@/home/me/train.py:11 > malloc
  stack 4 main@/home/me/train.py:3 > read@/home/me/train.py:14 > malloc
events process=1""")
block, container, size = 0, None, 0


def allocate(at, stack, size):
    global block
    print(f"  {at} th1 alloc #{block} heap=1 stack={stack} size={size}")
    block += 1
    return block - 1


for step in range(1, steps + 1):
    at = step * ms
    print(f"  {at + 900} th1 free #{allocate(at + 800, 4, 50000)}")
    allocate(at + 1000, 1, 1000)
    if step <= full:
        allocate(at + 1100, 3, 5000)
    if step * 2000 > size:
        size = size * 3 // 2 or 4000
        larger = allocate(at + 1200, 2, size)
        if container is not None:
            print(f"  {at + 1300} th1 free #{container}")
        container = larger
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * ms} step process=1 id={step}")
print("complete")
