# A MemoryError: who asked for how much, in the program's own line, though the program
# went on; and what another thread could not have.
#
# REQUIRES: python
# RUN: memrec -q -o %t.fb -- %python %s
# RUN: memdump --check %t.fb
# RUN: memdump --oom %t.fb | FileCheck %s
# RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT
#
# CHECK: memory-error.py:[[#]] load asked for 64 TiB of host.malloc at {{.*}}: the machine has
# CHECK-NEXT: to change: the size of this request: no machine like this has it
# CHECK: memory-error.py:[[#]] load
# CHECK: held then {{.*}}by
# CHECK: memory-error.py:[[#]] other asked for 32 TiB of host.malloc
# STAT: memory-error.py: peak {{.*}}; out of memory 2 times
# STAT: ! out of memory 2 times, at last: memory-error.py:[[#]] other asked for 32 TiB
import threading


def load(kept):
    kept.append(bytearray(1 << 20))
    try:
        return bytearray(1 << 46)
    except MemoryError:
        return None


def other():
    try:
        bytearray(1 << 45)
    except MemoryError:
        pass


kept = []
load(kept)
thread = threading.Thread(target=other)
thread.start()
thread.join()
