// The blocks of jemalloc, preloaded, linked, and as a part of the executable: by who holds them, to the byte; not
// what threads have freed and keep.
//
// REQUIRES: python, jemalloc, static-allocators
// RUN: %cc -O1 %s -o %t.exe -ldl -lpthread
// RUN: %python %S/Inputs/count.py %t.fb -- env LD_PRELOAD=%jemalloc %t.exe > %t.said
// RUN: FileCheck %s < %t.said
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/jemalloc-sums.py %t.fb host.malloc %t.said
// RUN: memflame --format=collapsed --metric=live %t.fb | FileCheck %s --check-prefix=LIVE
//
// RUN: %cc -O1 %s -o %t.linked -Wl,--no-as-needed %jemalloc -ldl -lpthread
// RUN: %python %S/Inputs/count.py %t.fb --census=exact -- %t.linked > %t.said
// RUN: FileCheck %s < %t.said
// RUN: %python %S/Inputs/jemalloc-sums.py %t.fb host.malloc %t.said
// RUN: memflame --format=collapsed --metric=live %t.fb | FileCheck %s --check-prefix=LIVE
//
// RUN: %cc -O1 %s -o %t.static -rdynamic -Wl,--whole-archive -l:libjemalloc_pic.a -Wl,--no-whole-archive -lpthread -ldl -lm -lstdc++
// RUN: %python %S/Inputs/count.py %t.fb -- %t.static > %t.said
// RUN: FileCheck %s --check-prefix=PRIVATE < %t.said
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/jemalloc-sums.py %t.fb private.jemalloc@jemalloc %t.said
// RUN: memflame --format=collapsed --metric=live --heap='private.*' %t.fb | FileCheck %s --check-prefix=LIVE
// RUN: memstat %t.fb | FileCheck %s --check-prefix=SCREEN
//
// A program without symbols has the same sums.
// RUN: strip %t.static -o %t.stripped
// RUN: %python %S/Inputs/count.py %t.fb -- %t.stripped > %t.said
// RUN: %python %S/Inputs/jemalloc-sums.py %t.fb private.jemalloc@jemalloc %t.said
//
// CHECK: memrec: process {{[0-9]+}} ({{.*}}): {{[0-9.]+}} MiB of malloc in 11{{[0-9]}},{{[0-9]+}} blocks,
// CHECK-NOT: are not known
// CHECK: the program's status: 0
// PRIVATE: MiB of jemalloc@jemalloc in 11{{[0-9]}},{{[0-9]+}} blocks, {{.*}} free in these
// PRIVATE-NOT: are not known
// PRIVATE: the program's status: 0
// SCREEN: held by {{ *}}Large
// SCREEN: resident {{.*}}the program's mappings {{[56][0-9.]+}} MiB
//
// The nodes; the table with 10,000 strings of 320 bytes that can be used; a block of its own.
// LIVE-DAG: {{^}}Cache 9600000
// LIVE-DAG: {{^}}Table 3363840
// LIVE-DAG: {{^}}Large 5{{[0-9]+}}

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { Nodes = 100000, Strings = 20000, Threads = 4, Freed = 500 };
static struct CacheNode {
  struct CacheNode *Next;
  char Text[88];
} *Cache;
static char **Table, *Large;
static pthread_barrier_t Ready;

/// Frees blocks, which its jemalloc keeps for it.
static void *work(void *Unused) {
  void *Its[Freed];
  for (int I = 0; I != Freed; ++I)
    Its[I] = malloc(16 + (size_t)I);
  for (int I = 0; I != Freed; ++I)
    free(Its[I]);
  memset(Its, 0, sizeof(Its));
  pthread_barrier_wait(&Ready);
  pause();
  return Unused;
}

static size_t usable(void) {
  size_t Sum = malloc_usable_size(Table) + malloc_usable_size(Large);
  for (struct CacheNode *N = Cache; N; N = N->Next)
    Sum += malloc_usable_size(N);
  for (int I = 0; I != Strings; ++I)
    Sum += malloc_usable_size(Table[I]);
  return Sum;
}

int main(void) {
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &Ends, NULL);
  for (int I = 0; I != Nodes; ++I) {
    struct CacheNode *N = malloc(sizeof(*N));
    N->Next = Cache;
    Cache = N;
  }
  Table = malloc(Strings * sizeof(*Table));
  for (int I = 0; I != Strings; ++I)
    Table[I] = malloc(300);
  for (int I = 0; I != Strings; I += 2) {
    free(Table[I]);
    Table[I] = NULL;
  }
  Large = malloc(50 << 20);
  memset(Large, 1, 50 << 20);
  pthread_barrier_init(&Ready, NULL, Threads + 1);
  for (int I = 0; I != Threads; ++I) {
    pthread_t T;
    pthread_create(&T, NULL, work, NULL);
  }
  pthread_barrier_wait(&Ready);
  printf("ready\n");
  fflush(stdout);
  int Signal;
  sigwait(&Ends, &Signal);
  // What jemalloc counts: with its own blocks, and those that threads keep.
  int (*Ask)(const char *, void *, size_t *, void *, size_t) =
      (int (*)(const char *, void *, size_t *, void *, size_t))dlsym(
          RTLD_DEFAULT, "mallctl");
  size_t Allocated = 0, Size = sizeof(Allocated);
  if (Ask)
    Ask("stats.allocated", &Allocated, &Size, NULL, 0);
  printf("usable %zu, allocated %zu\n", usable(), Allocated);
  return 0;
}
