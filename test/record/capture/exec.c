// Every exec function, with an environment that has lost the recorder's
// variables: the program that is run is recorded all the same. system and popen
// pass on the process's own environment.
//
// RUN: %cc -O0 -g %s -o %t
// RUN: %wiredrain -- %t %t | FileCheck %s
//
// 12 programs by exec, 2 by posix_spawn, 2 by system and popen: each allocates
// 1,000 bytes.
// CHECK-COUNT-16: live 1 blocks 1000 bytes
// CHECK: status 0
//
// RUN: %wiredrain -- %t %t | FileCheck %s --check-prefix=EXECS
// EXECS: process 1 exec {{.*}}exec.c
// EXECS: process 1 spawned {{.*}}exec.c
// EXECS: process 1 exec-failed /none/such
// EXECS-NOT: unknown {{[1-9]}}
//
// Not to be followed: one process.
// RUN: %wiredrain --no-follow -- %t %t | FileCheck %s --check-prefix=ALONE
// ALONE: process 1 parent 0
// ALONE-NOT: process 2
//
// The program's own LD_PRELOAD stays, after ours.
// RUN: %wiredrain -- %t preload | FileCheck %s --check-prefix=PRELOAD
// PRELOAD: LD_PRELOAD={{.*}}libmemrec.so:/none/a.so:/none/b.so

#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *Me;
static char *Args[] = {"exec", "leaf", 0};
static char *Bare[] = {"A=1", 0};

static void *volatile Sink;

static void run(int How) {
  switch (How) {
  case 0: execve(Me, Args, Bare); break;
  case 1: clearenv(); execv(Me, Args); break;
  case 2: execvpe(Me, Args, Bare); break;
  case 3: clearenv(); execvp(Me, Args); break;
  case 4: clearenv(); execl(Me, "exec", "leaf", (char *)0); break;
  case 5: clearenv(); execlp(Me, "exec", "leaf", (char *)0); break;
  case 6: execle(Me, "exec", "leaf", (char *)0, Bare); break;
  case 7: fexecve(open(Me, O_RDONLY | O_CLOEXEC), Args, Bare); break;
  case 8: execveat(AT_FDCWD, Me, Args, Bare, 0); break;
  case 9: execve(Me, Args, environ); break;
  case 10: setenv("LD_PRELOAD", "", 1); execv(Me, Args); break;
  case 11: execve(Me, Args, (char *[]){"LD_PRELOAD=", "MEMREC_SOCKET=x", 0}); break;
  }
  _exit(50);
}

int main(int Argc, char **Argv) {
  Me = Argv[1];
  if (!strcmp(Me, "leaf")) {
    Sink = malloc(1000);
    return 0;
  }
  if (!strcmp(Me, "preload")) {
    char *Env[] = {"LD_PRELOAD=/none/a.so /none/b.so", 0};
    execle("/bin/sh", "sh", "-c", "echo LD_PRELOAD=$LD_PRELOAD", (char *)0, Env);
    return 1;
  }
  int St;
  for (int How = 0; How < 12; ++How) {
    // What changes environ must not do so in its parent.
    pid_t P = How == 0 || How == 2 || How == 6 ? vfork() : fork();
    if (!P)
      run(How);
    if (waitpid(P, &St, 0) != P || St)
      return How + 1;
  }
  pid_t P;
  if (posix_spawn(&P, Me, 0, 0, Args, Bare) || waitpid(P, &St, 0) != P || St)
    return 20;
  if (posix_spawnp(&P, Me, 0, 0, Args, environ) || waitpid(P, &St, 0) != P || St)
    return 21;
  char Line[4096];
  snprintf(Line, sizeof(Line), "exec '%s' leaf", Me);
  if (system(Line))
    return 22;
  FILE *F = popen(Line, "r");
  if (!F || pclose(F))
    return 23;
  if (execve("/none/such", Args, Bare) != -1)
    return 24;
  return 0;
}
