// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that a thread compiled last.
//
// New return addresses come in company: a function that is new calls one thing
// after the other. All of those calls have one rule mostly, so that remembering
// the last few with their ranges saves most searches and compilations (three of
// four for the 70,000 return addresses that importing PyTorch meets in its
// largest library).
//
// One thread's: no atomics. A signal handler of that thread finds it busy when
// it has interrupted it, and does without.

#ifndef MEMKIT_CAPTURE_STACKS_RECENTRULES_H
#define MEMKIT_CAPTURE_STACKS_RECENTRULES_H

#include "Unwind/Rule.h"

#include <atomic>

namespace memkit::capture {

/// 200 bytes; all bits 0 is empty.
class RecentRules {
public:
  /// The rule at \p Pc; Empty: it is not among them.
  Rule find(uintptr_t Pc) const {
    if (Busy)
      return {};
    for (unsigned I = 0; I < Count; ++I)
      if (Ranges[I].has(Pc))
        return Rules[I];
    return {};
  }

  /// As compileRule gave both. They take the place of the oldest.
  void add(AddressRange Same, Rule R) {
    if (Busy || Same.Start == Same.End)
      return;
    setBusy(true);
    Ranges[Oldest] = Same;
    Rules[Oldest] = R;
    Oldest = (Oldest + 1) % Count;
    setBusy(false);
  }

  /// Code has been unmapped: none of them may be used again.
  void clear() {
    for (AddressRange &R : Ranges)
      R = {};
  }

private:
  static constexpr unsigned Count = 8;

  /// In this order for the compiler too: handlers run in between.
  void setBusy(bool B) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    Busy = B;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  AddressRange Ranges[Count];
  Rule Rules[Count];
  unsigned Oldest = 0;
  bool Busy = false;
};

static_assert(sizeof(RecentRules) == 200);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_RECENTRULES_H
