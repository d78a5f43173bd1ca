/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What a program tells memrec of itself.
 *
 * For C (C99) and C++. There is nothing to link: the functions are looked for
 * in the library that memrec preloads. Where that is not (the program is run
 * by itself, or is static) each of them does nothing, in about a nanosecond.
 *
 *     uint64_t Load = memkit_scope_begin("load");
 *     read_all();
 *     memkit_scope_end(Load);
 *
 *     struct memkit_stats S;
 *     if (memkit_stats(Load, &S))
 *       printf("%llu bytes at most\n", (unsigned long long)S.total.peak);
 *
 * All may be called in any thread, in signal handlers, and after fork. None
 * changes errno or allocates. Only memkit_stats() waits.
 */
#ifndef MEMKIT_MEMKIT_H
#define MEMKIT_MEMKIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happened to a heap of the process in a span of time. Sizes in bytes. */
struct memkit_heap {
  char name[40]; /* host.malloc, host.mmap, ... */
  uint64_t allocations;
  uint64_t frees;
  uint64_t allocated;
  uint64_t freed;
  uint64_t before; /* live when the span began */
  uint64_t peak;   /* the most that was live at once */
  uint64_t after;  /* live when it ended, or now */
};

/* What the allocator of a heap has taken, where it tells: PyTorch's of devices.
 */
struct memkit_reserved {
  uint64_t is_known; /* 0: it does not tell, and the rest is 0 */
  uint64_t reserved; /* when the span ended, or now */
  uint64_t peak;     /* the most in the span */
  uint64_t active;   /* of it given out, when it was last told */
};

struct memkit_stats {
  uint64_t duration_ns;
  uint32_t num_heaps;
  uint32_t reserved;
  struct memkit_heap total;     /* the space host: no byte counts twice */
  struct memkit_heap heaps[24]; /* of torch.*: tensors made, deleted, ... */
  struct memkit_reserved reserved_of[24]; /* of heaps, one by one */
};

/*
 * The address of a function of the preloaded library; 0 when it is not there.
 * Through the global offset table, so that the linker leaves it to the loader
 * also in executables that are not position-independent.
 */
