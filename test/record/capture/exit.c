// The status of a process, however it ends; unknown of one that is killed.
//
// RUN: %cc -O0 -g %s -o %t
// RUN: %wiredrain -- %t exit | FileCheck %s --check-prefix=S3
// RUN: %wiredrain -- %t return | FileCheck %s --check-prefix=S3
// RUN: %wiredrain -- %t _exit | FileCheck %s --check-prefix=S3
// RUN: %wiredrain -- %t _Exit | FileCheck %s --check-prefix=S3
// RUN: %wiredrain -- %t quick_exit | FileCheck %s --check-prefix=S3
// RUN: %wiredrain -- %t vfork | FileCheck %s --check-prefix=S3
// RUN: %wiredrain -- %t kill | FileCheck %s --check-prefix=KILL
//
// S3: exit 3
// S3: status 3
// KILL: allocations 1 
// KILL: exit unknown
// KILL: status 137

#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile Sink;

int main(int Argc, char **Argv) {
  Sink = malloc(10);
  if (!strcmp(Argv[1], "exit"))
    exit(3 + 256);
  if (!strcmp(Argv[1], "_exit"))
    _exit(3);
  if (!strcmp(Argv[1], "_Exit"))
    _Exit(3);
  if (!strcmp(Argv[1], "quick_exit"))
    quick_exit(3);
  if (!strcmp(Argv[1], "kill"))
    raise(SIGKILL);
  if (!strcmp(Argv[1], "vfork")) {
    if (!vfork())
      _exit(99);
    wait(0);
  }
  return 3;
}
