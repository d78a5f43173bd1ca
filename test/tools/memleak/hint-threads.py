# The hint about threads that nobody joins: not where their stacks show that they may still run, at once or at the
# end. Some may not have had a processor yet, so three quarters suffice: of the stacks at once for none, of the stacks
# that have ended for the hint.
#
# RUN: %python %s 9 > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=RUNS
# RUN: %python %s 6 > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=RUNS
# RUN: %python %s 3 > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=ENDED
# RUNS: LEAK thread stacks
# RUNS-NOT: hint:
# ENDED: LEAK thread stacks
# ENDED: hint: threads are neither joined nor detached
import sys

steps, running = 12, int(sys.argv[1])
print("""header command=["./a"]
dictionary
  process 1 pid=1 exe="/bin/a"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="host.stack"
  stack 1 main > pthread_create > calloc
  stack 2 main > pthread_create
events process=1""")
for step in range(steps):
    at = (step + 1) * 1000
    if step >= running:
        print(f"  {at} th1 free #{2 * (step - running) + 1}")
    print(f"  {at + 100} th1 alloc #{2 * step} heap=1 stack=1 size=272")
    print(f"  {at + 200} th1 alloc #{2 * step + 1} heap=2 stack=2 size=8192")
print("marks")
for step in range(1, steps + 2):
    print(f"  {step * 1000} step process=1 id={step}")
print("complete")
