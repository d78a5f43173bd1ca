// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of a program that is being recorded, as of now.
//
// The recorder hands out the file that it writes with the list of its sections
// (IndexLog), and the summary of the moment in two parts: the totals as a small
// trace, and the rows as plain memory (MomentRow), in no order. Sorting and
// encoding the rows is left to the reader, because the recorder has a program
// to follow.

#ifndef MEMKIT_LIB_TRACE_LIVETRACE_H
#define MEMKIT_LIB_TRACE_LIVETRACE_H

#include "memkit/Trace/MomentRow.h"
#include "memkit/Trace/TraceBytes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace memkit {

/// Reads a recording again and again: after the first time, the recorder hands
/// out only the rows that have changed. Memory: 112 bytes a row, between reads,
/// too. Belongs to one thread.
class LiveFollower {
public:
  /// Target: `live:PID`, `live:`.
  explicit LiveFollower(llvm::StringRef Target) : Target(Target) {}

  /// Asks for the trace as of now: the part of the file that is written, with
  /// the summary of now and an index at its end. The file is not copied. Blocks
  /// until the recorder has answered. Errors name the recording.
  llvm::Expected<std::shared_ptr<const TraceBytes>> read();

  /// Whether the program is recorded, as of the last read: recording may be
  /// switched off.
  bool isRecording() const { return Records; }

private:
  std::string Target;
  bool Records = true;
  std::vector<MomentRow> Rows; ///< of the last read, sorted
  uint64_t Events = 0;         ///< before the last read; 0: none
};

/// The same, once.
llvm::Expected<std::shared_ptr<const TraceBytes>>
openLiveTrace(llvm::StringRef Target);

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_LIVETRACE_H
