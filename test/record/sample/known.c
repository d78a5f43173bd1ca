// A program that allocates known bytes: the estimates lie within four standard
// errors of them, and the trace agrees with itself. What is kept shows as live,
// what is freed does not, sampled or not; nothing is lost on the way.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: env MEMREC_SAMPLE_SEED=1 memrec -q --sample=64K -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/near.py %t.json host.malloc allocated 272000000 live 12000000 allocations 303000
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=TEXT
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=ASM
// RUN: memleak --format=json %t.fb | FileCheck %s --check-prefix=LEAK
// RUN: memflame --format=speedscope %t.fb | FileCheck %s --check-prefix=FLAME
//
// TEXT: host.malloc {{.*}} ±
// TEXT: host.malloc is sampled, one byte in 64 KiB
// ASM: sample=65536
// ASM: heap {{.*}}sample-bytes=65536
// ASM: alloc {{.*}} weight=
// LEAK: "bytes":
// LEAK-NEXT: "stderr_bytes":
// FLAME: "name":"host: peak ±
//
// The same seed gives the same sample, another one another:
// RUN: env MEMREC_SAMPLE_SEED=1 memrec -q --sample=64K -o %t.again.fb %t.exe
// RUN: env MEMREC_SAMPLE_SEED=2 memrec -q --sample=64K -o %t.other.fb %t.exe
// RUN: memdump --summary --format=json %t.again.fb | grep -A1 allocated_bytes > %t.again
// RUN: memdump --summary --format=json %t.other.fb | grep -A1 allocated_bytes > %t.other
// RUN: grep -A1 allocated_bytes %t.json > %t.first
// RUN: cmp %t.first %t.again
// RUN: not cmp -s %t.first %t.other
// RUN: memdiff -v --noise=0 %t.fb %t.other.fb | FileCheck %s --check-prefix=DIFF
// DIFF: allocated {{.*}} ±
//
// RUN: not memrec --sample=0 -o %t.no %t.exe 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not memrec --sample=2G -o %t.no %t.exe 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not memrec --sample=x -o %t.no %t.exe 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: memrec: error: --sample={{0|2G|x}}

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile Kept;
static void *Slots[1000];

static void churn(void) {
  for (int I = 0; I != 200000; ++I) { // 200,000,000 bytes
    void **Slot = &Slots[I % 1000];
    free(*Slot);
    *Slot = malloc(1000);
  }
  for (int I = 0; I != 1000; ++I)
    free(Slots[I]);
}

static void keep(void) {
  for (int I = 0; I != 100000; ++I) // 12,000,000 bytes
    Kept = malloc(120);
}

static void others(void) {
  for (int I = 0; I != 1000; ++I) { // 60,000,000 bytes
    free(calloc(100, 100));
    free(memalign(64, 20000));
    void *P;
    if (posix_memalign(&P, 4096, 30000) == 0)
      free(P);
  }
  for (int I = 0; I != 8000; ++I) // none
    free(malloc(0));
}

int main(void) {
  churn();
  keep();
  others();
  _exit(0);
}
