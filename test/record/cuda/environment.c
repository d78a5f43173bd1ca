// memrec sets CUDA_INJECTION64_PATH unless the user has; programs that are executed get
// it back, those that are not followed do not, and with --cuda=off none does.
//
// RUN: %cc -O1 %src_root/test/record/nvtx/environment.c -DVARIABLE='"CUDA_INJECTION64_PATH"' -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe show | FileCheck %s --check-prefix=OURS
// RUN: memrec -q -o %t.fb %t.exe bare %t.exe | FileCheck %s --check-prefix=OURS
// RUN: memrec -q -o %t.fb %t.exe keep %t.exe | FileCheck %s --check-prefix=OURS
// RUN: memrec -q --no-follow -o %t.fb %t.exe keep %t.exe | FileCheck %s --check-prefix=NONE
// RUN: memrec -q --cuda=off -o %t.fb %t.exe keep %t.exe | FileCheck %s --check-prefix=NONE
// RUN: env CUDA_INJECTION64_PATH=/theirs.so memrec -o %t.fb %t.exe keep %t.exe > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=THEIRS < %t.out
// RUN: FileCheck %s --check-prefix=SAID < %t.err
// RUN: env CUDA_INJECTION64_PATH=%memrec_cuda memrec -o %t.fb %t.exe show 2>&1 | FileCheck %s --check-prefix=OURS --implicit-check-not='is set already'
//
// OURS: path: {{.*}}libmemrec-cuda.so
// NONE: path: none
// THEIRS: path: /theirs.so
// SAID: warning: CUDA_INJECTION64_PATH is already set to /theirs.so: CUDA's driver is recorded only where programs look up its functions
