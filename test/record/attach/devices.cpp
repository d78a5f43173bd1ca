// A program with PyTorch on a GPU that runs already (the reporting functions of a libc10
// that is made here): tensors of devices are recorded from then on.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -shared -fPIC -DLIBRARY -DSIZE=size_t %S/../torch/fake-c10.cpp -o %t.lib/libc10.so -Wl,-soname,libc10.so
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.lib %python %S/Inputs/attach.py once %t.fb -- %t.exe > %t.out
// RUN: FileCheck %s --input-file=%t.out
// CHECK: memrec's status: 0
// CHECK: own: 4096 of 1:1
// CHECK: own: no 99999 of 1:1
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=HEAPS
// HEAPS-NOT: torch.cpu
// HEAPS: torch.cuda:1 {{[1-9]}}
// HEAPS: torch.xpu:0
// RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS
// MARKS: oom {{.*}}torch.cuda:1
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

static volatile sig_atomic_t Ends;

int main() {
  signal(SIGTERM, [](int) { Ends = 1; });
  void *Library = dlopen("libc10.so", RTLD_LAZY | RTLD_LOCAL);
  auto Run = reinterpret_cast<void (*)()>(dlsym(Library, "run"));
  puts("ready");
  fflush(stdout);
  while (!Ends) {
    Run();
    usleep(50'000);
  }
}
