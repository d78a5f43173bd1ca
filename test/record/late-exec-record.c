// A program that connects before the record of its exec is read, for the recorder had
// much to read, is not said to be missing. Here its first thread is gone soon, and what
// it maps can be seen no more.
//
// RUN: %cc -O1 -fno-builtin -pthread %s -o %t
// RUN: memrec -o %t.fb -- %t 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=THERE --implicit-check-not="not recorded"
// CHECK: 0 lost
// THERE: child
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *later(void *None) {
  sleep(6);
  exit(0);
}

int main(int Count, char **Values) {
  if (Count == 2) {
    pthread_t Other;
    pthread_create(&Other, 0, later, 0);
    pthread_exit(0);
  }
  pid_t Recorder = getppid(), Waker = fork(), Child;
  if (Waker == 0) {
    usleep(700000);
    kill(Recorder, SIGCONT);
    _exit(0);
  }
  usleep(100000);
  kill(Recorder, SIGSTOP);
  for (int I = 0; I < 4000; ++I)
    free(malloc(100));
  char *Arguments[] = {Values[0], "child", 0};
  posix_spawn(&Child, Values[0], 0, 0, Arguments, environ);
  waitpid(Waker, 0, 0);
  waitpid(Child, 0, 0);
  return 0;
}
