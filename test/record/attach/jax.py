# A program with JAX that runs already (a stand-in for jaxlib with the same symbols): its buffers and compiled programs are recorded
# from then on, each time that memrec attaches.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %cxx -shared -fPIC -std=c++20 -O1 -fvisibility=hidden %S/../jax/Inputs/fake-jax.cpp -o %t/libjax_common.so -lpthread
# RUN: %python %S/Inputs/attach.py cycles:2 %t.fb -- %python %s %S/../jax/Inputs %t/libjax_common.so | FileCheck %s
# CHECK: cycles: 2
# CHECK: mappings left: 0
# CHECK: the program: ran
# RUN: %python %S/Inputs/attach.py once %t.fb -- %python %s %S/../jax/Inputs %t/libjax_common.so | FileCheck %s --check-prefix=ONCE
# ONCE: memrec's status: 0
# ONCE-NEXT: the program: ran
# RUN: memdump --check %t.fb
# RUN: memdump --heap='jax.*' --format=csv --columns=kind,size,scope_path %t.fb | FileCheck %s --check-prefix=BLOCKS
# BLOCKS: alloc,3000000,jit_large
# BLOCKS: free,3000000,jit_large
# RUN: memflame --group-by=line --heap='jax.*' --metric=allocated --format=csv %t.fb | FileCheck %s --check-prefix=LINES
# LINES: jax.py:{{[0-9]+}} work

import signal
import sys
import time

sys.path.insert(0, sys.argv[1])
import fake

stop = False


def end(*_):
    global stop
    stop = True


def work():
    library.fake_run(b"jit_large", 3000000)


signal.signal(signal.SIGTERM, end)
library = fake.load(sys.argv[2])
work()
library.fake_free()
print("ready", flush=True)
while not stop:
    work()
    library.fake_free()
    time.sleep(0.01)
print("ran")
