# A leak that runs since before the first step counts from the first step on, to the block: what the
# summary joins of the warm-up and the first steps is parted again.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s
# RUN: memleak --kind=growth --format=json %t.fb | FileCheck %s --check-prefix=JSON
#
# CHECK: {{^}}LEAK serve.py:8 remember +39.1 KiB per step, 15.2 MiB in 7,980 blocks so far
# CHECK-NEXT: steps 1 to 399
# JSON: "blocks": 8000,
# JSON: "growth_bytes": 15960000,
# JSON: "since_step": 1,
steps, parts = 400, 20
print("""header command=["python" "serve.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="serve.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  stack 1 main@/home/me/serve.py:3 > remember@/home/me/serve.py:8 > malloc
events process=1""")
for step in range(steps):
    for part in range(parts):
        print(f"  {step * 1_000_000 + 1000 + part * 1000} th1 alloc #{step * parts + part} heap=1 stack=1 size=2000")
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * 1_000_000} step process=1 id={step}")
print("complete")
