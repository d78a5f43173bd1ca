/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions for a program to report steps, scopes, marks, the blocks of its own
 * allocators and its devices to memrec, and to read its own stats.
 *
 * For C (C99) and C++. There is nothing to link: the functions are in the
 * library that memrec preloads. Without this library (the program runs without
 * memrec, or is static) each function does nothing, in about a nanosecond.
 *
 *     uint64_t Load = memkit_scope_begin("load");
 *     read_all();
 *     memkit_scope_end(Load);
 *
 *     struct memkit_stats S;
 *     if (memkit_stats(Load, &S))
 *       printf("%llu bytes at most\n", (unsigned long long)S.total.peak);
 *
 * All functions may be called in any thread, in signal handlers, and after
 * fork. No function changes errno or allocates. Only memkit_stats() waits.
 */
#ifndef MEMKIT_MEMKIT_H
#define MEMKIT_MEMKIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stats of a heap of the process since a scope started. Sizes in bytes. */
struct memkit_heap {
  char name[40]; /* host.malloc, host.mmap, ... */
  uint64_t allocations;
  uint64_t frees;
  uint64_t allocated;
  uint64_t freed;
  uint64_t before; /* live at the start */
  uint64_t peak;   /* highest live bytes */
  uint64_t after;  /* live at the end, or now */
};

/* Memory that the allocator of a heap reserves, if the allocator reports such
 * memory: PyTorch's allocators of devices do. */
struct memkit_reserved {
  uint64_t is_known; /* 0: not reported; the other fields are 0 */
  uint64_t reserved; /* at the end, or now */
  uint64_t peak;     /* highest reserved bytes */
  uint64_t active;   /* part of reserved in use, last report */
};

/* What a collector tells of a device, in bytes; MEMKIT_UNKNOWN: not known. */
struct memkit_sample {
  uint64_t used;      /* of the device's memory, by all processes */
  uint64_t total;     /* the device's memory */
  uint64_t allocated; /* given out by the program's allocator */
  uint64_t reserved;  /* taken from the device by this allocator */
};
#define MEMKIT_UNKNOWN (~(uint64_t)0)
/* Sets what it knows; all fields are MEMKIT_UNKNOWN before. 0: nothing now. */
typedef int (*memkit_sample_fn)(void *Context, struct memkit_sample *To);

struct memkit_stats {
  uint64_t duration_ns;
  uint32_t num_heaps;
  uint32_t reserved;
  struct memkit_heap total;     /* memory space host: a byte counts once */
  struct memkit_heap heaps[24]; /* torch.*: tensors made, deleted, ... */
  struct memkit_reserved reserved_of[24]; /* by index in heaps */
  uint64_t active_at_peak[24]; /* as reserved_of: in use at reserved's peak */
};

/*
 * The address of a function of the preloaded library; 0 without the library.
 * The address comes through the global offset table, so the loader resolves the
 * function even in executables that are not position-independent.
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
typedef uint32_t (*memkit_alert_fn_)(const char *, size_t);
typedef uint64_t (*memkit_alerted_fn_)(uint32_t, uint64_t *);
typedef void (*memkit_allocated_fn_)(const char *, size_t, const void *,
                                     size_t);
typedef void (*memkit_freed_fn_)(const char *, size_t, const void *);
typedef void (*memkit_device_allocated_fn_)(const char *, size_t, const char *,
                                            size_t, uint64_t, size_t);
typedef void (*memkit_device_freed_fn_)(const char *, size_t, const char *,
                                        size_t, uint64_t);
typedef int (*memkit_register_fn_)(const char *, size_t, memkit_sample_fn,
                                   void *);

/*
 * Ends the current step, if any, and starts the next step. A step is one round
 * of the program's main loop. Memory that is kept again in step after step
 * leaks.
 */
MEMKIT_INLINE_ void memkit_step(void) {
  MEMKIT_FIND_(memkit_void_fn_, memrec_step);
  if (Found)
    Found();
}

/* Adds a mark with a name (UTF-8) to the trace at this time. */
MEMKIT_INLINE_ void memkit_mark(const char *Name) {
  MEMKIT_FIND_(memkit_mark_fn_, memrec_mark);
  if (Found)
    Found(Name, strlen(Name));
}

/*
 * Starts a scope. Allocations of the thread until the scope's end belong to the
 * scope and to the scopes around it. Returns the number for
 * memkit_scope_end(), or 0.
 *
 * A scope ends at its memkit_scope_end(), at the end of a scope that the thread
 * started earlier, or at the end of the thread. So the next outer scope closes
 * a scope that longjmp left.
 */
MEMKIT_INLINE_ uint64_t memkit_scope_begin(const char *Name) {
  MEMKIT_FIND_(memkit_begin_fn_, memrec_scope_begin);
  return Found ? Found(Name, strlen(Name), 0) : 0;
}

/* Ends a scope, in any thread. Does nothing for 0 and for an ended scope. */
MEMKIT_INLINE_ void memkit_scope_end(uint64_t Scope) {
  MEMKIT_FIND_(memkit_end_fn_, memrec_scope_end);
  if (Found)
    Found(Scope);
}

