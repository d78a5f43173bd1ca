// A sandbox kills a program for system calls that are not the program's own. Recording ends before
// a filter begins that kills on what recording needs, and in strict mode and without a clock; else
// it goes on, without the calls. Children of fork and programs that the sandbox would kill when they
// greet memrec are not recorded. The program runs as it does alone.
//
// RUN: %cc -O1 -w -fno-builtin %s -o %t.exe
// RUN: %{status} 7 %t.exe few 20000
// RUN: %{status} 7 memrec -o %t.fb %t.exe strict 20000 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: memrec: warning: process {{[0-9]+}}: it enters a sandbox, seccomp's strict mode: its recording ends here
// RUN: %{status} 7 memrec -o %t.fb %t.exe tsc 20000 2>&1 | FileCheck %s --check-prefix=TSC
// TSC: it enters a sandbox, no clock (PR_SET_TSC): its recording ends here
// RUN: %{status} 7 memrec -o %t.fb %t.exe few 20000 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s --check-prefix=EVENTS
// RUN: %{status} 7 memrec -o %t.fb %t.exe libseccomp 20000 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: %{status} 7 memrec -o %t.fb %t.exe children 20000 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: it enters a sandbox, a seccomp filter that kills on rt_sigprocmask: its recording ends here
// EVENTS-DAG: record-off
// EVENTS-DAG: alert{{.*}}it enters a sandbox
// EVENTS: process-end
//
// RUN: %{status} 7 memrec -q -o %t.fb %t.exe greeting 20000 2>&1 > %t.out | count 0
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=GOES-ON
// GOES-ON: events {{21,[0-9]+}} allocations
//
// At its exit the program is not killed for a file that the library would close.
// RUN: %{status} 7 memrec -q -o %t.fb %t.exe open 20000 2>&1 > %t.out | count 0
// RUN: memdump --check %t.fb

#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static const int Allowed[] = {SYS_read, SYS_write, SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_brk, SYS_mmap, SYS_munmap, SYS_madvise, SYS_futex, SYS_clone, SYS_wait4, SYS_set_robust_list};
static struct sock_filter Code[64]; static struct sock_fprog Prog = {0, Code};
static void add(unsigned short c, unsigned k, int t, int f) { struct sock_filter x = {c, t, f, k}; Code[Prog.len++] = x; }
static const int Greeting[] = {SYS_socket, SYS_connect, SYS_sendto, SYS_process_vm_readv};
/// A filter that kills on what a new process needs to be recorded.
static void forbidGreeting(void) {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
  for (int I = 0; I != 4; ++I) {
    add(BPF_JMP | BPF_JEQ | BPF_K, Greeting[I], 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}
/// A filter that kills on close alone.
static void forbidClose(void) {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, SYS_close, 0, 1);
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}
static void make(int extra) {
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
  int n = sizeof Allowed / sizeof *Allowed - (extra ? 0 : 3);
  for (int i = 0; i < n; ++i) { add(BPF_JMP | BPF_JEQ | BPF_K, Allowed[i], 0, 1); add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }
  add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
}
__attribute__((noinline)) static void work(int n, int depth) {
  volatile char room[3000]; room[0] = depth;
  if (depth) { work(n, depth - 1); room[1] = 2; return; }
  for (int i = 0; i < n; ++i) { void *volatile p = malloc(100 + i % 100000); memset(p, 1, 100); free(p); }
  void *volatile q = malloc(100); (void)q;
}
int main(int argc, char **v) {
  char h = v[1][0]; int n = atoi(v[2]);
  work(1000, 2);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  int r = 0;
  switch (h) {
  case 's': r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0); break;
  case 't': r = prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0); break;
  case 'g': forbidGreeting(); r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Prog, 0, 0); break;
  case 'o': forbidClose(); r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Prog, 0, 0); break;
  case 'f': make(0); r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Prog, 0, 0); break;
  case 'c': make(1); r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &Prog, 0, 0); break;
  case 'l': make(0); r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &Prog); break;
  }
  if (r) return 9;
  work(n, 100);
  if (h == 'c' || h == 'g') {
    int c = fork();
    if (c == 0) { work(n, 3); if (h == 'g') execl("/bin/sh", "sh", "-c", "exit 5", NULL); _exit(5); }
    int st; waitpid(c, &st, 0);
    if (st != 5 << 8) _exit(8);
  }
  write(1, "done\n", 5);
  if (h == 'o')
    exit(7);
  syscall(SYS_exit, 7);
}
