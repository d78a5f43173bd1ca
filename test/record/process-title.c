// A process that writes over its arguments is called by what it has written: servers
// tell their processes apart so.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe a b c dddddddddddddddddddddddddddddddddddddddddddd
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memstat -v %t.fb | FileCheck %s --check-prefix=STAT
// RUN: memdump --process='svc: worker*' %t.fb | FileCheck %s --check-prefix=ONE
//
// CHECK: svc: master /usr/sbin/svc {{.*}}process-title.c.tmp.exe a b c
// CHECK: svc: worker 1
// CHECK-NOT: {{worker 1  }}
// A program's name is the last part of a path, but no part of a title.
// STAT-DAG: {{ }}svc: master /usr/sbin/svc{{ }}
// STAT-DAG: {{ }}svc: worker 1{{ }}
// ONE: alloc {{.*}}222 B
// ONE-NOT: 111 B
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile Kept;

static void setTitle(int Argc, char **Argv, const char *Title) {
  size_t Room = Argv[Argc - 1] + strlen(Argv[Argc - 1]) - Argv[0];
  memset(Argv[0], 0, Room);
  strncpy(Argv[0], Title, Room - 1);
}

int main(int Argc, char **Argv) {
  Kept = malloc(111);
  setTitle(Argc, Argv, "svc: master /usr/sbin/svc");
  usleep(20000);
  if (fork() == 0) {
    setTitle(Argc, Argv, "svc: worker 1   ");
    Kept = malloc(222);
    usleep(50000);
    return 0;
  }
  return wait(NULL) < 0;
}
