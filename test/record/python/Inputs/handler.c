// A handler that allocates, wherever it interrupts the interpreter.
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

volatile unsigned long Calls;

static void handle(int Signal) {
  (void)Signal;
  free(malloc(700));
  ++Calls;
}

void start(void) {
  struct sigaction A = {0};
  A.sa_handler = handle;
  A.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &A, NULL);
  struct itimerval T = {{0, 200}, {0, 200}};
  setitimer(ITIMER_PROF, &T, NULL);
}

unsigned long calls(void) { return Calls; }
