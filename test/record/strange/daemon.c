// A daemon: two forks, a session of its own, no streams. memrec stays for it, also if it first allocates
// long after the program has ended. The process in between allocates nothing, and is none of the trace.
//
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: rm -f %t.done
// RUN: memrec -q -o %t.fb %t.exe %t.done
// RUN: ls %t.done
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
// RUN: memleak -v --process='#2' %t.fb | FileCheck %s --check-prefix=LEAK
// CHECK: "lost": 0
// CHECK: "id": 2,
// LEAK: 12.1 KiB in 1 block of host.malloc

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile Kept;

int main(int Count, char **Args) {
  (void)Count;
  if (fork() != 0)
    return 0;
  setsid();
  if (fork() != 0)
    _exit(0);
  for (int Fd = 0; Fd != 1024; ++Fd)
    close(Fd);
  usleep(1500000);
  Kept = malloc(12345);
  close(open(Args[1], O_CREAT | O_WRONLY, 0600));
  return 0;
}
