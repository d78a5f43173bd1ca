# Tensors leak at one line, and at another the nodes of an autograd graph that keep them: the hint stands at both,
# and not at a line that keeps tensors without their graph.
#
# RUN: %python %s > %t.mas && memas --summarize %t.mas -o %t.fb
# RUN: memleak --kind=growth %t.fb | FileCheck %s
#
# CHECK: {{^}}LEAK train.py:11 forward {{.*}} 2.44 MiB in 39 blocks so far
# CHECK: hint: results keep their autograd graph
# CHECK: {{^}}LEAK train.py:16 loss_of
# CHECK: hint: results keep their autograd graph
# CHECK: {{^}}LEAK train.py:18 note
# CHECK-NOT: hint:
print("""header command=["python" "train.py"]
dictionary
  process 1 pid=1 exe="/usr/bin/python3.11" role="train.py"
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
  heap 2 name="torch.cpu" parent=1
  stack 1 run@/home/me/train.py:22 > forward@/home/me/train.py:11 > tanh > malloc
  stack 2 run@/home/me/train.py:23 > loss_of@/home/me/train.py:16 > "torch::autograd::VariableType::mul" > "operator new" > malloc
  stack 3 run@/home/me/train.py:24 > note@/home/me/train.py:18 > tanh > malloc
  source-line file="/home/me/train.py" line=18 text="notes.append(model(x).detach())"
events process=1""")
steps = 40
for step in range(1, steps + 1):
    at = step * 1_000_000
    print(f"  {at + 1000} th1 alloc #{3 * step - 3} heap=2 stack=1 size=65536")
    print(f"  {at + 2000} th1 alloc #{3 * step - 2} heap=1 stack=2 size=2000")
    print(f"  {at + 3000} th1 alloc #{3 * step - 1} heap=2 stack=3 size=1000")
print("marks")
for step in range(1, steps + 1):
    print(f"  {step * 1_000_000} step process=1 id={step}")
print("complete")
