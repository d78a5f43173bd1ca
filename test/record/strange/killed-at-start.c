// Children that are killed, and waited for, while they begin: what asked memrec to be
// recorded may be gone when memrec looks. The recording ends with the program.
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// CHECK: process    pid  parent
// CHECK: exit 0 {{.*}}killed-at-start
// CHECK: killed-at-start
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc > 1)
    return argc;
  unsigned Random = 1;
  for (int I = 0; I < 400; ++I) {
    pid_t Child = fork();
    if (!Child) {
      free((void *volatile){malloc(10)});
      execl("/proc/self/exe", argv[0], "child", (char *)0);
      _exit(9);
    }
    Random = Random * 1103515245 + 12345;
    usleep(Random >> 16 & 2047);
    kill(Child, SIGKILL);
    waitpid(Child, 0, 0);
  }
  return 0;
}
