// Allocators that an executable links statically, with malloc's and operator new's names: each thread's blocks by
// line, and the bytes that the allocator itself counts.
//
// REQUIRES: python, static-allocators
// RUN: %cxx -O2 -g %s -DJEMALLOC -o %t-je.exe -Wl,--whole-archive -l:libjemalloc_pic.a -Wl,--no-whole-archive -lpthread -ldl -lm
// RUN: memrec -q -o %t.fb --force -- %t-je.exe > %t.out
// RUN: memrec -q -o %t.fb --force -- %t-je.exe > %t.out
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/close.py %t.fb private.jemalloc@static %t.out
// RUN: memstat %t.fb | FileCheck %s
// RUN: memrec -q --sample=64K -o %t.fb --force -- %t-je.exe > %t.out
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/close.py %t.fb private.jemalloc@static %t.out 20
// RUN: %cxx -O2 -g %s -DTCMALLOC -o %t-tc.exe -Wl,--whole-archive -l:libtcmalloc_minimal.a -Wl,--no-whole-archive -lpthread
// RUN: memrec -q -o %t.fb --force -- %t-tc.exe > %t.out
// RUN: memrec -q -o %t.fb --force -- %t-tc.exe > %t.out
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/close.py %t.fb private.tcmalloc@static %t.out
// RUN: memstat %t.fb | FileCheck %s
// CHECK: held by static.cpp:[[#]] keep
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#ifdef JEMALLOC
extern "C" int mallctl(const char *, void *, size_t *, void *, size_t);
static size_t allocated() {
  size_t Epoch = 1, Bytes = sizeof(Epoch), Allocated = 0;
  mallctl("epoch", nullptr, nullptr, &Epoch, Bytes);
  mallctl("stats.allocated", &Allocated, &Bytes, nullptr, 0);
  return Allocated;
}
#else
extern "C" int MallocExtension_GetNumericProperty(const char *, size_t *);
static size_t allocated() {
  size_t Allocated = 0;
  MallocExtension_GetNumericProperty("generic.current_allocated_bytes", &Allocated);
  return Allocated;
}
#endif

struct alignas(64) Wide {
  char Bytes[4096];
};

__attribute__((noinline)) static void *keep(size_t Bytes) {
  void *P = malloc(Bytes);
  memset(P, 1, Bytes);
  asm volatile("" : : "r"(P) : "memory");
  return P;
}

static void work() {
  for (int I = 0; I != 2000; ++I) {
    char *Text = strdup("text");
    void *P = realloc(malloc(100 + I), 5000);
    auto Wides = std::make_unique<Wide>();
    auto Many = std::make_unique<std::string[]>(10);
    std::vector<std::string> Names(10, std::string(100, char('a' + I % 26)));
    if (I % 20 == 0)
      keep(65536);
    free(P);
    free(Text);
  }
}

int main() {
  std::vector<std::thread> Threads;
  for (int I = 0; I != 8; ++I)
    Threads.emplace_back(work);
  for (std::thread &T : Threads)
    T.join();
  void *Aligned = nullptr;
  if (posix_memalign(&Aligned, 4096, 1 << 20) || !calloc(1024, 1024) || !aligned_alloc(64, 1 << 20))
    return 1;
  printf("%zu\n", allocated());
  fflush(stdout);
  _Exit(0);
}
