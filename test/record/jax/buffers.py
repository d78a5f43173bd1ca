# Buffers of JAX are a heap, with the program and the line; what a thread of a pool allocates for a
# call has the call's program, line and scope, too. Other blocks of posix_memalign are none.
# (A stand-in for jaxlib with the same symbols.)
#
# REQUIRES: python
# RUN: %cxx -shared -fPIC -std=c++20 -O1 -fvisibility=hidden %S/Inputs/fake-jax.cpp -o %t.so -lpthread
# RUN: memrec -v -o %t.fb --force -- %python %s %S/Inputs %t.so 2>&1 | FileCheck %s --check-prefix=NOTE
# NOTE: JAX: its buffers and compiled programs are recorded
# RUN: memdump --heap='jax.*' --format=csv --columns=kind,size,scope_path %t.fb | FileCheck %s --match-full-lines
#      CHECK: kind,size,scope_path
# CHECK-NEXT: alloc,1000,jit_small
# CHECK-NEXT: alloc,3000000,work/jit_large
# CHECK-NEXT: free,1000,jit_small
# CHECK-NEXT: alloc,4000000,jit_large
#  CHECK-NOT: {{.+}}
# RUN: memflame --group-by=line --heap='jax.*' --format=csv %t.fb | FileCheck %s --check-prefix=LINES
#     LINES: buffers.py:[[#@LINE+26]] <module>{{.*}},4000000,4000000,4000000,1,0,
# RUN: memflame --group-by=line --heap='jax.*' --scope=work --format=csv %t.fb | FileCheck %s --check-prefix=WORK
#      WORK: buffers.py:{{[0-9]+}} <module>;buffers.py:[[#@LINE+18]] work{{.*}}start_thread
# RUN: memstat --show=most,heaps,programs %t.fb | FileCheck %s --check-prefix=PAGE
#      PAGE: Programs that hold most at the peak of JAX: jit_large 6.68 MiB
#      PAGE: {{^}}  jax.cpu {{ *}}6.68 MiB
#      PAGE: {{^}}jit_large {{ *}}6.68 MiB {{ *}}6.68 MiB {{ *}}6.68 MiB {{ *}}2
# Sampled blocks of malloc leave the heap exact.
# RUN: memrec -q --sample=64K -o %t.sampled.fb --force -- %python %s %S/Inputs %t.so
# RUN: memdump --heap='jax.*' --format=csv --columns=kind,size,scope_path %t.sampled.fb | FileCheck %s --match-full-lines
# RUN: memdump --check %t.fb

import sys

sys.path.insert(0, sys.argv[1])
import fake
import memkit

def work():
    with memkit.scope("work"):
        library.fake_run(b"jit_large", 3000000)
library = fake.load(sys.argv[2])
library.fake_run(b"jit_small", 1000)
library.fake_scratch(2000000)
work()
library.fake_free()
library.fake_run(b"jit_large", 4000000)
