// A second copy of the library in a process, as the guest of an emulator (qemu-user) has it, is no
// second process: the process is one, none of its events are lost, and none of its threads waits.
//
// RUN: %cc -O1 -g %s -o %t -ldl -lpthread
// RUN: timeout 8 memrec -o %t.fb %t > %t.out 2> %t.err && FileCheck %s --check-prefix=OUT < %t.out
// OUT: two copies
// RUN: FileCheck %s --check-prefix=LOSS < %t.err
// LOSS: events, 0 lost
// RUN: memdump --processes %t.fb > %t.processes
// RUN: grep 'exit 0' %t.processes && grep -c '' %t.processes | grep '^2$'
// RUN: memflame --metric=allocated --format=collapsed %t.fb | grep 'run;malloc 40000000$'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local void *volatile Block;
static void *run(void *Of) {
  for (int I = 0; I < 100000; ++I)
    free(Block = malloc(100));
  return Of;
}

int main(void) {
  char *Library = strdup(getenv("LD_PRELOAD"));
  Library[strcspn(Library, ": ")] = 0;
  void *Copy = dlmopen(LM_ID_NEWLM, Library, RTLD_NOW);
  void *(*Malloc)(size_t) = (void *(*)(size_t))(Copy ? dlsym(Copy, "malloc") : 0);
  if (!Malloc || !Malloc(1))
    return 1;
  puts("two copies");
  pthread_t Threads[4];
  for (int I = 0; I < 4; ++I)
    pthread_create(&Threads[I], 0, run, 0);
  for (int I = 0; I < 4; ++I)
    pthread_join(Threads[I], 0);
  return 0;
}
