# Damaged and hostile traces end in errors and bounded work.
#
# RUN: %python %s make > %t.mas && memas -o %t.fb %t.mas
# RUN: not memsim %t.fb 2>&1 | FileCheck %s
# CHECK: memsim: error: {{.*}}.fb: offset {{[0-9]+}}: more than 4096 streams and pools of torch.cuda:0 cannot be simulated
#
# RUN: %python %s sizes > %t.sizes.mas && memas -o %t.sizes.fb %t.sizes.mas
# RUN: memsim --search %t.sizes.fb | FileCheck %s --check-prefix=SIZES
# SIZES: none of 64 settings serves all requests
# SIZES: torch.cuda:0: no allocator serves all requests
# SIZES: torch:recorded: out of memory at 200 ns: 16 EiB requested, 2 MiB reserved
#
# Each byte of a trace changed in turn, and cut: an answer or an error, never a crash.
# RUN: memas -o %t.good.fb %S/out-of-memory.mas
# RUN: %python %s bytes %t.good.fb %t.bad.fb
import subprocess
import sys

HEAD = """header
dictionary
  string 1 "torch.cuda:0"
  device 1 space="cuda:0"
  process 1 pid=100
  thread 1 process=1 tid=100
  heap 1 name=1 space=1
  stack 1 "main@plain.c:20"
events process=1"""


def events(rows):
    print(HEAD)
    for i, row in enumerate(rows):
        print(f"  {100 * (i + 1)} th1 {row}")
    print("complete")


def change_bytes(good, bad):
    data = open(good, "rb").read()
    for at in range(0, len(data), 7):
        for changed in (data[:at], data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]):
            with open(bad, "wb") as out:
                out.write(changed)
            run = subprocess.run(["memsim", "-q", "--with=torch", bad], capture_output=True, timeout=60)
            if run.returncode not in (0, 1):
                sys.exit(f"byte {at}: status {run.returncode}: {run.stderr}")


if sys.argv[1] == "make":
    events(f"alloc #{i} heap=1 size=512 stack=1 stream={i % 70} pool={i // 70}" for i in range(5000))
elif sys.argv[1] == "sizes":
    events(["alloc #0 heap=1 size=0 stack=1", "alloc #1 heap=1 size=512 stack=1 requested=18446744073709551615"])
else:
    change_bytes(*sys.argv[2:])
