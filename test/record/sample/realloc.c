// realloc of sampled blocks and of others: each is decided anew by its new size, one
// that fails leaves all as it was, nothing is lost.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: env MEMREC_SAMPLE_SEED=1 memrec -q --sample=4K -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/near.py %t.json host.malloc allocated 191000000 live 10010000
//
// With --min-size what is small is left out of the sample, the rest stands for the
// same as ever:
// RUN: env MEMREC_SAMPLE_SEED=1 memrec -q --sample=4K --min-size=1000 -o %t.min.fb %t.exe
// RUN: memdump --check %t.min.fb
// RUN: memdump --summary --format=json %t.min.fb > %t.min.json
// RUN: %python %S/Inputs/near.py %t.min.json host.malloc allocated 191000000 live 10010000
//
// And nothing of malloc is there when another heap is chosen:
// RUN: memrec -q --sample=4K --heap=host.mmap -o %t.none.fb %t.exe
// RUN: memdump --check %t.none.fb
// RUN: memdump --summary --format=json %t.none.fb | FileCheck %s --check-prefix=NONE
// NONE: "name": "host.malloc"
// NONE: "allocations": 0,

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static void *Kept[10000];

int main(void) {
  // 1,000 and 18,000 bytes a round, of which 1,000 stay, then the last one goes.
  for (int I = 0; I != 10000; ++I) {
    void *P = malloc(1000);
    P = realloc(P, 2000);
    P = realloc(P, 15000);
    // It fails: the block lives on.
    if (realloc(P, (size_t)PTRDIFF_MAX + I))
      return 1;
    Kept[I] = realloc(P, 1000);
  }
  // With nothing before it, it is malloc; with nothing asked for, free.
  void *Q = realloc(NULL, 1000000);
  if (realloc(Q, 0))
    return 1;
  Q = reallocarray(NULL, 10, 1000);
  _exit(Q == NULL);
}
