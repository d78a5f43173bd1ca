// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A moment as it is written on a command line.

#ifndef MEMKIT_MODEL_TIMEPOINT_H
#define MEMKIT_MODEL_TIMEPOINT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace memkit {

/// What --at, --since and --until take. Model's findMoment() says which moment
/// of a trace it is.
struct TimePoint {
  enum class Kind { Time, Step, Mark, Peak, Oom, End };
  Kind K = Kind::End;
  uint64_t Number = 0; ///< Time: ns since the trace's start; Step: its number
  std::string Name;    ///< Mark
  std::string Text;    ///< as it was written
};

/// Reads `1.5s` (as parseTime()), `step:3`, `mark:NAME`, `peak`, `oom`, `end`.
/// The error is a RequestError that says what would be right.
llvm::Expected<TimePoint> parseTimePoint(llvm::StringRef Text);

} // namespace memkit

#endif // MEMKIT_MODEL_TIMEPOINT_H
