/* A replay calls the function that the program called: calloc and aligned requests have ways of their own through an
 * allocator. The alignment is not in the trace. An allocator without these functions serves all by malloc.
 *
 * RUN: sed -n '/^header/,/^complete/p' %s > %t.mas && memas -o %t.fb %t.mas
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -o %t.all.so %s
 * RUN: %cc -shared -fPIC -O1 -fno-builtin -DFEW -o %t.few.so %s
 * RUN: memsim --with=%t.all.so --format=json %t.fb | FileCheck %s --check-prefix=ALL
 * ALL: "messages": "malloc calloc 64 64 64 64 64 4096 4096 malloc"
 * RUN: memsim --with=%t.few.so --format=json %t.fb | FileCheck %s --check-prefix=FEW
 * FEW: "messages": "malloc malloc malloc malloc malloc malloc malloc malloc malloc malloc"

header command=["./prog"] pid=100
dictionary
  string 1 "host.malloc"
  process 1 pid=100 role="prog"
  thread 1 process=1 tid=100
  heap 1 name=1
  stack 1 main > malloc
  stack 2 main > calloc
  stack 3 main > posix_memalign
  stack 4 main > aligned_alloc
  stack 5 main > memalign
  stack 6 main > "operator new(aligned)"
  stack 7 main > "operator new[](aligned)"
  stack 8 main > valloc
  stack 9 main > pvalloc
  stack 10 calloc > main
events process=1
  100 th1 alloc #0 heap=1 size=7001 stack=1
  200 th1 alloc #1 heap=1 size=7001 stack=2
  300 th1 alloc #2 heap=1 size=7001 stack=3
  400 th1 alloc #3 heap=1 size=7001 stack=4
  500 th1 alloc #4 heap=1 size=7001 stack=5
  600 th1 alloc #5 heap=1 size=7001 stack=6
  700 th1 alloc #6 heap=1 size=7001 stack=7
  800 th1 alloc #7 heap=1 size=7001 stack=8
  900 th1 alloc #8 heap=1 size=7001 stack=9
  1000 th1 alloc #9 heap=1 size=7001 stack=10
complete
 */
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static char Memory[1 << 20];
static size_t Used;

static void *take(const char *Note, size_t Alignment, size_t Bytes) {
  if (Bytes == 7001)
    (void)!write(2, Note, strlen(Note));
  Used = (Used + Alignment - 1) / Alignment * Alignment;
  void *Block = Memory + Used;
  Used += Bytes;
  return Block;
}

void *malloc(size_t Bytes) { return take("malloc ", 16, Bytes); }
void free(void *Block) { (void)Block; }
void *realloc(void *Block, size_t Bytes) {
  char *New = malloc(Bytes);
  if (Block)
    memcpy(New, Block, Bytes); /* may copy what follows the old block */
  return New;
}
#ifndef FEW
void *calloc(size_t Count, size_t Bytes) { return take("calloc ", 16, Count * Bytes); }
int posix_memalign(void **To, size_t Alignment, size_t Bytes) {
  *To = take(Alignment == 64 ? "64 " : Alignment == 4096 ? "4096 " : "? ", Alignment, Bytes);
  return 0;
}
#endif
