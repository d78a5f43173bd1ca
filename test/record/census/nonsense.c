// A program that has overwritten its heap and its headers with nonsense: the census ends soon, and the
// trace is whole.
//
// RUN: %cc -O1 -w %s -o %t.exe -pthread
// RUN: %python %S/Inputs/count.py %t.fb -- %t.exe 0 > %t.said && memdump --check %t.fb && FileCheck %s < %t.said
// RUN: %python %S/Inputs/count.py %t.fb -- %t.exe 1 > %t.said && memdump --check %t.fb && FileCheck %s < %t.said
// RUN: %python %S/Inputs/count.py %t.fb -- %t.exe 2 > %t.said && memdump --check %t.fb && FileCheck %s < %t.said
// RUN: %python %S/Inputs/count.py %t.fb -- %t.exe 3 > %t.said && memdump --check %t.fb && FileCheck %s < %t.said
// REQUIRES: python
// CHECK: memrec's status: 0

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long Seed;
static unsigned long next(void) {
  Seed ^= Seed << 13;
  Seed ^= Seed >> 7;
  return Seed ^= Seed << 17;
}

static void *other(void *Unused) {
  void **Blocks = malloc(1 << 20);
  for (int I = 0; I != 10000; ++I)
    Blocks[I] = malloc(100 + I % 500);
  *(volatile int *)Unused = 1;
  for (;;)
    pause();
  return Blocks;
}

int main(int Count, char **Arguments) {
  int Way = atoi(Arguments[1]), IsReady = 0;
  Seed = Way * 2654435761u + 1;
  pthread_t Thread;
  pthread_create(&Thread, 0, other, &IsReady);
  while (!*(volatile int *)&IsReady)
    usleep(1000);
  unsigned long *First = malloc(16);
  for (int I = 0; I != 50000; ++I)
    malloc(16 + next() % 300);
  unsigned long *Large = malloc(64 << 20);
  memset(Large, 1, 1 << 20);
  unsigned long Words = ((char *)sbrk(0) - (char *)First) / 8;
  for (unsigned long I = 0; I != Words; ++I) {
    unsigned long Value = next();
    if (Way == 0)
      First[I] = Value;
    else if (Way == 1 && Value % 50 == 0)
      First[I] = next() % 4096 * 16 | Value >> 61;
    else if (Way == 2)
      First[I] = (unsigned long)First + Value % (Words * 8);
    else if (Way == 3 && Value % 2000 == 0)
      First[I] = Value;
  }
  if (Way != 3) {
    Large[-2] = next() & 4095;
    Large[-1] = next() << 12 | 2;
  }
  write(1, "ready\n", 6);
  for (;;)
    pause();
}
