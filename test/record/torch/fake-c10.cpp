// Tensors of devices that this machine does not have, by the reporting functions of a
// libc10 that is made here: those of PyTorch 1.13 and those of 2.0 and later. What they
// are told goes on to libc10's own.
//
// RUN: c++ -shared -fPIC -DLIBRARY -DSIZE=size_t %s -o %t.new.so -Wl,-soname,libc10.so
// RUN: rm -rf %t.new && mkdir %t.new && mv %t.new.so %t.new/libc10.so
// RUN: c++ -DSIZE=size_t %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.new memrec -q -o %t.fb -- %t.exe | FileCheck %s --check-prefix=TOLD
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS
//
// RUN: c++ -shared -fPIC -DLIBRARY -DSIZE=int64_t %s -o %t.old.so -Wl,-soname,libc10.so
// RUN: rm -rf %t.old && mkdir %t.old && mv %t.old.so %t.old/libc10.so
// RUN: c++ -DSIZE=int64_t %s -o %t.old.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.old memrec -q -o %t.old.fb -- %t.old.exe | FileCheck %s --check-prefix=TOLD
// RUN: memdump --summary %t.old.fb | FileCheck %s
//
// RUN: env LD_LIBRARY_PATH=%t.new memrec -q --torch=none -o %t.none.fb -- %t.exe
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=NONE
// NONE-NOT: torch.
//
// 1000 + 3000 bytes of the CPU's, the first freed; 4096 of cuda:1, 512 of xpu:0.
// CHECK: {{^}}host
// CHECK: torch.cpu 2 1 3.91 KiB 2.93 KiB 1 3.91 KiB
// CHECK: {{^}}cuda:1 1 0 4 KiB 4 KiB 1 4 KiB
// CHECK: torch.cuda:1 1 0 4 KiB
// CHECK: {{^}}xpu:0 1 1 512 B 0 B 0 512 B
// CHECK: torch.xpu:0 1 1 512 B
//
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=RESERVED
// RESERVED: "name": "torch.cuda:1"
// RESERVED: "reserved_peak_bytes": 1048576
//
// MARKS: reserved {{.*}}torch.cuda:1
// MARKS: oom {{.*}}torch.cuda:1
//
// The CPU's reach libc10 only when a profiler is there.
// TOLD: enabled 1
// TOLD-NEXT: own: 4096 of 1:1
// TOLD-NEXT: own: 512 of 12:0
// TOLD-NEXT: own: -512 of 12:0
// TOLD-NEXT: own: no 99999 of 1:1
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace c10 {
struct Device {
  int8_t Type, Index;
};
bool memoryProfilingEnabled();
void reportMemoryUsageToProfiler(void *, int64_t, SIZE, SIZE, Device);
void reportOutOfMemoryToProfiler(int64_t, SIZE, SIZE, Device);
} // namespace c10

#ifdef LIBRARY
bool c10::memoryProfilingEnabled() { return false; }
void c10::reportMemoryUsageToProfiler(void *, int64_t Bytes, SIZE, SIZE,
                                      Device D) {
  printf("own: %ld of %d:%d\n", long(Bytes), D.Type, D.Index);
}
void c10::reportOutOfMemoryToProfiler(int64_t Bytes, SIZE, SIZE, Device D) {
  printf("own: no %ld of %d:%d\n", long(Bytes), D.Type, D.Index);
}
// As PyTorch does, by way of the symbols.
extern "C" void run() {
  c10::Device Cpu = {0, -1}, Cuda = {1, 1}, Xpu = {12, 0};
  printf("enabled %d\n", c10::memoryProfilingEnabled());
  auto Report = c10::reportMemoryUsageToProfiler;
  void *A = malloc(1000), *B = malloc(3000);
  Report(A, 1000, 1000, 0, Cpu);
  Report(B, 3000, 4000, 0, Cpu);
  Report(A, -1000, 3000, 0, Cpu);
  free(A);
  Report(reinterpret_cast<void *>(0x700000200000), 4096, 4096, 1 << 20, Cuda);
  Report(reinterpret_cast<void *>(0x700000400000), 512, 512, 0, Xpu);
  Report(reinterpret_cast<void *>(0x700000400000), -512, 0, 0, Xpu);
  c10::reportOutOfMemoryToProfiler(99999, 4096, 1 << 20, Cuda);
}
#else
int main() {
  void *Library = dlopen("libc10.so", RTLD_LAZY | RTLD_LOCAL);
  reinterpret_cast<void (*)()>(dlsym(Library, "run"))();
  return 0;
}
#endif
