# A library of another version, or without symbols, is left alone: its buffers are blocks of malloc,
# and a line and an alert say so. (A stand-in for jaxlib.)
#
# REQUIRES: python
# RUN: %cxx -shared -fPIC -std=c++20 -O1 -fvisibility=hidden -DOTHER_VERSION %S/Inputs/fake-jax.cpp -o %t.other.so -lpthread
# RUN: memrec -o %t.fb --force -- %python %s %S/Inputs %t.other.so 2>&1 | FileCheck %s --check-prefix=OTHER
# OTHER: JAX: its buffers are blocks of malloc only: memkit does not know this version
# RUN: memstat --show=heaps %t.fb | FileCheck %s --check-prefix=HEAPS
# HEAPS: host.malloc
# HEAPS-NOT: jax
# RUN: memdump %t.fb | FileCheck %s --check-prefix=ALERT
# ALERT: alert JAX: its buffers are blocks of malloc only: memkit does not know this version
#
# RUN: %cxx -shared -fPIC -std=c++20 -O1 -fvisibility=hidden -s %S/Inputs/fake-jax.cpp -o %t.stripped.so -lpthread
# RUN: memrec -o %t.fb --force -- %python %s %S/Inputs %t.stripped.so 2>&1 | FileCheck %s --check-prefix=STRIPPED
# STRIPPED: JAX: its buffers are blocks of malloc only: its library has no symbol table
# RUN: memstat --show=heaps %t.fb | FileCheck %s --check-prefix=HEAPS
#
# Nothing of JAX is recorded if nothing of frameworks is wanted.
# RUN: %cxx -shared -fPIC -std=c++20 -O1 -fvisibility=hidden %S/Inputs/fake-jax.cpp -o %t.so -lpthread
# RUN: memrec -v --torch=none -o %t.fb --force -- %python %s %S/Inputs %t.so 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not=JAX
# NONE: memrec:
# RUN: memstat --show=heaps %t.fb | FileCheck %s --check-prefix=HEAPS

import sys

sys.path.insert(0, sys.argv[1])
import fake

library = fake.load(sys.argv[2])
library.fake_run(b"jit_small", 1000)
library.fake_run(b"jit_large", 3000000)
library.fake_free()
