// Where the share of time does not suffice to read what each process holds
// resident at the interval, the processes take turns: each has samples.
//
// RUN: %cc -O1 %s -o %t.exe
// RUN: memrec -q --force --sample-interval=1ms -o %t.fb %t.exe
// RUN: memdump --summary --format=json %t.fb | %python -c 'import json, sys; print([p["rss_peak_bytes"] is not None for p in json.load(sys.stdin)["processes"]])' | FileCheck %s
// REQUIRES: python
//
// CHECK: [True, True, True, True, True]

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  for (int I = 0; I < 4; ++I)
    if (fork() == 0) {
      void *volatile Block = malloc(1000);
      usleep(1000000);
      free(Block);
      _exit(0);
    }
  while (wait(0) > 0)
    ;
  return 0;
}
