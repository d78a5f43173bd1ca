// A program that never uses CUDA has nothing of it loaded, though it looks up functions that
// are named as the driver's, and a driver is there; nor has one whose driver cannot be
// loaded, and nothing is said of either.
//
// RUN: %cc -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %cc -g %s -o %t.exe -ldl -DPATH='"%t.so"'
// RUN: %cuda memrec -v -o %t.fb -- %t.exe > %t.out 2> %t.err
// RUN: FileCheck %s --implicit-check-not=libmemrec-cuda --implicit-check-not=libcupti --implicit-check-not=libcuda --implicit-check-not=libnvidia < %t.out
// RUN: FileCheck %s --check-prefix=SAID --implicit-check-not=CUDA < %t.err
// CHECK: found it
// CHECK: libmemrec.so
// SAID: 0 lost
//
// An empty file, since the machine may have a real one.
// RUN: rm -rf %t && mkdir %t && touch %t/libcuda.so.1 && cp %fake_cuda/libcudart.so.13 %t
// RUN: %cuda_cc -DRUNTIME %s -o %t.rt.exe -l:libcudart.so.13
// RUN: env LD_LIBRARY_PATH=%t memrec -v -o %t.fb -- %t.rt.exe > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=NONE --implicit-check-not=libmemrec-cuda --implicit-check-not=libcupti < %t.out
// RUN: FileCheck %s --check-prefix=SAID --implicit-check-not=CUDA < %t.err
// RUN: memdump --check %t.fb
// NONE: error 35

#include <stdio.h>

#ifdef LIBRARY
int cuddle(void) { return 42; }
#else
#ifdef RUNTIME
#include <cuda_runtime_api.h>
#else
#include <dlfcn.h>
#endif

int main(void) {
#ifdef RUNTIME
  void *P;
  printf("error %d\n", (int)cudaMalloc(&P, 1000));
#else
  int (*Find)(void) = (int (*)(void))dlsym(dlopen(PATH, RTLD_NOW), "cuddle");
  if (Find && Find() == 42 && !dlsym(RTLD_DEFAULT, "cuInit"))
    printf("found it\n");
#endif
  char Line[4096];
  FILE *Maps = fopen("/proc/self/maps", "r");
  while (fgets(Line, sizeof(Line), Maps))
    fputs(Line, stdout);
  return 0;
}
#endif
