// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time points in the syntax of the command line.

#ifndef MEMKIT_MODEL_TIMEPOINTSPEC_H
#define MEMKIT_MODEL_TIMEPOINTSPEC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace memkit {

/// A value of --at, --since or --until. findTimePoint() finds the time point in
/// a trace.
struct TimePointSpec {
  enum class TimePointKind { Time, Step, Mark, Peak, Oom, End };
  TimePointKind K = TimePointKind::End;
  /// Time: ns since the trace's start; Step: the step's number.
  uint64_t Number = 0;
  std::string Name; ///< Mark
  std::string Text; ///< the user's text
};

/// Reads `1.5s` (as parseTime()), `step:3`, `mark:NAME`, `peak`, `oom`, `end`.
/// The error is a RequestError with the allowed forms.
llvm::Expected<TimePointSpec> parseTimePoint(llvm::StringRef Text);

} // namespace memkit

#endif // MEMKIT_MODEL_TIMEPOINTSPEC_H
