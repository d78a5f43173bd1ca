// memleak's hint about threads that are not joined, and the same program with pthread_join.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe -pthread
// RUN: memrec -q --force -o %t.fb -- %t.exe leak
// RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
// RUN: memrec -q --force -o %t.fb -- %t.exe run
// RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=RUNS
// LEAK: LEAK threads.c:[[#]] main
// LEAK: hint: threads are neither joined nor detached
// Threads that still run are not to be joined.
// RUNS: LEAK threads.c:[[#]] main
// RUNS-NOT: hint:
// NONE-NOT: hint:
#include <memkit/memkit.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int Begun;

static void *work(void *Arg) {
  ++Begun;
  while (Arg)
    pause();
  return Arg;
}

int main(int argc, char **argv) {
  int Runs = argc > 1 && argv[1][0] == 'r';
  for (int Step = 0; Step != 40; ++Step) {
    memkit_step();
    pthread_t T;
    pthread_create(&T, 0, work, Runs ? &T : 0);
    if (argc < 2)
      pthread_join(T, 0);
    else
      // On a busy machine a thread may wait for its first turn.
      do
        usleep(1000);
      while (Begun <= Step);
  }
  return 0;
}
