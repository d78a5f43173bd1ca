// The children that a program makes after memrec has attached are recorded, by
// fork and by exec; they may free what their parent had before.
//
// RUN: %cxx -O1 %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once %t.fb -- %t.exe | FileCheck %s --check-prefix=PROGRAM
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// REQUIRES: python
//
// PROGRAM: the program: all children were right
// PROGRAM-NEXT: the program's status: 0
// CHECK: inherited frees, 0 lost
// CHECK-DAG: exit 7
// CHECK-DAG: exit 0 ls /

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static volatile sig_atomic_t Stop;

static void runChild(void *Old, bool Exec) {
  if (Exec)
    execl("/bin/ls", "ls", "/", static_cast<char *>(nullptr));
  void *volatile New = std::malloc(5000);
  std::free(New);
  std::free(Old);
  _exit(7);
}

int main() {
  std::signal(SIGTERM, [](int) { Stop = 1; });
  std::vector<void *> Old;
  for (int I = 0; I != 10; ++I)
    Old.push_back(std::malloc(1000));
  std::puts("ready");
  std::fflush(stdout);
  // ls has standard output for itself.
  int Output = dup(STDOUT_FILENO);
  std::freopen("/dev/null", "w", stdout);
  bool AreRight = true;
  for (int I = 0; !Stop; ++I) {
    pid_t Child = fork();
    if (Child == 0)
      runChild(Old[I % 10], I % 2);
    int Status;
    while (waitpid(Child, &Status, 0) < 0) {
    }
    AreRight &= WIFEXITED(Status) && WEXITSTATUS(Status) == (I % 2 ? 0 : 7);
    usleep(10000);
  }
  dprintf(Output, AreRight ? "all children were right\n" : "wrong\n");
}
