// A thread that waits in pthread_join is taken: glibc's pthread_join has no frame, because it jumps to an inner
// function. The other thread waits in a call that memrec does not interrupt.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 %s -o %t/program -pthread
// RUN: %python %S/Inputs/attach.py once:--for=100ms,--no-census %t/t.fb -- %t/program %t/file | FileCheck %s
// CHECK: attached to process
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: left it
// CHECK-NEXT: the program's status: 0
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int held;

static void unlock(int signal) {
  (void)signal;
  flock(held, LOCK_UN);
}

static void *wait(void *path) {
  int file = open(path, O_RDWR);
  return file >= 0 && flock(file, LOCK_EX) == 0 ? path : 0;
}

int main(int argc, char **argv) {
  pthread_t waiter;
  void *result = 0;
  held = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
  if (held < 0 || flock(held, LOCK_EX) || pthread_create(&waiter, 0, wait, argv[1]))
    return 1;
  signal(SIGTERM, unlock);
  puts("ready");
  fflush(stdout);
  pthread_join(waiter, &result);
  puts(result == argv[1] ? "left it" : "no lock");
  return 0;
}
