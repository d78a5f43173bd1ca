// A child starts a program with a large environment: a recorded child, and a child
// that finds no recorder.
//
// RUN: %cc %s -o %t
// RUN: memrec -q --force -o %t.fb -- %t > %t.out
// RUN: FileCheck %s --input-file=%t.out
// RUN: memrec -q --force --no-follow -o %t.fb -- %t > %t.out
// RUN: FileCheck %s --input-file=%t.out
// RUN: rm -f %t.done; (memrec -q --force -o %t.gone.fb -- %t %t.done > %t.out 2>&1 || true)
// RUN: until test -e %t.done; do sleep 0.1; done
// RUN: FileCheck %s --input-file=%t.out
//
// CHECK-NOT: killed
// CHECK: started
// CHECK-NOT: killed

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int Count, char **Names) {
  if (Count > 1)
    kill(getppid(), SIGKILL); // the recorder
  // More than memrec's library keeps on the stack.
  static char Large[100 << 10];
  memset(Large, 'x', sizeof(Large) - 1);
  setenv("LARGE", Large, 1);
  pid_t Child = fork();
  if (Child == 0) {
    char *Arguments[] = {"echo", "started", NULL};
    execve("/bin/echo", Arguments, environ);
    _exit(2);
  }
  int Status = 0;
  waitpid(Child, &Status, 0);
  if (WIFSIGNALED(Status))
    printf("killed by signal %d\n", WTERMSIG(Status));
  fflush(stdout);
  if (Count > 1)
    fclose(fopen(Names[1], "w"));
  return Status != 0;
}
