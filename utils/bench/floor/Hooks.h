// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floor of any preloaded recorder: interposes the malloc family and calls
// note() for each event. The hooks call glibc's own names, so no symbol lookup
// is needed. operator new and delete reach malloc and free.

#ifndef MEMKIT_BENCH_FLOOR_HOOKS_H
#define MEMKIT_BENCH_FLOOR_HOOKS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

enum Kind { Allocation = 0, Release = 1 };
static void note(enum Kind What, const void *Block, size_t Size);

extern void *__libc_malloc(size_t Size);
extern void *__libc_calloc(size_t Count, size_t Size);
extern void *__libc_realloc(void *Block, size_t Size);
extern void *__libc_memalign(size_t Alignment, size_t Size);
extern void __libc_free(void *Block);

static inline void *allocated(void *Block, size_t Size) {
  if (Block)
    note(Allocation, Block, Size);
  return Block;
}

void *malloc(size_t Size) { return allocated(__libc_malloc(Size), Size); }
void *calloc(size_t Count, size_t Size) {
  return allocated(__libc_calloc(Count, Size), Count * Size);
}
void free(void *Block) {
  if (Block)
    note(Release, Block, 0);
  __libc_free(Block);
}
void *realloc(void *Block, size_t Size) {
  if (Block)
    note(Release, Block, 0);
  return allocated(__libc_realloc(Block, Size), Size);
}
void *memalign(size_t Alignment, size_t Size) {
  return allocated(__libc_memalign(Alignment, Size), Size);
}
void *aligned_alloc(size_t Alignment, size_t Size) {
  return memalign(Alignment, Size);
}
int posix_memalign(void **Block, size_t Alignment, size_t Size) {
  if (Alignment % sizeof(void *) || Alignment & (Alignment - 1) || !Alignment)
    return EINVAL;
  int Before = errno;
  void *Got = memalign(Alignment, Size);
  errno = Before;
  if (!Got)
    return ENOMEM;
  *Block = Got;
  return 0;
}

#endif // MEMKIT_BENCH_FLOOR_HOOKS_H
