// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a bar during long work.

#ifndef MEMKIT_LIB_CLI_PROGRESS_H
#define MEMKIT_LIB_CLI_PROGRESS_H

#include "memkit/Support/ProgressCallback.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>

namespace memkit {

/// Shows a line `TOOL: What  42 % [####......]` on standard error after a
/// second of work, if standard error is a terminal; nothing with -q. The
/// destructor wipes the line for text that follows.
class Progress {
public:
  explicit Progress(const llvm::Twine &What);
  /// For tests: draws to OS, after the time After.
  Progress(const llvm::Twine &What, llvm::raw_ostream &OS,
           std::chrono::milliseconds After);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Reports progress: Done of Total. Any number of calls is fine: each call
  /// reads the clock, and the bar is drawn ten times a second at most.
  void update(uint64_t Done, uint64_t Total);

private:
  std::string What;
  llvm::raw_ostream *OS; ///< null: nothing is shown
  std::chrono::steady_clock::time_point Next;
  size_t Drawn = 0; ///< columns of the line on the terminal
};

/// Shows a bar for each piece of a library's long work, one after the other.
/// Each working thread needs a callback of its own.
ProgressCallback showProgress();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_PROGRESS_H
