// Threads that map and give back all the time are handed each other's addresses.
// What each does is recorded in the order in which it happened: nothing is left,
// and nothing is freed that is not there.
//
// RUN: %cc -O1 -g %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s

#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096ul
enum { Threads = 4, Rounds = 10000 };

static void *map(size_t Pages) {
  return mmap(0, Pages * PAGE, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *run(void *Seed) {
  unsigned R = (unsigned)(size_t)Seed * 77 + 1;
  for (int I = 0; I != Rounds; ++I) {
    R = R * 1103515245 + 12345;
    size_t Pages = 4 + (R >> 16) % 8;
    char *P = map(Pages);
    if (P == MAP_FAILED)
      abort();
    if (I % 4 == 0) {
      P = mremap(P, Pages * PAGE, 2 * Pages * PAGE, MREMAP_MAYMOVE);
      Pages *= 2;
    } else if (I % 4 == 1) {
      munmap(P + PAGE, PAGE); // a hole, which another thread may get
      munmap(P, PAGE);
      P += 2 * PAGE;
      Pages -= 2;
    }
    munmap(P, Pages * PAGE);
  }
  return 0;
}

int main(void) {
  pthread_t T[Threads];
  for (size_t I = 0; I != Threads; ++I)
    pthread_create(&T[I], 0, run, (void *)I);
  for (int I = 0; I != Threads; ++I)
    pthread_join(T[I], 0);
  return 0;
}

// Each of 40,000 rounds maps once; a fourth is moved or grows in place.
// CHECK: "lost": 0,
// CHECK: "name": "host.mmap"
// CHECK: "live_bytes": 0,
// CHECK-NEXT: "live_at_exits_bytes": 0,
// CHECK-NEXT: "live_blocks": 0,
