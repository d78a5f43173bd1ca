// memstat says what the resident size is made of, and what may return freed memory: of a
// program whose threads keep a block here and there, not of the same program that frees
// all.
//
// RUN: %cc -O1 -g -pthread %s -o %t
// RUN: memrec -q --force -o %t.fb -- %t keep
// RUN: memstat %t.fb | FileCheck %s
// RUN: memrec -q --force -o %t.fb -- %t free
// RUN: memstat %t.fb | FileCheck %s --check-prefix=NONE
//
// CHECK: resident {{.*}} at most: free memory in malloc {{[0-9.]+}} MiB, live blocks of malloc {{[0-9.]+}} MiB, other {{[0-9.]+}} MiB
// CHECK: Suggestion: malloc holds {{[0-9.]+}} MiB of freed memory in {{[0-9]}} arenas: malloc_trim(0) gives back {{[0-9.]+}} MiB; {{[0-9]}} arenas are mostly free: try MALLOC_ARENA_MAX=2, or another allocator
// NONE: resident
// NONE-NOT: Suggestion: malloc holds
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { Threads = 4, Count = 40000, Every = 40 };
static void *Kept[Threads][Count / Every];
static int Keeps;

static void *work(void *Arg) {
  long Thread = (long)Arg;
  void **All = malloc(Count * sizeof *All);
  for (int I = 0; I < Count; ++I)
    All[I] = memset(malloc(1000), 1, 1000);
  for (int I = 0; I < Count; ++I) {
    if (Keeps && I % Every == 0)
      Kept[Thread][I / Every] = All[I];
    else
      free(All[I]);
  }
  free(All);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argc;
  Keeps = argv[1][0] == 'k';
  pthread_t All[Threads];
  for (long I = 0; I < Threads; ++I)
    pthread_create(&All[I], NULL, work, (void *)I);
  for (int I = 0; I < Threads; ++I)
    pthread_join(All[I], NULL);
  usleep(500000); // some samples
}
