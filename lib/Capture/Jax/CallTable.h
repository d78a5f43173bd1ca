// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From work on a pool's thread to the call that started the work.
//
// The dispatch of JAX's CPU client puts a computation whose inputs are not
// ready, or that is large, into a closure that a thread of a pool runs later.
// The closure's address, which the thread of the call sees as an allocation, is
// the key.

#ifndef MEMKIT_CAPTURE_JAX_CALLTABLE_H
#define MEMKIT_CAPTURE_JAX_CALLTABLE_H

#include "Runtime/Syscall.h"

#include <atomic>
#include <cstdint>

namespace memkit::capture {

/// A call of a compiled program.
struct ProgramCall {
  uint64_t Number;     ///< of its scope; 0: none
  uint32_t Text;       ///< the program's name
  uint32_t PythonNode; ///< where Python called it; 0: not known
};

/// A later closure may take the place of an earlier one, which then has no
/// call. Any thread.
class CallTable {
public:
  void set(uintptr_t Closure, const ProgramCall &Call) {
    CallPlace *P = place(Closure);
    if (!P)
      return;
    P->Closure.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    P->Number.store(Call.Number, std::memory_order_relaxed);
    P->TextAndNode.store(uint64_t(Call.Text) << 32 | Call.PythonNode,
                         std::memory_order_relaxed);
    P->Closure.store(Closure, std::memory_order_release);
  }

  /// False: the closure's call is not known.
  bool find(uintptr_t Closure, ProgramCall &Call) {
    CallPlace *P = place(Closure);
    if (!P || P->Closure.load(std::memory_order_acquire) != Closure)
      return false;
    Call.Number = P->Number.load(std::memory_order_relaxed);
    uint64_t Word = P->TextAndNode.load(std::memory_order_relaxed);
    Call.Text = uint32_t(Word >> 32);
    Call.PythonNode = uint32_t(Word);
    std::atomic_thread_fence(std::memory_order_acquire);
    return P->Closure.load(std::memory_order_relaxed) == Closure;
  }

private:
  struct CallPlace {
    std::atomic<uintptr_t> Closure;
    std::atomic<uint64_t> Number, TextAndNode;
  };
  static constexpr unsigned Bits = 14;
  static constexpr size_t Bytes = sizeof(CallPlace) << Bits;

  /// Maps the table at the first call; null: no memory.
  CallPlace *place(uintptr_t Closure) {
    CallPlace *T = Table.load(std::memory_order_acquire);
    if (__builtin_expect(!T, 0) && !(T = map()))
      return nullptr;
    return T + (Closure / 16 * 0x9e3779b97f4a7c15ull >> (64 - Bits));
  }
  CallPlace *map() {
    auto *New = static_cast<CallPlace *>(sys::mapPrivate(Bytes));
    CallPlace *Is = nullptr;
    if (!New || Table.compare_exchange_strong(Is, New))
      return New;
    sys::unmap(New, Bytes);
    return Is;
  }

  std::atomic<CallPlace *> Table{nullptr};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_JAX_CALLTABLE_H
