// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of a program that is being recorded, as of now.
//
// The recorder hands out the file that it writes with the list of its sections
// (IndexLog), and the summary of the moment in two parts: the totals as a small
// trace, and the rows as plain memory (MomentRow), in no order. Sorting and
// encoding the rows is left to the reader, because the recorder has a program
// to follow.
//
// Root may read another user's recording, so a recorder is not trusted: its
// memory must be sealed and really there, and has bounds.

#ifndef MEMKIT_LIB_LIVE_LIVETRACE_H
#define MEMKIT_LIB_LIVE_LIVETRACE_H

#include "Live/Descriptors.h"
#include "memkit/Trace/MomentRow.h"
#include "memkit/Trace/TraceBytes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace memkit {

/// The cells and rows of a moment, as a recorder hands them out.
struct MomentParts {
  std::vector<MomentCell> Cells;
  std::vector<MomentRow> Rows;
};

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

  /// The same, of a recorder's reply to `trace`. Name: for errors.
  llvm::Expected<std::shared_ptr<const TraceBytes>> take(LiveMessage Reply,
                                                         llvm::StringRef Name);

  /// The largest memory of rows and of totals that is taken, in bytes.
  static constexpr uint64_t MaxRowBytes = 256 << 20;
  static constexpr uint64_t MaxTotalBytes = 64 << 20;
  /// A larger list of sections is not read: the reader finds the sections.
  static constexpr uint64_t MaxIndexBytes = 32 << 20;

  /// Whether the program is recorded, as of the last read: recording may be
  /// switched off.
  bool isRecording() const { return Records; }

private:
  llvm::Error update(uint64_t Since, MomentParts Now, llvm::StringRef Name);

  std::string Target;
  bool Records = true;
  std::vector<MomentRow> Rows; ///< of the last read, sorted
  uint64_t Events = 0;         ///< before the last read; 0: none
};

/// The same, once.
llvm::Expected<std::shared_ptr<const TraceBytes>>
openLiveTrace(llvm::StringRef Target);

/// From now on, whatever opens a trace opens recordings, too. To be called
/// before any trace is opened.
void acceptRecordings();

} // namespace memkit

#endif // MEMKIT_LIB_LIVE_LIVETRACE_H
