// An executable that defines malloc itself, as one does that links an allocator statically, and runs already: its
// calls, and those of libraries, as of operator new, lead to the recorder for as long as memrec is there. A thread is
// used for that which waits, and for no lock. Again, each time; memrec may be killed.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cxx -O2 -g %s -o %t/program -pthread
// RUN: %python %S/../attach/Inputs/attach.py told %t/t.fb -- %t/program > %t/out
// RUN: FileCheck %s < %t/out
// CHECK: the program says: 1000 of 777 bytes, 10 of 5000
// CHECK-NEXT: {{.*}}detached: {{.*}}, and {{[1-9]}} functions of private allocators
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: rounds some, errors 0, code as before
// CHECK-NEXT: the program's status: 0
// RUN: memdump --check %t/t.fb
// RUN: memdump --heap='private.*' --format=csv --columns=kind,size %t/t.fb | sort | uniq -c | FileCheck %s --check-prefix=BLOCKS
// BLOCKS-DAG: {{^ *}}1000 alloc,777
// BLOCKS-DAG: {{^ *}}10 {{.*}},5000
// RUN: memflame --group-by=line --heap='private.*' --metric=live --format=csv %t/t.fb | FileCheck %s --check-prefix=LINES
// LINES-DAG: own-malloc-late.cpp:{{[0-9]+}} keepNew
// LINES-DAG: own-malloc-late.cpp:{{[0-9]+}} keepGrown
// RUN: memdump --summary --format=json %t/t.fb | FileCheck %s --check-prefix=HEAP
// HEAP: "lost": 0,
// HEAP: "unknown_free": 0,
// HEAP: private.malloc@program
// RUN: memdump --table=heaps --format=csv %t/t.fb | FileCheck %s --check-prefix=NONE
// NONE-NOT: host.malloc,{{.*}}true,{{[1-9]}}
// RUN: %python %S/../attach/Inputs/attach.py cycles:10 %t/c.fb -- %t/program | FileCheck %s --check-prefix=CYCLES
// RUN: memdump --check %t/c.fb
// CYCLES: cycles: 10
// CYCLES: mappings left: 0
// CYCLES: rounds some, errors 0, code as before
// RUN: %python %S/../attach/Inputs/attach.py kills:5 %t/k.fb -- %t/program | FileCheck %s --check-prefix=KILLS
// KILLS: memrec's status: 0
// KILLS: rounds some, errors 0, code as before

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#ifndef LINKED
extern "C" {
#include "Inputs/toy.h"
#define NOINLINE __attribute__((noinline))
NOINLINE void *malloc(size_t Size) { return toy_take(Size); }
NOINLINE void *calloc(size_t Many, size_t Size) {
  void *P = malloc(Many * Size);
  return P ? memset(P, 0, Many * Size) : P;
}
NOINLINE void free(void *P) { toy_drop(P); }
NOINLINE void *realloc(void *P, size_t Size) {
  void *New = malloc(Size);
  if (New && P) {
    size_t Old = ((size_t *)P)[-2];
    memcpy(New, P, Old < Size ? Old : Size);
    free(P);
  }
  return New;
}
}
#endif

static volatile sig_atomic_t Ends;
static int Rounds, Errors; // atomic
static void end(int) { Ends = 1; }

/// What the compiler must not leave out.
static void *used(void *P) {
  asm volatile("" : "+r"(P) : : "memory");
  return P;
}
__attribute__((noinline)) static void *keepNew(size_t Size) { return used(new char[Size]); }
__attribute__((noinline)) static void *keepGrown(size_t Size) { return used(realloc(used(malloc(1)), Size)); }

/// Each block has its own number in all its bytes.
static void *work(void *Seed) {
  unsigned Next = unsigned(uintptr_t(Seed)), Sizes[16] = {};
  unsigned char *Held[16] = {};
  while (!Ends) {
    Next = Next * 1103515245 + 12345;
    unsigned At = Next >> 8 & 15, Size = 1 + (Next >> 16 & 255);
    for (unsigned I = 0; Held[At] && I != Sizes[At]; ++I)
      if (Held[At][I] != At)
        __atomic_fetch_add(&Errors, 1, __ATOMIC_RELAXED);
    if (Next >> 24 & 1) {
      Held[At] = static_cast<unsigned char *>(realloc(Held[At], Size));
    } else {
      free(Held[At]);
      Held[At] = static_cast<unsigned char *>(malloc(Size));
    }
    memset(Held[At], int(At), Size);
    Sizes[At] = Size;
    __atomic_fetch_add(&Rounds, 1, __ATOMIC_RELAXED);
    if (!(Next >> 9 & 63))
      usleep(500);
  }
  for (unsigned char *P : Held)
    free(P);
  return nullptr;
}

/// A sum of the executable's code.
static int sum(dl_phdr_info *Info, size_t, void *To) {
  for (int I = 0; I != Info->dlpi_phnum; ++I)
    if (Info->dlpi_phdr[I].p_flags & PF_X)
      for (size_t B = 0; B != Info->dlpi_phdr[I].p_filesz; ++B)
        *static_cast<uint64_t *>(To) = *static_cast<uint64_t *>(To) * 31 +
                                       reinterpret_cast<unsigned char *>(Info->dlpi_addr + Info->dlpi_phdr[I].p_vaddr)[B];
  return 1;
}

/// The jumps into the library, which memrec writes last.
static bool isRecorded(uint64_t Code) {
  uint64_t Now = 0;
  dl_iterate_phdr(sum, &Now);
  return Now != Code;
}

int main() {
  signal(SIGTERM, end);
  uint64_t Code = 0;
  dl_iterate_phdr(sum, &Code);
  pthread_t Threads[4];
  for (uintptr_t I = 0; I != 4; ++I)
    pthread_create(&Threads[I], nullptr, work, reinterpret_cast<void *>(I + 1));
  puts("ready");
  fflush(stdout);
  while (!Ends && !isRecorded(Code))
    usleep(10000);
  for (int I = 0; I != 1000; ++I)
    keepNew(777);
  for (int I = 0; I != 10; ++I)
    keepGrown(5000);
  puts("1000 of 777 bytes, 10 of 5000");
  fflush(stdout);
  while (!Ends)
    usleep(10000);
  for (pthread_t T : Threads)
    pthread_join(T, nullptr);
  printf("rounds %s, errors %d, code %s\n", Rounds ? "some" : "none", Errors, isRecorded(Code) ? "changed" : "as before");
}
