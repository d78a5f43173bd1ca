// A signal handler that allocates, which POSIX does not allow and programs do all
// the same: here between the program's own allocations, and in them only as
// often as malloc itself survives it.
//
// RUN: %cc -O1 -g %s -o %t.exe
// RUN: %{same} --lost %t.fb -- %t.exe

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t InMalloc, Handled;
static void *volatile P;

static void handle(int Signal) {
  (void)Signal;
  ++Handled;
  if (!InMalloc)
    free(malloc(77));
}

int main(void) {
  signal(SIGALRM, handle);
  struct itimerval Often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &Often, NULL);
  while (Handled < 500) {
    InMalloc = 1;
    P = malloc(100);
    free(P);
    InMalloc = 0;
    for (volatile int I = 0; I != 2000; ++I)
      ;
  }
  puts("done");
  return 0;
}
