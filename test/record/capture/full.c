// What a program sees of a recorder that is slow, stands still, ends or dies: it
// goes on, at the latest after the bounded wait.
//
// RUN: %cc -O0 -g -pthread %s -o %t
//
// Slow: the program waits, nothing is lost.
// RUN: %wiredrain --nap 20000 -- %t 60000 | FileCheck %s --check-prefix=SLOW
// SLOW: live 0 blocks 0 bytes unknown 0 twice 0 lost 0
// SLOW: status 0
//
// Slow, and never to wait: what is lost is counted.
// RUN: %wiredrain --nap 100000 --drop -- %t 60000 | FileCheck %s --check-prefix=DROP
// DROP: twice {{[0-9]+}} lost {{[1-9][0-9]*}}
// DROP: status 0
//
// Stands still: one wait of 300 ms, then no more.
// RUN: %wiredrain --stall-after 1000 --wait 300 -- %t 60000 5 | FileCheck %s --check-prefix=STALL
// STALL: lost {{[1-9][0-9]*}}
// STALL: status 0
//
// Takes no more: nothing is waited for.
// RUN: %wiredrain --detach-after 1000 --stall-after 1000 --wait 100000 -- %t 60000 5 | FileCheck %s --check-prefix=DETACH
// DETACH: lost 0
// DETACH: status 0
//
// Is killed: the program, without a descriptor, sees it and ends.
// RUN: rm -f %t.done
// RUN: not --crash %wiredrain --die-after 20000 --wait 100000 -- %t 200000 20 %t.done
// RUN: i=0; while test ! -e %t.done && test $i -lt 200; do sleep 0.1; i=$((i+1)); done
// RUN: test -e %t.done

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>

/// PAIRS [SECONDS: it must not take longer] [FILE: made at the end]
int main(int Argc, char **Argv) {
  long Pairs = atol(Argv[1]);
  struct timespec A, B;
  clock_gettime(CLOCK_MONOTONIC, &A);
  for (long I = 0; I < Pairs; ++I)
    free(malloc(10 + I % 50));
  clock_gettime(CLOCK_MONOTONIC, &B);
  if (Argc > 3)
    creat(Argv[3], 0600);
  return Argc > 2 && B.tv_sec - A.tv_sec >= atol(Argv[2]);
}