/*
 * Stops the recording of allocations until memkit_start(). Frees of recorded
 * blocks are still recorded. A child of fork starts in its parent's state.
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

/* Whether memrec records the program's allocations now. */
MEMKIT_INLINE_ int memkit_recording(void) {
  MEMKIT_FIND_(memkit_int_fn_, memrec_recording);
  return Found ? Found() : 0;
}

/*
 * Writes the stats of the whole process since a scope started, until now or
 * until the scope ended (the last 1,024 ended scopes are kept). Scope 0: the
 * innermost open scope of this thread; without an open scope, the process since
 * its start.
 *
 * Asks the recorder and waits for the answer: some milliseconds as a rule, at
 * most three seconds if the recorder shows no sign of life, at most ten seconds
 * if the recorder is busy. Returns 0 without an answer.
 */
MEMKIT_INLINE_ int memkit_stats(uint64_t Scope, struct memkit_stats *To) {
  MEMKIT_FIND_(memkit_stats_fn_, memrec_stats);
  return Found ? Found(Scope, To, sizeof(*To)) : 0;
}

/*
 * Asks the recorder to watch a condition, in the grammar of memrec --alert:
 * "host:live>2GiB", "cuda:0:used>90%", "rss>80%", "growth>1MiB/min". Returns a
 * number for memkit_alerted(), or 0 without a recorder and after 32 alerts of
 * the process. A condition that the recorder cannot read is a warning of
 * memrec. Not for a child after fork: ask again there.
 */
MEMKIT_INLINE_ uint32_t memkit_alert(const char *Condition) {
  MEMKIT_FIND_(memkit_alert_fn_, memrec_alert);
  return Found ? Found(Condition, strlen(Condition)) : 0;
}

/*
 * How often the condition of an alert has begun to hold. Costs two loads: call
 * it where the program can act. ValueAndBound: if not null, gets the value and
 * its bound at the last time: bytes, of growth bytes a second or a step, a
 * count, or millionths of fragmentation.
 */
MEMKIT_INLINE_ uint64_t memkit_alerted(uint32_t Alert,
                                       uint64_t ValueAndBound[2]) {
  MEMKIT_FIND_(memkit_alerted_fn_, memrec_alerted);
  uint64_t Unused[2];
  return Found ? Found(Alert, ValueAndBound ? ValueAndBound : Unused) : 0;
}

/*
 * Reports a block of an allocator of the program's own: heap `pool.NAME`. Call
 * memkit_allocated() after the allocator has given out the block, and
 * memkit_freed() before the allocator takes the block back. Pool: UTF-8; at
 * most 64 pools have a heap each. P: an address of the host; null, and a size
 * that no block has (2^48 and above), report nothing.
 *
 * A block inside a block of malloc or inside a mapping counts once in the
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

/*
 * As memkit_allocated() and memkit_freed(), for a block in the memory of a
 * device: heap `DEVICE.POOL` of the memory space DEVICE. Device: at most 63
 * letters, digits, ':', '_' and '-', such as "npu:0" or PyTorch's "xpu:0". P:
 * the device's address, or a number that is the block's while it lives.
 *
 * A block inside a block of CUDA's driver counts once in the device's totals.
 */
MEMKIT_INLINE_ void memkit_device_allocated(const char *Device,
                                            const char *Pool, uint64_t P,
                                            size_t Size) {
  MEMKIT_FIND_(memkit_device_allocated_fn_, memrec_device_allocated);
  if (Found)
    Found(Device, strlen(Device), Pool, strlen(Pool), P, Size);
}
MEMKIT_INLINE_ void memkit_device_freed(const char *Device, const char *Pool,
                                        uint64_t P) {
  MEMKIT_FIND_(memkit_device_freed_fn_, memrec_device_freed);
  if (Found)
    Found(Device, strlen(Device), Pool, strlen(Pool), P);
}

/*
 * Registers a function that tells the memory of a device, named as in
 * memkit_device_allocated(). memkit_step() and memkit_collect() call it, at
 * most once in memrec's --device-interval (0.1 s), in their thread, one thread
 * at a time; with a collector, do not call memkit_step() in a signal handler.
 * The values are a series of the trace, with alerts ("npu:0:used>90%"). Of a
 * CUDA device that memrec measures itself they are left out.
 *
 * Returns 0 without a recorder, for a name that is no device's, and after 16
 * collectors. A child of fork has no collectors.
 */
MEMKIT_INLINE_ int memkit_register_collector(const char *Device,
                                             memkit_sample_fn Sample,
                                             void *Context) {
  MEMKIT_FIND_(memkit_register_fn_, memrec_register_collector);
  return Found ? Found(Device, strlen(Device), Sample, Context) : 0;
}
/* Calls the collectors that are due: where the program has no steps. */
MEMKIT_INLINE_ void memkit_collect(void) {
  MEMKIT_FIND_(memkit_void_fn_, memrec_collect);
  if (Found)
    Found();
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

  /* Writes the stats up to now. False: no answer. */
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
