// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares what memleak says of a program with the truth.

#ifndef MEMKIT_UTILS_GENGROWTH_JUDGE_H
#define MEMKIT_UTILS_GENGROWTH_JUDGE_H

#include "Scenarios.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace memkit::gengrowth {

/// What memleak said of a program.
struct Judged {
  Truth Is = Truth::Clean;
  bool Leak = false, Grows = false, Grew = false; ///< said of any place
  bool LeakAtPlace = false;  ///< said of a part of the cause
  bool RisesAtPlace = false; ///< Leak or Grows, of the cause's main heap
  bool LeakElsewhere = false;
  /// The rate is known, and the cause is the only place that grows.
  bool IsRated = false;
  bool Holds = false;  ///< the interval contains the true rate
  std::string Details; ///< the findings as text

  bool isOfLeak() const { return Is == Truth::Leaks || Is == Truth::Unclear; }
  bool isWrongLeak() const { return isOfLeak() ? LeakElsewhere : Leak; }
  bool isMissed() const { return Is == Truth::Leaks && !LeakAtPlace; }
  bool isAtPlace() const { return isOfLeak() && RisesAtPlace; }
  bool isWrong() const {
    return isWrongLeak() || isMissed() || (isOfLeak() && !isAtPlace());
  }
};

/// Makes the program of a seed and judges it. Nothing if its leak is too small
/// to count.
llvm::Expected<std::optional<Judged>> judge(const Scenario &S, uint64_t Seed);

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_JUDGE_H
