// The second thread of the recorder, which writes large sections, writes what the first would write: all events, in
// order, of two processes at once; and a trace that is cut off by the death of memrec can be read.
//
// RUN: %cc -O1 %s -o %t.exe
// RUN: env MEMREC_WRITE_THREAD=1 memrec -o %t.1.fb -- %t.exe 300000
// RUN: env MEMREC_WRITE_THREAD=0 memrec -o %t.0.fb -- %t.exe 300000
// RUN: memdump --check %t.1.fb | FileCheck %s
// RUN: memdump --check %t.0.fb | FileCheck %s
// CHECK: {{^}}1,200,{{[0-9]+}} events replayed
// RUN: memdump --summary %t.1.fb | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: events 600,{{[0-9]+}} allocations, {{[0-9,]+}} frees, 0 lost
//
// RUN: not --crash env MEMREC_WRITE_THREAD=1 memrec -q -o %t.2.fb -- %t.exe 400000 kill
// RUN: memdump --summary %t.2.fb 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: warning: {{.*}}cut off
// CUT: events 800,{{[0-9]+}} allocations

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *volatile Kept;

static void work(int Pairs) {
  for (int I = 0; I != Pairs; ++I)
    free(Kept = malloc(1 + I % 5000));
}

int main(int Argc, char **Argv) {
  int Pairs = atoi(Argv[1]);
  pid_t Child = fork();
  work(Pairs);
  if (Child == 0)
    _exit(0);
  waitpid(Child, NULL, 0);
  if (Argc > 2) {
    // After the flush of each second.
    nanosleep(&(struct timespec){2, 0}, NULL);
    kill(getppid(), SIGKILL);
  }
  return 0;
}
