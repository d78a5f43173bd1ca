// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of operator new and delete.
//
// Where the real operators call malloc and free, memkit's hooks of malloc and
// free have recorded the block, and these hooks only forward. Where the real
// operators use memory of their own, these hooks record. The first new shows
// which is the case.
//
// The symbols are defined under their own names, as plain functions without
// clean-ups: an exception (bad_alloc, or a new handler's) passes through.

#include "Blocks.h"
#include "Real.h"
#include "Runtime/Symbols.h"
#include "Stacks/Loader.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace memkit;
using namespace memkit::capture;

namespace {
/// A real operator, looked up at its first call.
struct Operator {
  const char *Name;
  std::atomic<void *> Function;
};
} // namespace

/// Does operator new bypass memkit's malloc?
static std::atomic<bool> OwnMemory;

/// The symbol that the binary of \p Pc would have found, had this library not
/// come first.
static void *symbolFor(uintptr_t Pc, const char *Name) {
  FoundObject O;
  if (!Loader.find(Pc, O))
    return nullptr;
  return symbolOfBinary(O.LinkMap, Name);
}

/// Finds the operator in the global scope, in the scope of the caller alone (an
/// extension of Python), or in a C++ library loaded otherwise. Null: not found.
static void *resolve(Operator &O, uintptr_t Pc) {
  void *P = nextSymbol(O.Name);
  if (!P)
    P = symbolFor(Pc, O.Name);
  for (const char *Library : {"libstdc++.so.6", "libc++.so.1"})
    if (!P)
      P = symbolOfLoaded(Library, O.Name);
  O.Function.store(P, std::memory_order_release);
  return P;
}

template <typename Fn> static inline Fn *real(Operator &O, uintptr_t Pc) {
  void *P = O.Function.load(std::memory_order_acquire);
  if (__builtin_expect(!P, 0))
    P = resolve(O, Pc);
  return reinterpret_cast<Fn *>(P);
}

/// Without a C++ library: malloc's memory, no new handler, no exception.
static void *newFromMalloc(size_t Size, size_t Alignment, bool MayBeNull) {
  Size = Size ? Size : 1;
  void *P = Alignment ? Real.Memalign(Alignment, Size) : Real.Malloc(Size);
  if (!P && !MayBeNull)
    abort();
  return P;
}

static inline void *record(void *P, size_t Size, AllocFunction F,
                           const CallerFrame &Caller) {
  if (!P || isDecided(P) || isInArena(P))
    return P;
  OwnMemory.store(true, std::memory_order_relaxed);
  recordAllocation(P, Size, F, Caller);
  return P;
}

#define MEMKIT_OPERATOR_NEW(Function, Symbol, F, Parameters, Types, Arguments, \
                            Alignment, MayBeNull)                              \
  MEMKIT_EXPORT void *Function Parameters asm(Symbol);                         \
  void *Function Parameters {                                                  \
    static constinit Operator O{Symbol, {nullptr}};                            \
    CallerFrame Caller = MEMKIT_CALLER;                                        \
    auto *Fn = real<void * Types>(O, Caller.Pc);                               \
    ThisThread.LastAllocation = 0;                                             \
    void *P = Fn ? Fn Arguments : newFromMalloc(Size, Alignment, MayBeNull);   \
    return record(P, Size, AllocFunction::F, Caller);                          \
  }

#define MEMKIT_OPERATOR_DELETE(Function, Symbol, Parameters, Types, Arguments) \
  MEMKIT_EXPORT void Function Parameters asm(Symbol);                          \
  void Function Parameters {                                                   \
    static constinit Operator O{Symbol, {nullptr}};                            \
    auto *Fn = real<void Types>(O, uintptr_t(__builtin_return_address(0)));    \
    if (!Fn)                                                                   \
      return free(P);                                                          \
    if (!P || !OwnMemory.load(std::memory_order_relaxed)) {                    \
      Fn Arguments;                                                            \
      return;                                                                  \
    }                                                                          \
    recordFree(P);                                                             \
    ThisThread.Freeing = uintptr_t(P);                                         \
    Fn Arguments;                                                              \
    ThisThread.Freeing = 0;                                                    \
  }

using NoThrow = const void *; // a reference to std::nothrow_t

