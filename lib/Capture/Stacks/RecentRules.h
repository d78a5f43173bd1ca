// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that a thread compiled last.
//
// New return addresses come in groups: a new function makes one call after
// another, mostly with one rule. So the last few rules with their ranges save
// most searches and compilations (three of four for the 70,000 return addresses
// that importing PyTorch meets in its largest library).
//
// For one thread: no atomics. A signal handler of the thread that interrupts a
// change finds the object busy, and does without.

#ifndef MEMKIT_CAPTURE_STACKS_RECENTRULES_H
#define MEMKIT_CAPTURE_STACKS_RECENTRULES_H

#include "Unwind/Rule.h"

#include <atomic>

namespace memkit::capture {

/// A kilobyte; all bits 0 is empty.
class RecentRules {
public:
  /// The rule at \p Pc; Empty: none.
  Rule find(uintptr_t Pc) const {
    if (Busy)
      return {};
    for (unsigned I = 0; I < Count; ++I)
      if (Ranges[I].has(Pc))
        return Rules[I];
    return {};
  }

  /// As compileRule(), in less time for functions of earlier calls.
  Rule compile(const EhFrame &Tables, uintptr_t Pc, AddressRange &Same) {
    if (Busy)
      return compileRule(Tables, Pc, Same);
    setBusy(true);
    Rule R = compileRule(Tables, Pc, Same, &Cursors);
    setBusy(false);
    return R;
  }

  /// Replaces the oldest rule by a rule and range of compileRule.
  void add(AddressRange Same, Rule R) {
    if (Busy || Same.Start == Same.End)
      return;
    setBusy(true);
    Ranges[Oldest] = Same;
    Rules[Oldest] = R;
    Oldest = (Oldest + 1) % Count;
    setBusy(false);
  }

  /// Removes all rules, because code has been unmapped.
  void clear() {
    for (AddressRange &R : Ranges)
      R = {};
    Cursors.clear();
  }

private:
  static constexpr unsigned Count = 8;

  /// The compiler must keep this order: handlers may run in between.
  void setBusy(bool B) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    Busy = B;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  AddressRange Ranges[Count];
  Rule Rules[Count];
  unsigned Oldest = 0;
  bool Busy = false;
  CfaCursors Cursors;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_RECENTRULES_H
