// With the backend cudaMallocAsync PyTorch reports nothing to libc10: the calls of that
// function by libc10_cuda.so are its tensors. Those of others are handed on, no more.
//
// RUN: rm -rf %t && mkdir -p %t/lib
// RUN: echo "libcudart.so.13 { global: cuda*; local: *; };" > %t/version
// RUN: cc -shared -fPIC %S/Inputs/fake-cudart.c -o %t/lib/libcudart.so.13 -Wl,-soname,libcudart.so.13 -Wl,--version-script=%t/version
// RUN: c++ -shared -fPIC -DLIBRARY %s -o %t/lib/libc10_cuda.so -Wl,-soname,libc10_cuda.so %t/lib/libcudart.so.13
// RUN: c++ -shared -fPIC -DLIBRARY %s -o %t/lib/libother.so -Wl,-soname,libother.so %t/lib/libcudart.so.13
// RUN: c++ %s -o %t/exe -ldl
// RUN: env LD_LIBRARY_PATH=%t/lib memrec -o %t.fb -- %t/exe libother.so libc10_cuda.so 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: libother.so: 0x700000000000 0x700000200000, then 2
// SAID: libc10_cuda.so: 0x700000400000 0x700000600000, then 2
// SAID: PyTorch on CUDA: it uses cudaMallocAsync: tensors are that heap's blocks, reserved memory is unknown
//
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// CHECK: {{^}}cuda:1 2 1 2.93 MiB 1.95 MiB 1 2.93 MiB
// CHECK-NEXT: torch.cuda:1 2 1 2.93 MiB 1.95 MiB 1 2.93 MiB
// CHECK-NOT: reserved by
//
// RUN: memdump %t.fb | FileCheck %s --check-prefix=EVENTS
// EVENTS: alloc {{.*}} 1000 KiB torch.cuda:1 at 0x{{[0-9a-f]+}} requested 1000 KiB stream 1 stack
// EVENTS: alloc {{.*}} 1.95 MiB torch.cuda:1 at 0x{{[0-9a-f]+}} requested 1.95 MiB stack
// EVENTS: oom torch.cuda:1 64 GiB 2.93 MiB
// The alert has the time at which the recorder has seen the finding.
// RUN: memdump %t.fb | FileCheck %s --check-prefix=ALERT
// ALERT: alert {{.*}}cudaMallocAsync
//
// RUN: env LD_LIBRARY_PATH=%t/lib memrec -o %t.other.fb -- %t/exe libother.so 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING-NOT: PyTorch
#include <cstddef>
#include <cstdio>
#include <dlfcn.h>

#ifdef LIBRARY
extern "C" {
int cudaSetDevice(int);
int cudaMallocAsync(void **, size_t, void *);
int cudaFreeAsync(void *, void *);

void run(const char *Name) {
  void *A, *B, *C, *Stream = reinterpret_cast<void *>(0x5000);
  cudaSetDevice(1);
  cudaMallocAsync(&A, 1000 << 10, Stream);
  cudaMallocAsync(&B, 2000 << 10, nullptr);
  int Result = cudaMallocAsync(&C, size_t(64) << 30, nullptr);
  printf("%s: %p %p, then %d\n", Name, A, B, Result);
  fflush(stdout);
  cudaFreeAsync(A, Stream);
}
}
#else
int main(int argc, char **argv) {
  for (int I = 1; I != argc; ++I) {
    void *Library = dlopen(argv[I], RTLD_LAZY | RTLD_LOCAL);
    if (!Library)
      return 1;
    reinterpret_cast<void (*)(const char *)>(dlsym(Library, "run"))(argv[I]);
  }
}
#endif
