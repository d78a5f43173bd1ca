// memstat says what the resident size is made of, and what may return freed memory: of a
// program whose threads keep a block here and there, not of the same program that frees
// all.
//
// RUN: %cc -O1 -g -pthread %s -o %t
// RUN: memrec -q --force -o %t.fb -- %t keep
// RUN: memstat %t.fb | FileCheck %s
// RUN: memrec -q --force -o %t.fb -- %t keep turns
// RUN: memstat %t.fb | FileCheck %s --check-prefix=ARENAS
// RUN: memrec -q --force -o %t.fb -- %t keep bursts
// RUN: memstat %t.fb | FileCheck %s --check-prefix=NONE
// RUN: memrec -q --force -o %t.fb -- %t free
// RUN: memstat %t.fb | FileCheck %s --check-prefix=NONE
//
// CHECK: resident {{.*}} at most{{.*}}: free memory in malloc {{[0-9.]+}} MiB, live blocks of malloc {{[0-9.]+}} MiB, other {{[0-9.]+}} MiB
// CHECK: Suggestion: malloc holds {{[0-9.]+}} MiB of freed memory in {{[0-9]}} arenas: malloc_trim(0) gives back {{[0-9.]+}} MiB{{$}}
// Threads that work one after another could have used one arena.
// ARENAS: Suggestion: malloc holds {{[0-9.]+}} MiB of freed memory in {{[0-9]}} arenas: malloc_trim(0) gives back {{[0-9.]+}} MiB; {{[0-9]}} arenas are mostly free: try MALLOC_ARENA_MAX=2{{$}}
// What one burst frees, the next one takes.
// NONE: resident
// NONE-NOT: Suggestion: malloc holds
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { Threads = 4, Count = 40000, Every = 40 };
static void *Kept[Threads][Count / Every];
static int Keeps, TakesTurns, Bursts;
static pthread_mutex_t Turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t Done;

static void *work(void *Arg) {
  long Thread = (long)Arg;
  if (TakesTurns)
    pthread_mutex_lock(&Turn);
  void **All = malloc(Count * sizeof *All);
  for (int I = 0; I < Count; ++I)
    All[I] = memset(malloc(1000), 1, 1000);
  // All threads have their memory at once, also where they share a processor.
  if (!TakesTurns)
    pthread_barrier_wait(&Done);
  for (int I = 0; I < Count; ++I) {
    if (Keeps && I % Every == 0)
      Kept[Thread][I / Every] = All[I];
    else
      free(All[I]);
  }
  free(All);
  if (TakesTurns) {
    pthread_mutex_unlock(&Turn);
    pthread_barrier_wait(&Done);
  }
  return NULL;
}

int main(int argc, char **argv) {
  Keeps = argv[1][0] == 'k';
  TakesTurns = argc > 2 && argv[2][0] == 't';
  Bursts = argc > 2 && argv[2][0] == 'b' ? 5 : 1;
  pthread_barrier_init(&Done, NULL, Threads);
  for (int Burst = 0; Burst < Bursts; ++Burst) {
    pthread_t All[Threads];
    for (long I = 0; I < Threads; ++I)
      pthread_create(&All[I], NULL, work, (void *)I);
    for (int I = 0; I < Threads; ++I)
      pthread_join(All[I], NULL);
    usleep(500000); // some samples
  }
}
