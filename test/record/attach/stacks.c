// A stack of a program that was attached to is the stack of the same program
// when memrec has started it.
//
// RUN: %cc -O1 -g -fno-inline %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once %t.fb -- %t.exe
// RUN: memrec -q -o %t.started.fb %t.exe short
// RUN: memdump --table=stacks --format=csv %t.fb | grep -E ',[1-4],(inner|middle|outer|main),.*stacks.c' | cut -d, -f2-5 | sort -u > %t.attached
// RUN: memdump --table=stacks --format=csv %t.started.fb | grep -E ',[1-4],(inner|middle|outer|main),.*stacks.c' | cut -d, -f2-5 | sort -u > %t.started
// RUN: diff %t.attached %t.started
// RUN: FileCheck --input-file=%t.attached %s
// REQUIRES: python
//
// CHECK: 1,inner,{{.*}}stacks.c,[[#@LINE+14]]
// CHECK-NEXT: 2,middle,{{.*}}stacks.c
// CHECK-NEXT: 3,outer,{{.*}}stacks.c
// CHECK-NEXT: 4,main,{{.*}}stacks.c

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile sig_atomic_t Stop;
static void stop(int Signal) { Stop = Signal; }

static void *inner(size_t Bytes) {
  void *volatile P = malloc(Bytes);
  return P;
}
static void middle(size_t Bytes) { free(inner(Bytes)); }
static void outer(size_t Bytes) {
  middle(Bytes + 1);
  struct timespec T = {0, 1000000};
  nanosleep(&T, 0);
}

int main(int Count, char **Arguments) {
  signal(SIGTERM, stop);
  puts("ready");
  fflush(stdout);
  for (int Round = 0; !Stop && (Count == 1 || Round != 300); ++Round)
    outer(100);
  return 0;
}
