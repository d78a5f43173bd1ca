// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to the interpreter for the names of running layers.

#ifndef MEMKIT_CAPTURE_PYTHON_NAMEQUESTIONS_H
#define MEMKIT_CAPTURE_PYTHON_NAMEQUESTIONS_H

#include "PythonCalls.h"
#include "Runtime/Syscall.h"

namespace memkit::capture {

/// One question at a time; a pending call answers. Answers may take a hundredth
/// of the time at most, plus FirstNs. Any thread may ask.
class NameQuestions {
public:
  /// In a program that has imported torch, one search among all objects takes 9
  /// ms.
  static constexpr uint64_t FirstNs = 40'000'000;

  /// \p E: the interpreter's symbols.
  void begin(const Exports &E) { HasAll = Py.find(E); }
  /// Can the interpreter be asked?
  bool canAsk() const { return HasAll; }
  /// Have answers taken less than half of FirstNs?
  bool isEarly() const { return spentNs() < FirstNs / 2; }
  /// May a further answer take time?
  bool isAffordable() const {
    uint64_t Spent = spentNs();
    return Spent < FirstNs ||
           Spent < FirstNs + (sys::clockNs(CLOCK_MONOTONIC) -
                              BegunNs.load(std::memory_order_relaxed)) /
                                 100;
  }
  /// Asks about \p Subject, not 0, unless a question is pending. \p Do calls
  /// answer().
  void ask(uintptr_t Subject, PendingCalls::Answer Do, void *Self) {
    uintptr_t None = 0;
    if (!Asked.compare_exchange_strong(None, Subject,
                                       std::memory_order_acq_rel))
      return;
    if (!BegunNs.load(std::memory_order_relaxed))
      BegunNs.store(sys::clockNs(CLOCK_MONOTONIC));
    if (!Py.Pending.ask(Do, Self))
      Asked.store(0, std::memory_order_release);
  }
  /// In the pending call: calls \p Do with the subject. A child of fork
  /// inherits the pending call, but has asked nothing.
  template <class F> void answer(F Do) {
    uintptr_t Subject = Asked.load(std::memory_order_acquire);
    if (!Subject)
      return;
    uint64_t Begin = sys::clockNs(CLOCK_THREAD_CPUTIME_ID);
    {
      KeptError Kept;
      Do(Subject);
    }
    SpentNs.fetch_add(sys::clockNs(CLOCK_THREAD_CPUTIME_ID) - Begin,
                      std::memory_order_relaxed);
    Asked.store(0, std::memory_order_release);
  }

private:
  uint64_t spentNs() const { return SpentNs.load(std::memory_order_relaxed); }

  /// The time of the first question; the processor time of all answers.
  std::atomic<uint64_t> BegunNs{0}, SpentNs{0};
  std::atomic<uintptr_t> Asked{0}; ///< the subject of the pending question
  bool HasAll = false;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_NAMEQUESTIONS_H
