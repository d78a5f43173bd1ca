// --heap at record time: the other heaps are not recorded, and nothing is lost.
//
// RUN: %cc -O0 -g %s -o %t.exe -pthread
// RUN: memrec -q --heap=host.malloc -o %t.malloc.fb %t.exe
// RUN: memdump --check %t.malloc.fb
// RUN: memdump --summary %t.malloc.fb | FileCheck %s --check-prefix=MALLOC
// RUN: memdump --format=asm %t.malloc.fb | FileCheck %s --check-prefix=ASM
// RUN: memrec -q --heap=host.mmap,host.st* -o %t.maps.fb %t.exe
// RUN: memdump --check %t.maps.fb
// RUN: memdump --summary %t.maps.fb | FileCheck %s --check-prefix=MAPS
// RUN: not memrec --heap=host.mmmap -o %t.no %t.exe 2>&1 | FileCheck %s --check-prefix=BAD

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *run(void *P) {
  free(malloc(10));
  return P;
}

int main(void) {
  char *P = mmap(0, 1ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(P, 1 << 20, PROT_READ | PROT_WRITE);
  munmap(P + (512 << 10), 1ul << 20);
  pthread_t T;
  pthread_create(&T, 0, run, 0);
  pthread_join(T, 0);
  void *volatile A = realloc(malloc(1000), 100000);
  free(A);
  _exit(0);
}

// MALLOC: 0 lost
// MALLOC: host.malloc 4 3
// MALLOC-NOT: host.

// MAPS: 0 lost
// MAPS: host.malloc 0 0
// MAPS-NEXT: host.mmap 1 1 1 MiB 512 KiB
// MAPS-NEXT: not in the totals
// MAPS-NEXT: host.stack 1 1
// MAPS-NOT: host.

// ASM: heap=host.malloc
// BAD: no heap matches 'host.mmmap'; heaps: host.malloc, host.mmap
