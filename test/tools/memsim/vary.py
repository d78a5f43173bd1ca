# Recordings that differ in a quantity: constant, linear and quadratic parts of each line, and what fits.
#
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %python %s 8 16 32
# RUN: memsim --vary=batch --as=8GiB 16=16.fb 8=8.fb 32=32.fb | FileCheck %s
#      CHECK: reserved on a device, at the peak: {{.*}} x batch
# CHECK-SAME: (3 recordings
# CHECK-NEXT: fits 8 GiB up to batch {{[0-9,]+}}
# CHECK-NEXT: at batch 32 constant x batch x batch^2 place
# CHECK-NEXT: 320 MiB 0 B 10 MiB train.py:21 forward
# CHECK-NEXT: 256 MiB 256 MiB 0 B train.py:12 weights
# CHECK-NEXT: 128 MiB 0 B 0 B 128 KiB train.py:30 attention
# RUN: memsim --vary=batch 8=8.fb 32=32.fb | FileCheck %s --check-prefix=TWO
#      TWO: host, at the peak: 224 MiB + 15 MiB x batch (2 recordings: as many as the law has terms, so nothing contradicts it)
#  TWO-NOT: fits
# RUN: memsim --vary=batch --as=100MiB 8=8.fb 32=32.fb | FileCheck %s --check-prefix=NONE
#     NONE: does not fit 100 MiB at batch 8: {{.*}} short
# RUN: memsim --vary=batch --format=json --as=8GiB 8=8.fb 16=16.fb 32=32.fb | FileCheck %s --check-prefix=JSON
#     JSON: "quantity": "batch"
#     JSON: "largest_that_fits": {{[0-9]+}}
#     JSON: "place": "train.py:21 forward"
#
# RUN: not memsim --vary=batch 8=8.fb 2>&1 | FileCheck %s --check-prefix=ONE
#      ONE: --vary needs recordings of two different values
# RUN: not memsim --vary=batch 8.fb 16.fb 2>&1 | FileCheck %s --check-prefix=FORM
#     FORM: each recording comes with its value, as 8=a.fb: '8.fb'
# RUN: not memsim 8.fb 16.fb 2>&1 | FileCheck %s --check-prefix=MANY
#     MANY: one recording, or --vary=NAME with the values of several: '16.fb'
# RUN: not memsim --vary=batch --search 8=8.fb 16=16.fb 2>&1 | FileCheck %s --check-prefix=OTHER
#    OTHER: --vary goes with --as and --with=torch:SETTINGS
import subprocess
import sys

MiB = 1 << 20
for batch in map(int, sys.argv[1:]):
    text = """header command=["python" "train.py"]
dictionary
  process 1 pid=11 exe="/usr/bin/python3.11" role="train.py"
  thread 1 process=1 tid=11 name="python"
  heap 1 name="torch.cpu" space=host
  stack 1 "<module>@train.py:40" > "weights@train.py:12"
  stack 2 "<module>@train.py:41" > "forward@train.py:21"
  stack 3 "<module>@train.py:41" > "attention@train.py:30"
events process=1
  100 th1 alloc #0 heap=1 stack=1 size=%d
  200 th1 alloc #1 heap=1 stack=2 size=%d
  300 th1 alloc #2 heap=1 stack=3 size=%d
  400 th1 free #2
  500 th1 free #1
complete
""" % (256 * MiB, 10 * MiB * batch, MiB // 8 * batch * batch)
    subprocess.run(["memas", "--summarize", "-", "-o", "%d.fb" % batch], input=text, text=True, check=True)
