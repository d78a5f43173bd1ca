// Every way to end: _exit, quick_exit, abort, a signal, and main's thread that ends
// before the others.
//
// RUN: %cc -O1 -g -pthread %s -o %t.exe
// RUN: %{same} %t.fb -- %t.exe _exit
// RUN: %{same} %t.fb -- %t.exe quick_exit
// RUN: %{same} %t.fb -- %t.exe abort
// RUN: %{same} %t.fb -- %t.exe segv
// RUN: %{same} %t.fb -- %t.exe pthread_exit
// RUN: %{same} %t.fb -- %t.exe running

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile P;

static void *late(void *Unused) {
  (void)Unused;
  usleep(100000);
  free(malloc(321));
  puts("late");
  exit(7);
}

static void *forever(void *Unused) {
  (void)Unused;
  for (;;)
    free(malloc(55));
}

static void atQuick(void) { free(malloc(9)); }

int main(int Count, char **Args) {
  (void)Count;
  const char *How = Args[1];
  pthread_t T;
  P = malloc(1000);
  if (strcmp(How, "_exit") == 0)
    _exit(3);
  if (strcmp(How, "quick_exit") == 0) {
    at_quick_exit(atQuick);
    quick_exit(4);
  }
  if (strcmp(How, "abort") == 0)
    abort();
  if (strcmp(How, "segv") == 0)
    raise(SIGSEGV);
  if (strcmp(How, "pthread_exit") == 0) {
    pthread_create(&T, NULL, late, NULL);
    pthread_exit(NULL);
  }
  pthread_create(&T, NULL, forever, NULL);
  pthread_create(&T, NULL, forever, NULL);
  usleep(20000);
  return 6;
}
