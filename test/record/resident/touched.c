// What a library's private allocator has touched of address space that it mapped with
// MAP_NORESERVE is memory of the heap host.touched, as far as samples have seen it: it
// grows, shrinks and ends with the mapping. The program's own mapping keeps its line.
//
// RUN: mkdir -p %t.d/vendor
// RUN: %cc -DPOOL -O1 -g -shared -fPIC %s -o %t.d/vendor/libpool-of-test.so
// RUN: %cc -O1 -g -I%src_root/include %s %t.d/vendor/libpool-of-test.so -Wl,-rpath,%t.d/vendor -o %t.exe
// RUN: memrec -q -o %t.fb --resident-at=step:2,step:3,step:4,end %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
// RUN: memstat %t.fb | FileCheck --check-prefix=STAT %s
// RUN: memleak %t.fb | FileCheck --check-prefix=LEAK %s
// RUN: memrec -q -o %t.own.fb --resident-at=step:4 %t.exe own
// RUN: memstat %t.own.fb | FileCheck --check-prefix=OWN %s
// RUN: echo 'pool:/libpool-of => my pool' > %t.rules
// RUN: memstat --rules=%t.rules %t.fb | FileCheck --check-prefix=RULE %s
// RUN: memdump --summary %t.fb | FileCheck --check-prefix=SUM %s
//
// The library frees, but keeps its mapping; the program unmaps its own.
// CHECK: alloc #[[#A:]] {{.*}} MiB host.touched stack
// CHECK: resize #[[#A]] 100 MiB
// What shrinks comes first, so that no sum is higher than the memory ever was.
// CHECK: resize #[[#A]] 10 MiB
// A periodic sample can come while it is written: OWN has the size.
// CHECK-NEXT: alloc #[[#B:]] {{.*}} MiB host.touched stack
// CHECK: free #[[#B]]
//
// STAT: peak 100 MiB
// STAT: held by pool of libpool-of-test.so, mapped below touched.c:{{[0-9]+}} (sampled) 100.0 %
// LEAK: 10 MiB 1 block pool of libpool-of-test.so, mapped below touched.c:{{[0-9]+}} (sampled)
// OWN: 30 MiB 100.0 % {{.*}} touched.c:{{[0-9]+}} main (sampled) char *Own = mmap
// RULE: held by my pool, mapped below touched.c:{{[0-9]+}} (sampled) 100.0 %
// SUM: host.touched {{.*}} 100 MiB
//
// A library that is known has its name, and the setting that brings its lines.
// RUN: %cc -DPOOL -O1 -g -shared -fPIC %s -o %t.d/vendor/libarrow.so.2600
// RUN: %cc -O1 -g -I%src_root/include %s %t.d/vendor/libarrow.so.2600 -Wl,-rpath,%t.d/vendor -o %t.arrow
// RUN: memrec -q -o %t.arrow.fb --resident-at=step:3 %t.arrow
// RUN: memstat %t.arrow.fb | FileCheck --check-prefix=ARROW %s
// ARROW: held by Arrow's pool (mimalloc), mapped below touched.c:{{[0-9]+}} (sampled)
// ARROW: The lines that fill Arrow's pool (mimalloc), 100 MiB at the peak, are not recorded; with ARROW_DEFAULT_MEMORY_POOL=system they are
//
// Where malloc is not recorded, so is the pool; --heap=host.touched is enough for it.
// RUN: memrec -q -o %t.only.fb --heap=host.touched --resident-at=step:2,step:3,step:4,end %t.exe
// RUN: memdump --check %t.only.fb
// RUN: memstat %t.only.fb | FileCheck --check-prefix=ONLY %s
// ONLY: peak 100 MiB
//
// And no event where it is not chosen, without samples, or while nothing is recorded.
// RUN: memrec -q -o %t.none.fb --heap=host.malloc,host.reserved --resident-at=step:2 %t.exe
// RUN: memdump %t.none.fb | FileCheck --check-prefix=NONE %s
// RUN: memrec -q -o %t.off.fb --start=off --resident-at=step:2 %t.exe
// RUN: memdump %t.off.fb | FileCheck --check-prefix=NONE --allow-empty %s
// NONE-NOT: host.touched
//
// A trace of the last events alone has a snapshot of it.
// RUN: memrec -q -o %t.tail.fb --events=last:1MiB --resident-at=step:2,step:3,step:4,end %t.exe events
// RUN: memdump --check %t.tail.fb

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1ul << 20)

#ifdef POOL
void *pool_reserve(void) {
  return mmap(0, 1024 * MIB, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}
#else
#include <memkit/memkit.h>
#include <stdlib.h>

void *pool_reserve(void);

static int Events;
static void *volatile Block;

static void step(void) {
  for (int I = 0; I != Events; ++I) {
    Block = malloc(10 + (I * 2654435761u >> 12) % 5000);
    free(Block);
  }
  struct memkit_stats Sync; // of a recorder that knows of the step
  memkit_step();
  memkit_stats(0, &Sync);
  usleep(300000); // the sample of the step
}

int main(int Count, char **Words) {
  int HasPool = Count < 2 || strcmp(Words[1], "own");
  if (Count == 2 && HasPool)
    Events = 700000;
  usleep(30000);
  char *P = pool_reserve();
  step();
  memset(P, 1, HasPool * 40 * MIB);
  step();
  memset(P, 1, HasPool * 100 * MIB);
  step();
  madvise(P + 10 * MIB, 90 * MIB, MADV_DONTNEED);
  char *Own = mmap(0, 1024 * MIB, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memset(Own, 1, 30 * MIB);
  step();
  munmap(Own, 1024 * MIB);
  return 0;
}
#endif
