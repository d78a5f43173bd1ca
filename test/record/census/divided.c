// A fragmented heap has nearly no empty bin; advice to the kernel divides the heap and mappings of large
// blocks; an alignment moves a block within its mapping; one is known by a pointer far inside alone: the sum
// is right to the byte, and all has a holder.
//
// REQUIRES: python
// RUN: %cc -O1 %s -o %t.exe
// RUN: %python %S/Inputs/count.py %t.fb --census=exact -- %t.exe > %t.said
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb > %t.json
// RUN: %python -c 'import json, re, sys; live = json.load(open(sys.argv[1]))["heaps"][0]["live_bytes"]; usable = int(re.search("usable (\d+)", open(sys.argv[2]).read()).group(1)); assert usable <= live < usable + 8192, (usable, live)' %t.json %t.said
// RUN: FileCheck %s < %t.said
// CHECK-NOT: to which no pointer leads
// CHECK-NOT: could not be read
// CHECK: memrec's status: 0
// CHECK: the program's status: 0

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Blocks = 40000, Large = 6 };
static void *Small[Blocks], *Mapped[Large];
static char *volatile Inside;

int main(void) {
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &Ends, 0);
  unsigned Seed = 7;
  for (int I = 0; I != Blocks; ++I) {
    Seed = Seed * 1103515245u + 12345u;
    Small[I] = malloc(16 + (Seed >> 8) % (I % 8 ? 3000 : 60000));
  }
  for (int I = 0; I != Blocks; ++I)
    if ((I * 7919) % 5 < 2) {
      free(Small[I]);
      Small[I] = 0;
    }
  // Freed neighbours are sorted into bins by the next requests.
  Small[0] = Small[0] ? Small[0] : malloc(90000);
  size_t Alignments[Large] = {0, 0, 64, 4096, 1 << 20, 4 << 20};
  for (int I = 0; I != Large; ++I) {
    size_t Bytes = (size_t)(40 + I) << 20;
    Mapped[I] = Alignments[I] ? memalign(Alignments[I], Bytes) : malloc(Bytes);
    memset(Mapped[I], 1, 100000);
    char *Inner = (char *)(((size_t)Mapped[I] + (8 << 20)) & ~(size_t)4095);
    madvise(Inner, 4 << 20, I % 2 ? MADV_HUGEPAGE : MADV_DONTFORK);
  }
  char *Inner = (char *)((size_t)Small[Blocks / 2 + 1] & ~(size_t)4095);
  madvise(Inner, 1 << 20, MADV_DONTFORK);
  Inside = (char *)malloc(32 << 20) + (20 << 20);
  size_t Usable = malloc_usable_size(Inside - (20 << 20));
  for (int I = 0; I != Blocks; ++I)
    Usable += malloc_usable_size(Small[I]);
  for (int I = 0; I != Large; ++I)
    Usable += malloc_usable_size(Mapped[I]);
  printf("ready\n");
  fflush(stdout);
  int Signal;
  sigwait(&Ends, &Signal);
  printf("usable %zu\n", Usable);
  return 0;
}
