// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of brk and sbrk.
//
// For programs and allocators that move the break themselves; glibc's malloc
// moves the break without these hooks. A decrease is recorded before the call,
// an increase after it.

#include "Maps.h"
#include "Real.h"
#include "Runtime/Symbols.h"

#include <cerrno>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;

/// libc keeps the break in a variable of its own, so only libc's functions may
/// move the break.
template <typename Fn>
static Fn *realFunction(std::atomic<Fn *> &Known, const char *Name) {
  Fn *F = Known.load(std::memory_order_acquire);
  if (!F) {
    F = reinterpret_cast<Fn *>(nextSymbol(Name));
    Known.store(F, std::memory_order_release);
  }
  return F;
}

static uintptr_t currentBreak() { return uintptr_t(sys::call(SYS_brk, 0)); }

static void recordGrowth(uintptr_t From, uintptr_t To, AllocFunction F,
                         const CallerFrame &Caller) {
  recordPages(wire::HB_Maps, wire::BreakRecord{From, To - From, F, 0}, Caller);
}

MEMKIT_EXPORT int brk(void *To) noexcept {
  static std::atomic<int (*)(void *)> Fn;
  CallerFrame Caller = MEMKIT_CALLER;
  auto *Real = realFunction(Fn, "brk");
  if (!Real) {
    errno = ENOMEM;
    return -1;
  }
  uintptr_t Old = currentBreak(), New = uintptr_t(To);
  if (New < Old)
    recordUnmap(New, Old - New);
  int Result = Real(To);
  if (Result == 0 && New > Old)
    recordGrowth(Old, New, AllocFunction::Brk, Caller);
  return Result;
}

MEMKIT_EXPORT void *sbrk(intptr_t By) noexcept {
  static std::atomic<void *(*)(intptr_t)> Fn;
  CallerFrame Caller = MEMKIT_CALLER;
  auto *Real = realFunction(Fn, "sbrk");
  if (!Real) {
    errno = ENOMEM;
    return reinterpret_cast<void *>(-1);
  }
  if (By < 0)
    recordUnmap(currentBreak() + uintptr_t(By), -uint64_t(By));
  void *Old = Real(By);
  if (By > 0 && Old != reinterpret_cast<void *>(-1))
    recordGrowth(uintptr_t(Old), uintptr_t(Old) + uintptr_t(By),
                 AllocFunction::Sbrk, Caller);
  return Old;
}
