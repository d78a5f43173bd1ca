// --children: the processes that descend from the program are attached to as well, also those of their
// children that begin meanwhile; each goes on, and is detached from. A process without libc is left
// out with a sentence.
//
// RUN: %cxx -O1 -g %s -o %t.exe -pthread
// RUN: cc -nostdlib -static %S/Inputs/bare.s -o %t.bare
// RUN: %python %S/Inputs/attach.py tree %t.fb -- %t.exe %t.bare 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: memdump --check %t.fb
// RUN: memdump --table=processes --format=csv %t.fb | FileCheck %s --check-prefix=PROCESSES
// RUN: memdump --table=lines --format=csv %t.fb | FileCheck %s
// RUN: not memrec --children -- true 2>&1 | FileCheck %s --check-prefix=NEEDS
// REQUIRES: python
//
// PROGRAM: attached to process {{[0-9]+}} ({{.*}}) and {{[4-9]}} below it: one thread of each stood for at most
// PROGRAM: warning: process {{[0-9]+}} (tree.cpp.tmp.ba) is linked statically
// PROGRAM: memrec's status: 0
// PROGRAM-NEXT: the program: 0 wrong
// PROGRAM-NEXT: the program's status: 0
// PROCESSES: process,parent
// PROCESSES-COUNT-5: ,tree.cpp.tmp.exe,
// CHECK-DAG: tree.cpp:{{.*}}worker
// NEEDS: memrec: error: --children needs --pid

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static volatile sig_atomic_t Stop;

__attribute__((noinline)) static void worker() {
  for (void *Kept = nullptr; !Stop;) {
    std::free(Kept);
    Kept = std::malloc(100'000);
    usleep(2000);
  }
}

/// A worker with a worker of its own.
static pid_t start(int Depth) {
  pid_t Child = fork();
  if (Child)
    return Child;
  pid_t Own = Depth ? start(Depth - 1) : 0;
  worker();
  int Status = 0;
  if (Own)
    kill(Own, SIGTERM);
  while (Own && waitpid(Own, &Status, 0) < 0) {
  }
  _exit(Status ? 1 : 0);
}

int main(int, char **Argv) {
  std::signal(SIGTERM, [](int) { Stop = 1; });
  std::vector<pid_t> Workers{start(1), start(1)};
  pid_t Bare = fork();
  if (!Bare)
    execl(Argv[1], Argv[1], static_cast<char *>(nullptr));
  usleep(300'000);
  std::puts("ready");
  std::fflush(stdout);
  worker();
  int Wrong = 0;
  for (pid_t Worker : Workers) {
    int Status = 0;
    kill(Worker, SIGTERM);
    while (waitpid(Worker, &Status, 0) < 0) {
    }
    Wrong += Status != 0;
  }
  kill(Bare, SIGKILL);
  waitpid(Bare, nullptr, 0);
  std::printf("%d wrong\n", Wrong);
}
