// What memkit_stats says of known allocations is exact, in a scope that is open,
// in one that has ended, and in one around another; and so are the sums of names.
//
// RUN: %cc -O0 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --scopes --format=json %t.fb | FileCheck %s --check-prefix=JSON
// RUN: memdump --scopes --format=csv %t.fb | FileCheck %s --check-prefix=CSV
// RUN: memdump --scopes %t.fb | FileCheck %s --check-prefix=TEXT
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=ASM
// RUN: not memdump --scopes --format=asm %t.fb 2>&1 | FileCheck %s --check-prefix=BAD

#include <assert.h>
#include <memkit/memkit.h>
#include <stdlib.h>
#include <sys/mman.h>

static struct memkit_stats S;
static void *volatile Keep[4];

static const struct memkit_heap *heap(const char *Name) {
  for (uint32_t I = 0; I != S.num_heaps; ++I)
    if (!strcmp(S.heaps[I].name, Name))
      return &S.heaps[I];
  return 0;
}

static void is(const struct memkit_heap *H, uint64_t Allocations,
               uint64_t Frees, uint64_t Allocated, uint64_t Freed,
               uint64_t Rise, int64_t Left) {
  assert(H->allocations == Allocations && H->frees == Frees);
  assert(H->allocated == Allocated && H->freed == Freed);
  assert(H->peak - H->before == Rise);
  assert((int64_t)(H->after - H->before) == Left);
}

int main(void) {
  assert(memkit_recording());
  Keep[0] = malloc(5000);
  uint64_t Outer = memkit_scope_begin("outer");
  Keep[1] = malloc(100);
  uint64_t Inner = memkit_scope_begin("inner, \"x\"");
  free(malloc(1000000));
  free(Keep[0]);
  assert(memkit_stats(Inner, &S));
  is(heap("host.malloc"), 1, 2, 1000000, 1005000, 1000000, -5000);
  Keep[0] = malloc(300);
  memkit_scope_end(Inner);
  Keep[2] = malloc(7);
  assert(memkit_stats(Inner, &S));
  is(heap("host.malloc"), 2, 2, 1000300, 1005000, 1000000, -4700);
  is(&S.total, 2, 2, 1000300, 1005000, 1000000, -4700);
  uint64_t Before = S.total.before;
  assert(S.duration_ns > 0);
  assert(memkit_stats(0, &S)); // the innermost open one
  is(heap("host.malloc"), 3 + 1, 2, 1000407, 1005000, 1000100, -4593);
  assert(S.total.before == Before - 100);
  char *M = mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(M, 1 << 20);
  memkit_scope_end(Outer);
  memkit_scope_end(Outer); // for nothing
  assert(memkit_stats(Outer, &S));
  is(heap("host.mmap"), 1, 1, 1 << 20, 1 << 20, 1 << 20, 0);
  assert(S.total.peak - S.total.before == (1 << 20) - 4593);
  assert(memkit_stats(0, &S)); // the process
  assert(S.total.before == 0 && S.total.allocations >= 5);
  assert(!memkit_stats(Outer + 1000, &S));
  for (int I = 0; I != 3; ++I) {
    uint64_t Loop = memkit_scope_begin("loop");
    free(malloc(1000 * (I + 1)));
    memkit_scope_end(Loop);
  }
  memkit_mark("the end");
  return 0;
}

// JSON:      "name": "inner, \"x\"",
// JSON-NEXT: "calls": 1,
// JSON:      "allocated_bytes": 1000300,
// JSON:      "rise_bytes": 1000000
// JSON:      "name": "outer",
// JSON-NEXT: "calls": 1,
// JSON:      "name": "loop",
// JSON-NEXT: "calls": 3,
// JSON-NEXT: "duration_ns": {{[1-9]}}
// JSON-NEXT: "allocations": 3,
// JSON-NEXT: "frees": 3,
// JSON-NEXT: "allocated_bytes": 6000,
// JSON-NEXT: "mean_allocated_bytes": 2000,
// JSON:      "rise_bytes": 3000

// CSV:      name,calls,duration_ns,allocations,frees,allocated_bytes,mean_allocated_bytes,freed_bytes,peak_bytes,rise_bytes
// CSV-NEXT: "inner, ""x""",1,{{[0-9]+}},2,2,1000300,1000300,1005000,{{[0-9]+}},1000000
// CSV-NEXT: outer,1,
// CSV-NEXT: loop,3,{{[0-9]+}},3,3,6000,2000,6000,{{[0-9]+}},3000

// TEXT:      scope {{ *}}calls {{ *}}time {{ *}}mean time {{ *}}allocations {{ *}}allocated {{ *}}mean {{ *}}freed {{ *}}rise {{ *}}peak
// TEXT:      outer {{ *}}1
// TEXT:      loop {{ *}}3 {{.*}} 3 {{ *}}5.86 KiB {{ *}}1.95 KiB {{ *}}5.86 KiB {{ *}}2.93 KiB

// ASM-DAG: string [[OUTER:[0-9]+]] "outer"
// ASM-DAG: string [[END:[0-9]+]] "the end"
// ASM-DAG: scope [[SCOPE:[0-9]+]] user name=[[OUTER]]{{$}}
// ASM-DAG: scope-path {{[0-9]+}} scope=[[SCOPE]] depth={{[1-9]}}
// ASM-DAG: alloc {{.*}}size=1000000 {{.*}}scope-path=
// ASM-DAG: user {{.*}}name=[[END]]

// BAD: --scopes supports only --format=text, json and csv
