/* The first, second, ... allocation fails: each call gives an error or an answer, and the process
 * goes on. Nothing of a failed call is used later, and later calls work again.
 *
 * REQUIRES: libmemkit
 * RUN: %cc -O1 -pthread %s -I %src_root/include %libmemkit -Wl,-rpath,%obj_root/lib/memkit -o %t
 * RUN: memas %src_root/test/tools/memas/Inputs/example.mas -o %t.fb
 * RUN: %t %t.fb 200 | FileCheck %s
 * RUN: grep -v '^complete' %src_root/test/tools/memview/page/Inputs/training.mas | memas -o %t.cut.fb
 * RUN: %t %t.cut.fb 200 | FileCheck %s
 * CHECK: errors: {{[1-9]}}
 * CHECK-NEXT: the end
 */
#define _GNU_SOURCE
#include "Inputs/ask-all.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of allocations until one fails; then all of Burst. */
static atomic_long Left = -1, Burst = 1;
static atomic_long Failed;

static int fails(void) {
  long Now = atomic_load(&Left);
  if (Now < 0)
    return 0;
  Now = atomic_fetch_sub(&Left, 1);
  if (Now > 0)
    return 0;
  if (Now <= -atomic_load(&Burst)) {
    atomic_store(&Left, -1);
    return 0;
  }
  atomic_fetch_add(&Failed, 1);
  errno = ENOMEM;
  return 1;
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
void *malloc(size_t Size) { return fails() ? NULL : __libc_malloc(Size); }
void *calloc(size_t Count, size_t Size) { return fails() ? NULL : __libc_calloc(Count, Size); }
void *realloc(void *At, size_t Size) { return fails() ? NULL : __libc_realloc(At, Size); }
void *aligned_alloc(size_t Alignment, size_t Size) {
  return fails() ? NULL : __libc_memalign(Alignment, Size);
}
int posix_memalign(void **Out, size_t Alignment, size_t Size) {
  if (fails())
    return ENOMEM;
  *Out = __libc_memalign(Alignment, Size);
  return *Out ? 0 : ENOMEM;
}

static void askFile(const char *Path) {
  memkit_trace *T;
  if (!fine(memkit_trace_open(Path, &T)))
    return;
  askAll(T);
  memkit_trace_free(T);
}

int main(int Count, char **Arguments) {
  long Step = 1, Usual, Most = Count > 2 ? atol(Arguments[2]) : 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  askFile(Arguments[1]);
  Usual = Errors; /* what the trace cannot answer */
  for (int Long = 0; Long != 2; ++Long) {
    atomic_store(&Burst, Long ? 1000000000 : 1);
    for (long N = 0;; N += Step) {
      long Before = atomic_load(&Failed);
      atomic_store(&Left, N);
      askFile(Arguments[1]);
      atomic_store(&Left, -1);
      if (atomic_load(&Failed) == Before)
        break; /* fewer allocations than N */
      if (Most && N > Most)
        Step = N / 40;
    }
    Step = 1;
  }
  printf("errors: %ld\n", Errors - Usual);
  Errors = 0;
  askFile(Arguments[1]);
  printf(Errors != Usual ? "still fails\n" : "the end\n");
  return Errors != Usual;
}
