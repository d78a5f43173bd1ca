// With --on-full=drop a thread does not wait for a recorder that stands still: events that
// find no room are lost, which is counted.
//
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: memrec -q --on-full=drop -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --format=asm %t.fb | FileCheck %s
// CHECK: loss ring-full process=1 count={{[1-9][0-9]+}}
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *volatile P;

int main(void) {
  time_t Begin = time(NULL);
  kill(getppid(), SIGSTOP);
  for (int I = 0; I != 100000; ++I) {
    P = malloc(100);
    free(P);
  }
  kill(getppid(), SIGCONT);
  // To wait would take ten seconds.
  return time(NULL) - Begin > 5;
}
