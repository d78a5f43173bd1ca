// memleak's hint about threads that are not joined, and the same program with pthread_join.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe -pthread
// RUN: memrec -q --force -o %t.fb -- %t.exe leak
// RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak --kind=growth %t.fb | FileCheck %s --check-prefix=NONE
// LEAK: LEAK threads.c:[[#]] main
// LEAK: hint: threads are neither joined nor detached
// NONE-NOT: hint:
#include <memkit/memkit.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *Arg) { return Arg; }

int main(int argc, char **argv) {
  (void)argv;
  for (int Step = 0; Step != 40; ++Step) {
    memkit_step();
    pthread_t T;
    pthread_create(&T, 0, work, 0);
    if (argc < 2)
      pthread_join(T, 0);
    else
      usleep(1000);
  }
  return 0;
}
