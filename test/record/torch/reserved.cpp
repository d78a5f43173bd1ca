// What a device's allocator reserves is told of each scope: now, at most, and what of
// it was given out. By a libc10 that is made here.
//
// RUN: rm -rf %t.c10 && mkdir %t.c10
// RUN: c++ -shared -fPIC -DLIBRARY -I%src_root/include %s -o %t.c10/libc10.so -Wl,-soname,libc10.so
// RUN: c++ -I%src_root/include %s -o %t.exe -ldl
// RUN: env LD_LIBRARY_PATH=%t.c10 memrec -q -o %t.fb -- %t.exe | FileCheck %s
// RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=TABLE
//
// CHECK: inner: torch.cuda:0: reserved 3000, at most 9000, active 2000
// CHECK: outer: torch.cuda:0: reserved 1000, at most 9000, active 500
// CHECK: later: torch.cuda:0: reserved 1000, at most 1000, active 500
// TABLE: {{^}}inner,{{.*}},9000,scope
// TABLE: {{^}}outer,{{.*}},9000,scope
// TABLE: {{^}}later,{{.*}},1000,scope
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <memkit/memkit.h>

namespace c10 {
struct Device {
  int8_t Type, Index;
};
bool memoryProfilingEnabled();
void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device);
} // namespace c10

#ifdef LIBRARY
bool c10::memoryProfilingEnabled() { return false; }
void c10::reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device) {
}
static void report(size_t Active, size_t Reserved) {
  static uintptr_t Next = 0x700000000000;
  auto Report = c10::reportMemoryUsageToProfiler;
  Report(reinterpret_cast<void *>(Next += 4096), 16, Active, Reserved, {1, 0});
}
static void tell(const char *Name, uint64_t Scope) {
  struct memkit_stats S;
  if (!memkit_stats(Scope, &S))
    return;
  for (uint32_t I = 0; I != S.num_heaps; ++I)
    if (S.reserved_of[I].is_known)
      printf("%s: %s: reserved %lu, at most %lu, active %lu\n", Name,
             S.heaps[I].name, (unsigned long)S.reserved_of[I].reserved,
             (unsigned long)S.reserved_of[I].peak,
             (unsigned long)S.reserved_of[I].active);
}
extern "C" void run() {
  uint64_t Outer = memkit_scope_begin("outer");
  report(1000, 5000);
  uint64_t Inner = memkit_scope_begin("inner");
  report(8000, 9000);
  report(2000, 3000);
  memkit_scope_end(Inner);
  report(500, 1000);
  memkit_scope_end(Outer);
  uint64_t Later = memkit_scope_begin("later");
  memkit_scope_end(Later);
  tell("inner", Inner);
  tell("outer", Outer);
  tell("later", Later);
}
#else
int main() {
  void *Library = dlopen("libc10.so", RTLD_LAZY | RTLD_LOCAL);
  reinterpret_cast<void (*)()>(dlsym(Library, "run"))();
  return 0;
}
#endif
