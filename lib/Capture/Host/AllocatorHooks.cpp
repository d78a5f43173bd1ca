// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of the functions that only some allocators have.
//
// The signatures are those of jemalloc 5.3's jemalloc.h, gperftools 2.10's
// tcmalloc.h, mimalloc 2.0's mimalloc.h and C23. As with operator new, an
// exception passes through: no hook has a clean-up.

#include "AllocatorHooks.h"

#include "Calls.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// The shapes of functions
//===----------------------------------------------------------------------===//

/// A function that returns a new block of Bytes.
#define MEMKIT_BLOCK(Name, F, Parameters, Arguments, Bytes)                    \
  static void *(*Real_##Name)Parameters;                                       \
  static void *Hook_##Name Parameters {                                        \
    return recordCall([&] { return Real_##Name Arguments; }, Bytes,            \
                      AllocFunction::F, MEMKIT_CALLER);                        \
  }

/// A function that returns a block of Bytes in place of P.
#define MEMKIT_RESIZE(Name, F, Parameters, Arguments, Bytes)                   \
  static void *(*Real_##Name)Parameters;                                       \
  static void *Hook_##Name Parameters {                                        \
    return recordResize(                                                       \
        P, [&] { return Real_##Name Arguments; }, Bytes, AllocFunction::F,     \
        MEMKIT_CALLER);                                                        \
  }

/// A function that frees P.
#define MEMKIT_RELEASE(Name, Parameters, Arguments)                            \
  static void(*Real_##Name) Parameters;                                        \
  static void Hook_##Name Parameters {                                         \
    recordRelease(P);                                                          \
    Real_##Name Arguments;                                                     \
  }

/// A function that returns a copy of a text.
#define MEMKIT_TEXT(Name, Parameters, Arguments)                               \
  static char *(*Real_##Name)Parameters;                                       \
  static char *Hook_##Name Parameters {                                        \
    ThisThread.LastAllocation = 0;                                             \
    char *New = Real_##Name Arguments;                                         \
    if (New && !isDecided(New))                                                \
      recordAllocation(New, strlen(New) + 1, AllocFunction::Malloc,            \
                       MEMKIT_CALLER);                                         \
    return New;                                                                \
  }

/// A function as posix_memalign.
#define MEMKIT_POSIX(Name)                                                     \
  static int (*Real_##Name)(void **, size_t, size_t);                          \
  static int Hook_##Name(void **To, size_t Alignment, size_t Size) {           \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    ThisThread.LastAllocation = 0;                                             \
    int Error = Real_##Name(To, Alignment, Size);                              \
    if (Error == 0 && *To && !isDecided(*To))                                  \
      recordAllocation(*To, Size, AllocFunction::PosixMemalign, Caller);       \
    else if (Error == ENOMEM)                                                  \
      recordFailure(Size, AllocFunction::PosixMemalign, Caller);               \
    return Error;                                                              \
  }

/// A function as reallocarr: P is the address of a pointer to the block.
#define MEMKIT_REALLOCARR(Name)                                                \
  static int (*Real_##Name)(void *, size_t, size_t);                           \
  static int Hook_##Name(void *P, size_t Count, size_t Each) {                 \
    void **At = static_cast<void **>(P);                                       \
    int Error = 0;                                                             \
    recordResize(                                                              \
        *At,                                                                   \
        [&] {                                                                  \
          Error = Real_##Name(P, Count, Each);                                 \
          return Error ? nullptr : *At;                                        \
        },                                                                     \
        sizeOf(Count, Each), AllocFunction::ReallocArray, MEMKIT_CALLER);      \
    return Error;                                                              \
  }

//===----------------------------------------------------------------------===//
// jemalloc and C23
//===----------------------------------------------------------------------===//

MEMKIT_BLOCK(mallocx, Mallocx, (size_t Size, int Flags), (Size, Flags), Size)
MEMKIT_RESIZE(rallocx, Rallocx, (void *P, size_t Size, int Flags),
              (P, Size, Flags), Size)
MEMKIT_RELEASE(dallocx, (void *P, int Flags), (P, Flags))
MEMKIT_RELEASE(sdallocx, (void *P, size_t Size, int Flags), (P, Size, Flags))
MEMKIT_RELEASE(free_sized, (void *P, size_t Size), (P, Size))
MEMKIT_RELEASE(free_aligned_sized, (void *P, size_t A, size_t Size),
               (P, A, Size))

/// Resizes in place, to at least Size and at most Size + Extra; returns the
/// size that the block has then, less than Size if it could not grow.
static size_t (*Real_xallocx)(void *, size_t, size_t, int);
static size_t Hook_xallocx(void *P, size_t Size, size_t Extra, int Flags) {
  CallerFrame Caller = MEMKIT_CALLER;
  bool Begun = recordReallocBegin(P);
  size_t Is = Real_xallocx(P, Size, Extra, Flags);
  size_t Most = Extra < SIZE_MAX - Size ? Size + Extra : SIZE_MAX;
  if (Begun)
    recordReallocEnd(P, Is < Size ? nullptr : P, Is < Most ? Is : Most,
                     AllocFunction::Rallocx, Caller);
  return Is;
}

//===----------------------------------------------------------------------===//
// tcmalloc
//===----------------------------------------------------------------------===//

MEMKIT_BLOCK(tc_malloc, Malloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(tc_malloc_skip_new_handler, Malloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(tc_calloc, Calloc, (size_t Count, size_t Each), (Count, Each),
             sizeOf(Count, Each))
MEMKIT_BLOCK(tc_memalign, Memalign, (size_t A, size_t Size), (A, Size), Size)
MEMKIT_BLOCK(tc_valloc, Valloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(tc_pvalloc, Pvalloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(tc_new, New, (size_t Size), (Size), Size)
MEMKIT_BLOCK(tc_new_nothrow, New, (size_t Size, const void *N), (Size, N), Size)
MEMKIT_BLOCK(tc_newarray, NewArray, (size_t Size), (Size), Size)
MEMKIT_BLOCK(tc_newarray_nothrow, NewArray, (size_t Size, const void *N),
             (Size, N), Size)
MEMKIT_BLOCK(tc_new_aligned, NewAligned, (size_t Size, size_t A), (Size, A),
             Size)
MEMKIT_BLOCK(tc_new_aligned_nothrow, NewAligned,
             (size_t Size, size_t A, const void *N), (Size, A, N), Size)
MEMKIT_BLOCK(tc_newarray_aligned, NewArrayAligned, (size_t Size, size_t A),
             (Size, A), Size)
MEMKIT_BLOCK(tc_newarray_aligned_nothrow, NewArrayAligned,
             (size_t Size, size_t A, const void *N), (Size, A, N), Size)
MEMKIT_RESIZE(tc_realloc, Realloc, (void *P, size_t Size), (P, Size), Size)
MEMKIT_POSIX(tc_posix_memalign)
MEMKIT_RELEASE(tc_free, (void *P), (P))
MEMKIT_RELEASE(tc_cfree, (void *P), (P))
MEMKIT_RELEASE(tc_free_sized, (void *P, size_t Size), (P, Size))
MEMKIT_RELEASE(tc_delete, (void *P), (P))
MEMKIT_RELEASE(tc_delete_sized, (void *P, size_t Size), (P, Size))
MEMKIT_RELEASE(tc_delete_nothrow, (void *P, const void *N), (P, N))
MEMKIT_RELEASE(tc_delete_aligned, (void *P, size_t A), (P, A))
MEMKIT_RELEASE(tc_delete_sized_aligned, (void *P, size_t Size, size_t A),
               (P, Size, A))
MEMKIT_RELEASE(tc_delete_aligned_nothrow, (void *P, size_t A, const void *N),
               (P, A, N))
MEMKIT_RELEASE(tc_deletearray, (void *P), (P))
MEMKIT_RELEASE(tc_deletearray_sized, (void *P, size_t Size), (P, Size))
MEMKIT_RELEASE(tc_deletearray_nothrow, (void *P, const void *N), (P, N))
MEMKIT_RELEASE(tc_deletearray_aligned, (void *P, size_t A), (P, A))
MEMKIT_RELEASE(tc_deletearray_sized_aligned, (void *P, size_t Size, size_t A),
               (P, Size, A))
MEMKIT_RELEASE(tc_deletearray_aligned_nothrow,
               (void *P, size_t A, const void *N), (P, A, N))

//===----------------------------------------------------------------------===//
// mimalloc
//===----------------------------------------------------------------------===//

/// A function of the default heap, and the function mi_heap_* of a given heap.
#define MEMKIT_BLOCK_OF_HEAP(Name, F, Parameters, Arguments, ...)              \
  MEMKIT_BLOCK(mi_##Name, F, MEMKIT_OPEN Parameters, MEMKIT_OPEN Arguments,    \
               __VA_ARGS__)                                                    \
  MEMKIT_BLOCK(mi_heap_##Name, F, MEMKIT_BEHIND_HEAP Parameters,               \
               MEMKIT_BEHIND_H Arguments, __VA_ARGS__)
#define MEMKIT_RESIZE_OF_HEAP(Name, F, Parameters, Arguments, ...)             \
  MEMKIT_RESIZE(mi_##Name, F, MEMKIT_OPEN Parameters, MEMKIT_OPEN Arguments,   \
                __VA_ARGS__)                                                   \
  MEMKIT_RESIZE(mi_heap_##Name, F, MEMKIT_BEHIND_HEAP Parameters,              \
                MEMKIT_BEHIND_H Arguments, __VA_ARGS__)
#define MEMKIT_OPEN(...) (__VA_ARGS__)
#define MEMKIT_BEHIND_HEAP(...) (void *H, __VA_ARGS__)
#define MEMKIT_BEHIND_H(...) (H, __VA_ARGS__)

MEMKIT_BLOCK_OF_HEAP(malloc, Malloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK_OF_HEAP(malloc_small, Malloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK_OF_HEAP(zalloc, Calloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(mi_zalloc_small, Calloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK_OF_HEAP(mallocn, Malloc, (size_t Count, size_t Each),
                     (Count, Each), sizeOf(Count, Each))
MEMKIT_BLOCK_OF_HEAP(calloc, Calloc, (size_t Count, size_t Each), (Count, Each),
                     sizeOf(Count, Each))
MEMKIT_BLOCK_OF_HEAP(malloc_aligned, AlignedAlloc, (size_t Size, size_t A),
                     (Size, A), Size)
MEMKIT_BLOCK_OF_HEAP(zalloc_aligned, AlignedAlloc, (size_t Size, size_t A),
                     (Size, A), Size)
MEMKIT_BLOCK_OF_HEAP(malloc_aligned_at, AlignedAlloc,
                     (size_t Size, size_t A, size_t At), (Size, A, At), Size)
MEMKIT_BLOCK_OF_HEAP(zalloc_aligned_at, AlignedAlloc,
                     (size_t Size, size_t A, size_t At), (Size, A, At), Size)
MEMKIT_BLOCK_OF_HEAP(calloc_aligned, AlignedAlloc,
                     (size_t Count, size_t Each, size_t A), (Count, Each, A),
                     sizeOf(Count, Each))
MEMKIT_BLOCK_OF_HEAP(calloc_aligned_at, AlignedAlloc,
                     (size_t Count, size_t Each, size_t A, size_t At),
                     (Count, Each, A, At), sizeOf(Count, Each))
MEMKIT_BLOCK(mi_memalign, Memalign, (size_t A, size_t Size), (A, Size), Size)
MEMKIT_BLOCK(mi_aligned_alloc, AlignedAlloc, (size_t A, size_t Size), (A, Size),
             Size)
MEMKIT_BLOCK(_aligned_malloc, AlignedAlloc, (size_t Size, size_t A), (Size, A),
             Size)
MEMKIT_BLOCK(mi_valloc, Valloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(mi_pvalloc, Pvalloc, (size_t Size), (Size), Size)
MEMKIT_BLOCK(mi_new, New, (size_t Size), (Size), Size)
MEMKIT_BLOCK(mi_new_nothrow, New, (size_t Size), (Size), Size)
MEMKIT_BLOCK(mi_new_n, New, (size_t Count, size_t Each), (Count, Each),
             sizeOf(Count, Each))
MEMKIT_BLOCK(mi_new_aligned, NewAligned, (size_t Size, size_t A), (Size, A),
             Size)
MEMKIT_BLOCK(mi_new_aligned_nothrow, NewAligned, (size_t Size, size_t A),
             (Size, A), Size)
MEMKIT_BLOCK(mi_heap_alloc_new, New, (void *H, size_t Size), (H, Size), Size)
MEMKIT_BLOCK(mi_heap_alloc_new_n, New, (void *H, size_t Count, size_t Each),
             (H, Count, Each), sizeOf(Count, Each))
MEMKIT_RESIZE_OF_HEAP(realloc, Realloc, (void *P, size_t Size), (P, Size), Size)
MEMKIT_RESIZE_OF_HEAP(rezalloc, Realloc, (void *P, size_t Size), (P, Size),
                      Size)
MEMKIT_RESIZE_OF_HEAP(reallocn, ReallocArray,
                      (void *P, size_t Count, size_t Each), (P, Count, Each),
                      sizeOf(Count, Each))
MEMKIT_RESIZE_OF_HEAP(recalloc, ReallocArray,
                      (void *P, size_t Count, size_t Each), (P, Count, Each),
                      sizeOf(Count, Each))
MEMKIT_RESIZE_OF_HEAP(realloc_aligned, Realloc,
                      (void *P, size_t Size, size_t A), (P, Size, A), Size)
MEMKIT_RESIZE_OF_HEAP(rezalloc_aligned, Realloc,
                      (void *P, size_t Size, size_t A), (P, Size, A), Size)
MEMKIT_RESIZE_OF_HEAP(recalloc_aligned, ReallocArray,
                      (void *P, size_t Count, size_t Each, size_t A),
                      (P, Count, Each, A), sizeOf(Count, Each))
MEMKIT_RESIZE_OF_HEAP(realloc_aligned_at, Realloc,
                      (void *P, size_t Size, size_t A, size_t At),
                      (P, Size, A, At), Size)
MEMKIT_RESIZE_OF_HEAP(rezalloc_aligned_at, Realloc,
                      (void *P, size_t Size, size_t A, size_t At),
                      (P, Size, A, At), Size)
MEMKIT_RESIZE_OF_HEAP(recalloc_aligned_at, ReallocArray,
                      (void *P, size_t Count, size_t Each, size_t A, size_t At),
                      (P, Count, Each, A, At), sizeOf(Count, Each))
MEMKIT_RESIZE(mi_aligned_recalloc, ReallocArray,
              (void *P, size_t Count, size_t Each, size_t A),
              (P, Count, Each, A), sizeOf(Count, Each))
MEMKIT_RESIZE(mi_aligned_offset_recalloc, ReallocArray,
              (void *P, size_t Count, size_t Each, size_t A, size_t At),
              (P, Count, Each, A, At), sizeOf(Count, Each))
MEMKIT_RESIZE(mi_reallocarray, ReallocArray,
              (void *P, size_t Count, size_t Each), (P, Count, Each),
              sizeOf(Count, Each))
MEMKIT_RESIZE(mi_new_realloc, Realloc, (void *P, size_t Size), (P, Size), Size)
MEMKIT_RESIZE(mi_new_reallocn, ReallocArray,
              (void *P, size_t Count, size_t Each), (P, Count, Each),
              sizeOf(Count, Each))
MEMKIT_RESIZE(mi_expand, Realloc, (void *P, size_t Size), (P, Size), Size)
MEMKIT_RESIZE(mi__expand, Realloc, (void *P, size_t Size), (P, Size), Size)
MEMKIT_REALLOCARR(mi_reallocarr)
MEMKIT_REALLOCARR(reallocarr)
MEMKIT_POSIX(mi_posix_memalign)
MEMKIT_TEXT(mi_strdup, (const char *From), (From))
MEMKIT_TEXT(mi_mbsdup, (const char *From), (From))
MEMKIT_TEXT(mi_strndup, (const char *From, size_t Most), (From, Most))
MEMKIT_TEXT(mi_heap_strdup, (void *H, const char *From), (H, From))
MEMKIT_TEXT(mi_heap_strndup, (void *H, const char *From, size_t Most),
            (H, From, Most))
MEMKIT_RELEASE(mi_free, (void *P), (P))
MEMKIT_RELEASE(mi_cfree, (void *P), (P))
MEMKIT_RELEASE(mi_free_size, (void *P, size_t Size), (P, Size))
MEMKIT_RELEASE(mi_free_aligned, (void *P, size_t A), (P, A))
MEMKIT_RELEASE(mi_free_size_aligned, (void *P, size_t Size, size_t A),
               (P, Size, A))
MEMKIT_RELEASE(cfree, (void *P), (P))
MEMKIT_RELEASE(vfree, (void *P), (P))

/// As realloc, but a block that cannot grow is freed.
#define MEMKIT_REALLOCF(Name, Parameters, Arguments)                           \
  static void *(*Real_##Name)Parameters;                                       \
  static void *Hook_##Name Parameters {                                        \
    void *New = recordResize(                                                  \
        P, [&] { return Real_##Name Arguments; }, Size,                        \
        AllocFunction::Realloc, MEMKIT_CALLER);                                \
    if (P && !New)                                                             \
      recordFree(P);                                                           \
    return New;                                                                \
  }
MEMKIT_REALLOCF(mi_reallocf, (void *P, size_t Size), (P, Size))
MEMKIT_REALLOCF(mi_heap_reallocf, (void *H, void *P, size_t Size), (H, P, Size))
MEMKIT_REALLOCF(reallocf, (void *P, size_t Size), (P, Size))

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#define MEMKIT_HOOK(Name)                                                      \
  {#Name, reinterpret_cast<void *>(Hook_##Name),                               \
   reinterpret_cast<void **>(&Real_##Name)}

static const AllocatorHook Hooks[] = {
    MEMKIT_HOOK(_aligned_malloc),
    MEMKIT_HOOK(cfree),
    MEMKIT_HOOK(dallocx),
    MEMKIT_HOOK(free_aligned_sized),
    MEMKIT_HOOK(free_sized),
    MEMKIT_HOOK(mallocx),
    MEMKIT_HOOK(mi__expand),
    MEMKIT_HOOK(mi_aligned_alloc),
    MEMKIT_HOOK(mi_aligned_offset_recalloc),
    MEMKIT_HOOK(mi_aligned_recalloc),
    MEMKIT_HOOK(mi_calloc),
    MEMKIT_HOOK(mi_calloc_aligned),
    MEMKIT_HOOK(mi_calloc_aligned_at),
    MEMKIT_HOOK(mi_cfree),
    MEMKIT_HOOK(mi_expand),
    MEMKIT_HOOK(mi_free),
    MEMKIT_HOOK(mi_free_aligned),
    MEMKIT_HOOK(mi_free_size),
    MEMKIT_HOOK(mi_free_size_aligned),
    MEMKIT_HOOK(mi_heap_alloc_new),
    MEMKIT_HOOK(mi_heap_alloc_new_n),
    MEMKIT_HOOK(mi_heap_calloc),
    MEMKIT_HOOK(mi_heap_calloc_aligned),
    MEMKIT_HOOK(mi_heap_calloc_aligned_at),
    MEMKIT_HOOK(mi_heap_malloc),
    MEMKIT_HOOK(mi_heap_malloc_aligned),
    MEMKIT_HOOK(mi_heap_malloc_aligned_at),
    MEMKIT_HOOK(mi_heap_malloc_small),
    MEMKIT_HOOK(mi_heap_mallocn),
    MEMKIT_HOOK(mi_heap_realloc),
    MEMKIT_HOOK(mi_heap_realloc_aligned),
    MEMKIT_HOOK(mi_heap_realloc_aligned_at),
    MEMKIT_HOOK(mi_heap_reallocf),
    MEMKIT_HOOK(mi_heap_reallocn),
    MEMKIT_HOOK(mi_heap_recalloc),
    MEMKIT_HOOK(mi_heap_recalloc_aligned),
    MEMKIT_HOOK(mi_heap_recalloc_aligned_at),
    MEMKIT_HOOK(mi_heap_rezalloc),
    MEMKIT_HOOK(mi_heap_rezalloc_aligned),
    MEMKIT_HOOK(mi_heap_rezalloc_aligned_at),
    MEMKIT_HOOK(mi_heap_strdup),
    MEMKIT_HOOK(mi_heap_strndup),
    MEMKIT_HOOK(mi_heap_zalloc),
    MEMKIT_HOOK(mi_heap_zalloc_aligned),
    MEMKIT_HOOK(mi_heap_zalloc_aligned_at),
    MEMKIT_HOOK(mi_malloc),
    MEMKIT_HOOK(mi_malloc_aligned),
    MEMKIT_HOOK(mi_malloc_aligned_at),
    MEMKIT_HOOK(mi_malloc_small),
    MEMKIT_HOOK(mi_mallocn),
    MEMKIT_HOOK(mi_mbsdup),
    MEMKIT_HOOK(mi_memalign),
    MEMKIT_HOOK(mi_new),
    MEMKIT_HOOK(mi_new_aligned),
    MEMKIT_HOOK(mi_new_aligned_nothrow),
    MEMKIT_HOOK(mi_new_n),
    MEMKIT_HOOK(mi_new_nothrow),
    MEMKIT_HOOK(mi_new_realloc),
    MEMKIT_HOOK(mi_new_reallocn),
    MEMKIT_HOOK(mi_posix_memalign),
    MEMKIT_HOOK(mi_pvalloc),
    MEMKIT_HOOK(mi_realloc),
    MEMKIT_HOOK(mi_realloc_aligned),
    MEMKIT_HOOK(mi_realloc_aligned_at),
    MEMKIT_HOOK(mi_reallocarr),
    MEMKIT_HOOK(mi_reallocarray),
    MEMKIT_HOOK(mi_reallocf),
    MEMKIT_HOOK(mi_reallocn),
    MEMKIT_HOOK(mi_recalloc),
    MEMKIT_HOOK(mi_recalloc_aligned),
    MEMKIT_HOOK(mi_recalloc_aligned_at),
    MEMKIT_HOOK(mi_rezalloc),
    MEMKIT_HOOK(mi_rezalloc_aligned),
    MEMKIT_HOOK(mi_rezalloc_aligned_at),
    MEMKIT_HOOK(mi_strdup),
    MEMKIT_HOOK(mi_strndup),
    MEMKIT_HOOK(mi_valloc),
    MEMKIT_HOOK(mi_zalloc),
    MEMKIT_HOOK(mi_zalloc_aligned),
    MEMKIT_HOOK(mi_zalloc_aligned_at),
    MEMKIT_HOOK(mi_zalloc_small),
    MEMKIT_HOOK(rallocx),
    MEMKIT_HOOK(reallocarr),
    MEMKIT_HOOK(reallocf),
    MEMKIT_HOOK(sdallocx),
    MEMKIT_HOOK(tc_calloc),
    MEMKIT_HOOK(tc_cfree),
    MEMKIT_HOOK(tc_delete),
    MEMKIT_HOOK(tc_delete_aligned),
    MEMKIT_HOOK(tc_delete_aligned_nothrow),
    MEMKIT_HOOK(tc_delete_nothrow),
    MEMKIT_HOOK(tc_delete_sized),
    MEMKIT_HOOK(tc_delete_sized_aligned),
    MEMKIT_HOOK(tc_deletearray),
    MEMKIT_HOOK(tc_deletearray_aligned),
    MEMKIT_HOOK(tc_deletearray_aligned_nothrow),
    MEMKIT_HOOK(tc_deletearray_nothrow),
    MEMKIT_HOOK(tc_deletearray_sized),
    MEMKIT_HOOK(tc_deletearray_sized_aligned),
    MEMKIT_HOOK(tc_free),
    MEMKIT_HOOK(tc_free_sized),
    MEMKIT_HOOK(tc_malloc),
    MEMKIT_HOOK(tc_malloc_skip_new_handler),
    MEMKIT_HOOK(tc_memalign),
    MEMKIT_HOOK(tc_new),
    MEMKIT_HOOK(tc_new_aligned),
    MEMKIT_HOOK(tc_new_aligned_nothrow),
    MEMKIT_HOOK(tc_new_nothrow),
    MEMKIT_HOOK(tc_newarray),
    MEMKIT_HOOK(tc_newarray_aligned),
    MEMKIT_HOOK(tc_newarray_aligned_nothrow),
    MEMKIT_HOOK(tc_newarray_nothrow),
    MEMKIT_HOOK(tc_posix_memalign),
    MEMKIT_HOOK(tc_pvalloc),
    MEMKIT_HOOK(tc_realloc),
    MEMKIT_HOOK(tc_valloc),
    MEMKIT_HOOK(vfree),
    MEMKIT_HOOK(xallocx),
};

const AllocatorHook *capture::allocatorHookOf(const char *Name) {
  size_t Low = 0, High = sizeof(Hooks) / sizeof(*Hooks);
  while (Low < High) {
    size_t Mid = (Low + High) / 2;
    int Is = strcmp(Hooks[Mid].Name, Name);
    if (!Is)
      return &Hooks[Mid];
    (Is < 0 ? Low : High) = Is < 0 ? Mid + 1 : Mid;
  }
  return nullptr;
}

void capture::forAllocatorHooks(void (*F)(const AllocatorHook &, void *),
                                void *With) {
  for (const AllocatorHook &H : Hooks)
    F(H, With);
}
