# The device memory of NCCL by communicator: what it takes while it makes one, in a thread that it
# begins, and what a first collective takes. A library made here has NCCL's symbols and threads.
#
# REQUIRES: python
# RUN: rm -rf %t && mkdir %t
# RUN: %cuda_cxx -std=c++17 -shared -fPIC -pthread %S/Inputs/nccl.cpp -o %t/libnccl.so.2 -Wl,-soname,libnccl.so.2 %libcuda
# RUN: %cuda_cxx -std=c++17 -shared -fPIC -DUSER %S/Inputs/nccl.cpp -o %t/libuser.so %t/libnccl.so.2 -Wl,-rpath,%t %libcuda
# RUN: %cuda memrec -q -o %t/t.fb -- %python %s %t/libuser.so
# RUN: memdump --check %t/t.fb
# RUN: memdump --scopes --format=csv %t/t.fb | FileCheck %s --check-prefix=SCOPES
# RUN: memflame --format=collapsed --group-by=scope-path --heap=cuda:0.device --metric=peak %t/t.fb | sort | FileCheck %s --check-prefix=PATHS --match-full-lines
# RUN: memflame --format=collapsed --heap=cuda:0.device --metric=peak %t/t.fb | FileCheck %s --check-prefix=LINES
# RUN: %cuda memrec -q -o %t/h.fb --heap='cuda*' -- %python %s %t/libuser.so
# RUN: memflame --format=collapsed --group-by=scope-path --heap=cuda:0.device --metric=peak %t/h.fb | sort | FileCheck %s --check-prefix=PATHS --match-full-lines
# RUN: %cuda %python %s %t/libuser.so
#
# The first communicator takes 4 MiB and, for its first collective, 2 MiB; the second, a part of
# it, 4 MiB and in a group with the first 1 MiB; NCCL's memory of the program is 8 MiB, and the
# program's own 16 MiB.
# SCOPES: NCCL communicator 0 (rank 3 of 8),2,{{.*}},2,6291456,
# SCOPES-NEXT: NCCL communicator 1,1,{{.*}},1,4194304,
# PATHS: (no scope path) 16777216
# PATHS-NEXT: NCCL communicator 0 (rank 3 of 8) 6291456
# PATHS-NEXT: NCCL communicator 1 4194304
# PATHS-NEXT: NCCL memory of the program 8388608
# PATHS-NEXT: NCCL, several communicators 1048576
# LINES-DAG: {{.*}}init_group{{.*}}cuMemAlloc{{.*}} 4194304
# LINES-DAG: {{.*}}train;__clone3{{.*}}cuMemAlloc{{.*}} 7340032
import ctypes
import sys

# Without the interpreter's lock, as PyTorch calls NCCL.
library = ctypes.CDLL(sys.argv[1])


def init_group():
    return library.initGroup()


def train():
    return library.train()


assert init_group() == 0
assert train() == 0