#if defined(__x86_64__) && defined(__ELF__) && defined(__GNUC__)
#define MEMKIT_FIND_(Type, Name)                                               \
  Type Found;                                                                  \
  __asm__(".weak " #Name "\n\tmovq " #Name "@GOTPCREL(%%rip), %0" : "=r"(Found))
#define MEMKIT_INLINE_ static inline __attribute__((unused))
#else
#define MEMKIT_FIND_(Type, Name) Type Found = 0
#define MEMKIT_INLINE_ static inline
#endif
typedef void (*memkit_void_fn_)(void);
typedef int (*memkit_int_fn_)(void);
typedef void (*memkit_mark_fn_)(const char *, size_t);
typedef uint64_t (*memkit_begin_fn_)(const char *, size_t, unsigned);
typedef void (*memkit_end_fn_)(uint64_t);
typedef int (*memkit_stats_fn_)(uint64_t, void *, size_t);
typedef void (*memkit_allocated_fn_)(const char *, size_t, const void *,
                                     size_t);
typedef void (*memkit_freed_fn_)(const char *, size_t, const void *);

/*
 * Begins the next step of the program, and ends the one before: one round of
 * what it repeats. What grows from step to step is what leaks.
 */
MEMKIT_INLINE_ void memkit_step(void) {
  MEMKIT_FIND_(memkit_void_fn_, memrec_step);
  if (Found)
    Found();
}

/* Puts a mark with a name (UTF-8) at this moment of the trace. */
MEMKIT_INLINE_ void memkit_mark(const char *Name) {
  MEMKIT_FIND_(memkit_mark_fn_, memrec_mark);
  if (Found)
    Found(Name, strlen(Name));
}

/*
 * Begins a scope: what the thread allocates until its end is told to be in it,
 * and in those around it. The number that ends it, or 0.
 *
 * It is over at its end, at the end of one that its thread began before it, and
 * when its thread ends: one that is left by longjmp is closed by the next
 * outer.
 */
MEMKIT_INLINE_ uint64_t memkit_scope_begin(const char *Name) {
  MEMKIT_FIND_(memkit_begin_fn_, memrec_scope_begin);
  return Found ? Found(Name, strlen(Name), 0) : 0;
}

/* Any thread may end it. Does nothing for 0, and for what has ended. */
MEMKIT_INLINE_ void memkit_scope_end(uint64_t Scope) {
  MEMKIT_FIND_(memkit_end_fn_, memrec_scope_end);
  if (Found)
    Found(Scope);
}

/*
 * Records no more allocations, until memkit_start(). Frees of blocks that were
 * recorded still are. A child of fork begins as its parent is.
 */
MEMKIT_INLINE_ void memkit_stop(void) {
  MEMKIT_FIND_(memkit_void_fn_, memrec_stop);
  if (Found)
    Found();
}
MEMKIT_INLINE_ void memkit_start(void) {
  MEMKIT_FIND_(memkit_void_fn_, memrec_start);
  if (Found)
    Found();
}

/* Whether a recorder takes what the program allocates now. */
MEMKIT_INLINE_ int memkit_recording(void) {
  MEMKIT_FIND_(memkit_int_fn_, memrec_recording);
  return Found ? Found() : 0;
}

/*
 * What the whole process did since a scope began: until now, or until it ended
 * (of those that ended the last 1,024 are kept). Scope 0: the innermost open
 * scope of this thread; without one, the process since it started.
 *
 * Asks the recorder and waits for the answer, some milliseconds as a rule, at
 * most a second for a recorder that stands still. 0: there is no answer.
 */
MEMKIT_INLINE_ int memkit_stats(uint64_t Scope, struct memkit_stats *To) {
  MEMKIT_FIND_(memkit_stats_fn_, memrec_stats);
  return Found ? Found(Scope, To, sizeof(*To)) : 0;
}

/*
 * Reports a block of an allocator of the program's own: heap `pool.NAME`. Call
 * memkit_allocated() after the allocator has given out the block, and
 * memkit_freed() before the allocator takes the block back. Pool: UTF-8; at
 * most 64 pools have a heap each. P: an address of the host; null reports
 * nothing.
 *
 * A block that lies in a block of malloc or in a mapping counts once in the
 * totals. Without a recorder each call costs one load.
 */
MEMKIT_INLINE_ void memkit_allocated(const char *Pool, const void *P,
                                     size_t Size) {
  MEMKIT_FIND_(memkit_allocated_fn_, memrec_allocated);
  if (Found)
    Found(Pool, strlen(Pool), P, Size);
}
MEMKIT_INLINE_ void memkit_freed(const char *Pool, const void *P) {
  MEMKIT_FIND_(memkit_freed_fn_, memrec_freed);
  if (Found)
    Found(Pool, strlen(Pool), P);
}

#ifdef __cplusplus
}

namespace memkit {

/* The pool of an allocator: memkit_allocated() and memkit_freed() with its
 * name, which must outlive the pool. */
class Pool {
public:
  explicit Pool(const char *Name) : Name(Name) {}
  void allocated(const void *P, size_t Size) const {
    memkit_allocated(Name, P, Size);
  }
  void freed(const void *P) const { memkit_freed(Name, P); }

private:
  const char *Name;
};

/* A scope from its construction to its destruction. */
class Scope {
public:
  explicit Scope(const char *Name) : Number(memkit_scope_begin(Name)) {}
  ~Scope() { memkit_scope_end(Number); }

  /* Up to now. False: there is no answer. */
  bool stats(struct memkit_stats &To) const {
    return Number && ::memkit_stats(Number, &To);
  }
  uint64_t number() const { return Number; }

private:
  Scope(const Scope &);
  Scope &operator=(const Scope &);
  uint64_t Number;
};

} // namespace memkit
#endif

#undef MEMKIT_FIND_
#undef MEMKIT_INLINE_
#endif /* MEMKIT_MEMKIT_H */
