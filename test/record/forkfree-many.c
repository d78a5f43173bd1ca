// Children of fork that free all that they inherited, as perl and ruby do at their ends: each free
// is known to be of a block of the parent, at once. Nothing is lost, and the children do not wait
// for the recorder. Also children with a second thread, and those that allocate the same addresses
// anew.
//
// RUN: %cc -O1 -fno-builtin -pthread %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe 100000 8 plain
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=PLAIN
// RUN: memrec -q -o %t.fb %t.exe 100000 8 threads
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=THREADS
// RUN: memrec -q -o %t.fb %t.exe 20000 8 again
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=AGAIN
// RUN: memrec -q -o %t.fb --events=none %t.exe 100000 8 plain
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=PLAIN
//
// PLAIN: events {{.*}}, 800,000 inherited frees, 0 lost
// THREADS: events {{.*}}, 800,000 inherited frees, 0 lost
// AGAIN: events 180,001 allocations, 160,000 frees, 160,000 inherited frees, 0 lost

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *wait_for_ever(void *P) {
  free(malloc(10));
  pause();
  return P;
}

int main(int Argc, char **Argv) {
  (void)Argc;
  int N = atoi(Argv[1]), Children = atoi(Argv[2]);
  char How = Argv[3][0];
  void **Blocks = malloc((size_t)N * sizeof(void *));
  for (int I = 0; I != N; ++I)
    Blocks[I] = malloc(16 + (size_t)(I % 300));
  for (int K = 0; K != Children; ++K) {
    if (fork())
      continue;
    pthread_t Other;
    if (How == 't')
      pthread_create(&Other, NULL, wait_for_ever, NULL);
    for (int I = 0; I != N; ++I) {
      free(Blocks[I]);
      if (How == 'a')
        Blocks[I] = malloc(16 + (size_t)(I % 300)); // the same address
    }
    for (int I = 0; How == 'a' && I != N; ++I)
      free(Blocks[I]);
    _exit(0);
  }
  int Status, Failed = 0;
  while (wait(&Status) > 0)
    Failed |= Status;
  _exit(Failed != 0);
}
