// Functions that only some allocators have: each block that they give is recorded, each that they take is freed,
// at its line. Without an allocator that has them, a program that looks finds none.
//
// REQUIRES: python
// RUN: %cc -g -O1 %s -o %t.exe -ldl
// RUN: %t.exe | FileCheck %s --check-prefix=NONE
// RUN: memrec -q -o %t.fb --force -- %t.exe | FileCheck %s --check-prefix=NONE
// NONE: found 0
//
// RUN: %python %S/Inputs/each_allocator.py %cc %s %t
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HAS(Name) (Name ? (++Found, 1) : 0)
static int Found;
typedef size_t S;
typedef void *P;
typedef const void *C;

#define BLOCKS(X)                                                              \
  X(P, mallocx, (S, int)) X(P, rallocx, (P, S, int))                           \
  X(S, xallocx, (P, S, S, int)) X(void, dallocx, (P, int))                     \
  X(void, sdallocx, (P, S, int)) X(void, free_sized, (P, S))                   \
  X(void, free_aligned_sized, (P, S, S))                                       \
  X(P, tc_malloc, (S)) X(P, tc_calloc, (S, S)) X(P, tc_memalign, (S, S))       \
  X(P, tc_realloc, (P, S)) X(int, tc_posix_memalign, (P *, S, S))              \
  X(P, tc_valloc, (S)) X(P, tc_new, (S)) X(P, tc_newarray, (S))                \
  X(P, tc_new_aligned, (S, S)) X(void, tc_free, (P))                           \
  X(void, tc_free_sized, (P, S)) X(void, tc_delete, (P))                       \
  X(void, tc_delete_sized, (P, S)) X(void, tc_deletearray, (P))                \
  X(void, tc_delete_aligned, (P, S)) X(void, tc_cfree, (P))                    \
  X(P, mi_malloc, (S)) X(P, mi_calloc, (S, S)) X(P, mi_zalloc, (S))            \
  X(P, mi_mallocn, (S, S)) X(P, mi_malloc_aligned, (S, S))                     \
  X(P, mi_malloc_aligned_at, (S, S, S)) X(P, mi_memalign, (S, S))              \
  X(P, mi_realloc, (P, S)) X(P, mi_reallocf, (P, S))                           \
  X(P, mi_recalloc, (P, S, S)) X(P, mi_realloc_aligned, (P, S, S))             \
  X(int, mi_posix_memalign, (P *, S, S)) X(char *, mi_strdup, (const char *))  \
  X(P, mi_new, (S)) X(P, mi_heap_new, (void)) X(P, mi_heap_malloc, (P, S))     \
  X(P, mi_heap_realloc, (P, P, S)) X(P, mi_heap_calloc, (P, S, S))             \
  X(P, mi_heap_malloc_aligned, (P, S, S)) X(int, mi_reallocarr, (P, S, S))     \
  X(void, mi_free, (P)) X(void, mi_free_size, (P, S))                          \
  X(void, mi_free_aligned, (P, S)) X(P, mi_expand, (P, S))

#define DECLARE(R, Name, Parameters) extern R Name Parameters __attribute__((weak));
BLOCKS(DECLARE)

#define LOOK(R, Name, Parameters) (void)HAS(Name);
// 20 blocks of 100,000 bytes live until the end, from each line with KEEP.
static P Kept[4000];
static int NumKept;
#define KEEP(Call) do for (int I = 0; I != 20; ++I) { memset(Kept[NumKept++] = (Call), 1, 100000); } while (0)
#define TAKE(Call, Free) do for (int I = 0; I != 20; ++I) { P B = (Call); memset(B, 1, 100000); Free; } while (0)

static void jemalloc(void) {
  KEEP(mallocx(100000, 0));
  KEEP(rallocx(mallocx(50000, 0), 100000, 0));
  TAKE(mallocx(100000, 0), dallocx(B, 0));
  TAKE(malloc(100000), sdallocx(B, 100000, 0));
  TAKE(mallocx(200000, 0), (xallocx(B, 100000, 0, 0), free(B)));
  if (free_sized)
    TAKE(malloc(100000), free_sized(B, 100000));
}

static void tcmalloc(void) {
  KEEP(tc_malloc(100000));
  KEEP(tc_calloc(1000, 100));
  KEEP(tc_realloc(tc_malloc(50000), 100000));
  KEEP(tc_memalign(64, 100000));
  KEEP(tc_new(100000));
  TAKE(tc_malloc(100000), tc_free(B));
  TAKE(tc_valloc(100000), tc_free_sized(B, 100000));
  TAKE(tc_new(100000), tc_delete(B));
  TAKE(tc_newarray(100000), tc_deletearray(B));
  TAKE(tc_new(100000), tc_delete_sized(B, 100000));
  TAKE(tc_new_aligned(100000, 128), tc_delete_aligned(B, 128));
  TAKE((tc_posix_memalign(&Kept[NumKept], 64, 100000), Kept[NumKept]), tc_cfree(B));
}

static void mimalloc(void) {
  P Heap = mi_heap_new();
  KEEP(mi_malloc(100000));
  KEEP(mi_zalloc(100000));
  KEEP(mi_calloc(1000, 100));
  KEEP(mi_realloc(mi_malloc(50000), 100000));
  KEEP(mi_malloc_aligned(100000, 256));
  KEEP(mi_heap_malloc(Heap, 100000));
  KEEP(mi_heap_realloc(Heap, mi_heap_calloc(Heap, 50, 1000), 100000));
  KEEP(mi_new(100000));
  TAKE(mi_mallocn(1000, 100), mi_free(B));
  TAKE(mi_malloc_aligned_at(100000, 64, 8), mi_free_aligned(B, 64));
  TAKE(mi_recalloc(mi_malloc(10), 1000, 100), mi_free_size(B, 100000));
  TAKE(mi_reallocf(malloc(10), 100000), free(B));
  TAKE((mi_posix_memalign(&Kept[NumKept], 64, 100000), Kept[NumKept]), mi_free(B));
  TAKE((Kept[NumKept] = 0, mi_reallocarr(&Kept[NumKept], 1000, 100), Kept[NumKept]), mi_free(B));
  mi_free(mi_strdup("text"));
}

int main(void) {
  BLOCKS(LOOK)
  Found += dlsym(RTLD_DEFAULT, "mallocx") != 0;
  printf("found %d\n", Found);
  if (mallocx)
    jemalloc();
  if (tc_malloc)
    tcmalloc();
  if (mi_malloc)
    mimalloc();
  return 0;
}
