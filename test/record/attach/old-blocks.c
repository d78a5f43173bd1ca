// Blocks from before the recording may be freed and resized: neither is an
// error, and none of them counts. What a resize makes is new.
//
// RUN: %cc -O0 %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once %t.fb -- %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
// RUN: memdump --table=stats --format=csv %t.fb | FileCheck %s --check-prefix=STATS
// REQUIRES: python
//
// CHECK: "lost": 0,
// CHECK: "unknown_free": 0,
// CHECK-NEXT: "double_allocate": 0,
//
// 100 blocks of 700 bytes live at the end, from realloc.
// STATS: host.malloc,realloc,{{[0-9]+}},100,0,{{[0-9]+}},70000,0,100,70000,

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t Stop;
static void stop(int Signal) {
  (void)Signal;
  Stop = 1;
}

static void nap(long Ms) {
  struct timespec T = {0, Ms * 1000000};
  nanosleep(&T, 0);
}

/// Whether memrec's library leads malloc to a hook by now.
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
  void *Old[200];
  signal(SIGTERM, stop);
  for (int I = 0; I != 200; ++I)
    Old[I] = malloc(300);
  puts("ready");
  fflush(stdout);
  while (!isRecorded())
    nap(10);
  nap(150);
  for (int I = 0; I != 100; ++I)
    free(Old[I]);
  for (int I = 100; I != 200; ++I)
    Old[I] = realloc(Old[I], 700);
  while (!Stop)
    nap(10);
  for (int I = 100; I != 200; ++I)
    free(Old[I]);
  return 0;
}
