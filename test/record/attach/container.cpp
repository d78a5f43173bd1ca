// A program in a container, with files, processes and a network of its own and the
// sandbox that Docker brings: recorded with its lines, and with what it executes. In the
// end nothing is left in its files but what programs need that were executed meanwhile.
//
// REQUIRES: root, python
// RUN: rm -rf %t.root && mkdir -p %t.root/bin %t.root/tmp %t.root/proc
// RUN: %cxx -g -O1 -std=c++17 %s -o %t.root/bin/boxed -pthread
// RUN: for l in $(ldd %t.root/bin/boxed %obj_root/lib/memkit/libmemrec.so | grep -o '/lib[^ ]*' | sort -u); do mkdir -p %t.root/$(dirname $l) && cp -Ln $l %t.root/$l; done
// RUN: %python %S/Inputs/attach.py once:--for=2s %t.fb -- %python %S/Inputs/container.py %t.root /bin/boxed filtered children > %t.out 2>&1
// RUN: FileCheck %s --input-file=%t.out
// CHECK: memrec: attached to process
// CHECK: 0 lost
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: errors 0
// RUN: memdump --check %t.fb
// RUN: memleak --top=0 %t.fb | FileCheck %s --check-prefix=LEAK
// LEAK: container.cpp:[[#@LINE+42]] keep
// RUN: memflame --group-by=line --metric=allocated --format=csv %t.fb | FileCheck %s --check-prefix=CHILD
// CHILD: container.cpp:[[#@LINE+41]] inChild
// RUN: ls %t.root/tmp/*/* | FileCheck %s --check-prefix=KEPT
// KEPT: libmemrec.so
//
// Again, and without children.
// RUN: rm -rf %t.root/tmp/*
// RUN: %python %S/Inputs/attach.py cycles:3 %t.fb -- %python %S/Inputs/container.py %t.root /bin/boxed | FileCheck %s --check-prefix=CYCLES
// CYCLES: cycles: 3
// CYCLES: mappings left: 0
// CYCLES: the program: errors 0
// RUN: test -z "$(ls '%t.root/tmp')"
//
// A folder of theirs that leads elsewhere is not followed; none is left then.
// RUN: rm -rf %t.root/tmp && ln -s /etc %t.root/tmp
// RUN: %python %S/Inputs/attach.py once %t.fb -- %python %S/Inputs/container.py %t.root /bin/boxed | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: has no folder where memrec may put its library: /dev/shm: No such file or directory
// NOWHERE: the program: errors 0
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static volatile sig_atomic_t Ends;

static bool is(const char *Argument, const char *Word) {
  return Argument && !strcmp(Argument, Word);
}

// Two lines that the test names.
static void *fill(void *P, size_t Size) { return memset(P, 1, Size); }
__attribute__((noinline)) void *keep() { return fill(malloc(1000), 1000); }
__attribute__((noinline)) void *inChild() { return fill(malloc(300000), 9); }

/// As Docker's filter: fails what a container must not do.
static void filter() {
  sock_filter F[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_mount},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | 1},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  sock_fprog P = {4, F};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &P))
    abort();
}

static void runChild(const char *Self) {
  char *Args[] = {const_cast<char *>(Self), const_cast<char *>("child"),
                  nullptr};
  pid_t Pid;
  int Status = 1;
  if (posix_spawn(&Pid, Self, nullptr, nullptr, Args, environ) ||
      waitpid(Pid, &Status, 0) != Pid || Status)
    puts("the child failed");
}

int main(int Count, char **Args) {
  signal(SIGTERM, [](int) { Ends = 1; });
  if (is(Args[1], "child"))
    return !inChild();
  if (is(Args[1], "filtered"))
    filter();
  puts("ready");
  fflush(stdout);
  std::thread T([] {
    for (; !Ends; usleep(1000))
      free(malloc(5000));
  });
  std::vector<void *> Kept;
  for (unsigned Turn = 0; !Ends; ++Turn, usleep(2000)) {
    if (Kept.size() < 10000)
      Kept.push_back(keep());
    if (Turn % 100 == 99 && Count > 1 && is(Args[Count - 1], "children"))
      runChild(Args[0]);
  }
  T.join();
  puts("errors 0");
}