MEMKIT_OPERATOR_NEW(opNew, "_Znwm", New, (size_t Size), (size_t), (Size), 0,
                    false)
MEMKIT_OPERATOR_NEW(opNewArray, "_Znam", NewArray, (size_t Size), (size_t),
                    (Size), 0, false)
MEMKIT_OPERATOR_NEW(opNewNoThrow, "_ZnwmRKSt9nothrow_t", New,
                    (size_t Size, NoThrow N), (size_t, NoThrow), (Size, N), 0,
                    true)
MEMKIT_OPERATOR_NEW(opNewArrayNoThrow, "_ZnamRKSt9nothrow_t", NewArray,
                    (size_t Size, NoThrow N), (size_t, NoThrow), (Size, N), 0,
                    true)
MEMKIT_OPERATOR_NEW(opNewAligned, "_ZnwmSt11align_val_t", NewAligned,
                    (size_t Size, size_t A), (size_t, size_t), (Size, A), A,
                    false)
MEMKIT_OPERATOR_NEW(opNewArrayAligned, "_ZnamSt11align_val_t", NewArrayAligned,
                    (size_t Size, size_t A), (size_t, size_t), (Size, A), A,
                    false)
MEMKIT_OPERATOR_NEW(opNewAlignedNoThrow, "_ZnwmSt11align_val_tRKSt9nothrow_t",
                    NewAligned, (size_t Size, size_t A, NoThrow N),
                    (size_t, size_t, NoThrow), (Size, A, N), A, true)
MEMKIT_OPERATOR_NEW(opNewArrayAlignedNoThrow,
                    "_ZnamSt11align_val_tRKSt9nothrow_t", NewArrayAligned,
                    (size_t Size, size_t A, NoThrow N),
                    (size_t, size_t, NoThrow), (Size, A, N), A, true)

MEMKIT_OPERATOR_DELETE(opDelete, "_ZdlPv", (void *P), (void *), (P))
MEMKIT_OPERATOR_DELETE(opDeleteArray, "_ZdaPv", (void *P), (void *), (P))
MEMKIT_OPERATOR_DELETE(opDeleteSized, "_ZdlPvm", (void *P, size_t S),
                       (void *, size_t), (P, S))
MEMKIT_OPERATOR_DELETE(opDeleteArraySized, "_ZdaPvm", (void *P, size_t S),
                       (void *, size_t), (P, S))
MEMKIT_OPERATOR_DELETE(opDeleteNoThrow, "_ZdlPvRKSt9nothrow_t",
                       (void *P, NoThrow N), (void *, NoThrow), (P, N))
MEMKIT_OPERATOR_DELETE(opDeleteArrayNoThrow, "_ZdaPvRKSt9nothrow_t",
                       (void *P, NoThrow N), (void *, NoThrow), (P, N))
MEMKIT_OPERATOR_DELETE(opDeleteAligned, "_ZdlPvSt11align_val_t",
                       (void *P, size_t A), (void *, size_t), (P, A))
MEMKIT_OPERATOR_DELETE(opDeleteArrayAligned, "_ZdaPvSt11align_val_t",
                       (void *P, size_t A), (void *, size_t), (P, A))
MEMKIT_OPERATOR_DELETE(opDeleteSizedAligned, "_ZdlPvmSt11align_val_t",
                       (void *P, size_t S, size_t A), (void *, size_t, size_t),
                       (P, S, A))
MEMKIT_OPERATOR_DELETE(opDeleteArraySizedAligned, "_ZdaPvmSt11align_val_t",
                       (void *P, size_t S, size_t A), (void *, size_t, size_t),
                       (P, S, A))
MEMKIT_OPERATOR_DELETE(opDeleteAlignedNoThrow,
                       "_ZdlPvSt11align_val_tRKSt9nothrow_t",
                       (void *P, size_t A, NoThrow N),
                       (void *, size_t, NoThrow), (P, A, N))
MEMKIT_OPERATOR_DELETE(opDeleteArrayAlignedNoThrow,
                       "_ZdaPvSt11align_val_tRKSt9nothrow_t",
                       (void *P, size_t A, NoThrow N),
                       (void *, size_t, NoThrow), (P, A, N))
