# Damaged and hostile traces end in errors and bounded work, and leave no process.
#
# Ids that are not there, a block that is freed twice, and a resize to nothing:
# RUN: %python %s frees > %t.frees.mas && memas -o %t.frees.fb %t.frees.mas
# RUN: memsim --with=glibc %t.frees.fb | FileCheck %s --check-prefix=FREES
# FREES: live: 1000 B at the peak, 1 B at the end; 6 requests of 1 thread
#
# More threads than a process may have at a time need only the threads that live:
# RUN: %python %s threads > %t.threads.mas && memas -o %t.threads.fb %t.threads.mas
# RUN: memsim --with=glibc %t.threads.fb | FileCheck %s --check-prefix=THREADS
# THREADS: {{.*}} 4,000 requests of 2,001 threads
#
# Each byte of a trace changed in turn, and cut: an answer or an error, never a crash.
# RUN: memas -o %t.good.fb %S/basic.mas
# RUN: %python %s bytes %t.good.fb %t.bad.fb
import subprocess
import sys


def head(threads):
    print('header command=["./prog"] pid=100\ndictionary\n  string 1 "host.malloc"\n  process 1 pid=100')
    for i in range(threads):
        print(f"  thread {i + 1} process=1 tid={100 + i}")
    print('  heap 1 name=1\n  stack 1 "main@plain.c:20"\nevents process=1')


def change_bytes(good, bad):
    data = open(good, "rb").read()
    for at in range(0, len(data), 11):
        for changed in (data[:at], data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]):
            with open(bad, "wb") as out:
                out.write(changed)
            run = subprocess.run(["memsim", "-q", "--with=glibc", bad], capture_output=True, timeout=60)
            if run.returncode not in (0, 1):
                sys.exit(f"byte {at}: status {run.returncode}: {run.stderr}")


if sys.argv[1] == "frees":
    head(1)
    rows = ["alloc #0 heap=1 size=1000 stack=1", "resize #0 size=0", "free #0", "free #0", "alloc #1 heap=1 size=0 stack=1",
            "resize #1 size=0", "resize #1 size=1"]
    for i, row in enumerate(rows):
        print(f"  {100 * (i + 1)} th1 {row}")
    print("complete")
elif sys.argv[1] == "threads":
    head(2001)
    for i in range(2000):
        if i % 200 == 0 and i:
            print("events process=1")
        print(f"  {200 * i + 100} th{i + 2} alloc #{i} heap=1 size=100 stack=1")
        print(f"  {200 * i + 200} th{i + 2} free #{i}")
    print("complete")
else:
    change_bytes(*sys.argv[2:])
