// memrec -p: what lived before is in the trace, by who holds it. A block that is freed later leaves it;
// one that is resized moves to the line that resizes it. None of it grows.
//
// REQUIRES: python
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: %python %S/../attach/Inputs/attach.py once %t.fb -- %t.exe | FileCheck %s
// RUN: memdump --check %t.fb
// RUN: memflame --format=collapsed --metric=live %t.fb | FileCheck %s --check-prefix=LIVE
// RUN: memleak %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=LOST
//
// CHECK: memrec: process {{[0-9]+}} ({{.*}}) before: {{.*}} of malloc in {{[0-9,]+}} blocks
// CHECK: memrec's status: 0
//
// LIVE-DAG: [lived before];Kept 1000000
// LIVE-DAG: [lived before];Resized 50000
// LIVE-DAG: main;realloc 100000
// LIVE-NOT: Freed
// LEAK-NOT: {{^grows|^LEAK}}
// LOST: "lost": 0,

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *Kept[1000], *Freed[1000], *Resized[100];

static volatile sig_atomic_t Stop;
static void stop(int Signal) {
  (void)Signal;
  Stop = 1;
}

static void nap(long Ms) {
  struct timespec T = {0, Ms * 1000000};
  nanosleep(&T, 0);
}

/// The number of mappings that the process has with memrec's memory.
static int isRecorded(void) {
  char Line[512];
  int Is = 0;
  FILE *Maps = fopen("/proc/self/maps", "r");
  while (fgets(Line, sizeof(Line), Maps))
    Is |= strstr(Line, "memfd:memkit") != 0;
  fclose(Maps);
  return Is;
}

int main(void) {
  signal(SIGTERM, stop);
  for (int I = 0; I != 1000; ++I) {
    Kept[I] = malloc(1000);
    Freed[I] = malloc(500);
  }
  for (int I = 0; I != 100; ++I)
    Resized[I] = malloc(1000);
  printf("ready\n");
  fflush(stdout);
  while (!isRecorded())
    nap(10);
  // The census takes some milliseconds: what is freed before it is not in it.
  nap(150);
  for (int I = 0; I != 1000; ++I) {
    free(Freed[I]);
    Freed[I] = 0;
  }
  for (int I = 0; I != 50; ++I)
    Resized[I] = realloc(Resized[I], 2000);
  while (!Stop)
    nap(10);
  printf("%p %p %p\n", Kept[1], Freed[1], Resized[1]);
  return 0;
}
