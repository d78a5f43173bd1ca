// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bar while work takes long.

#ifndef MEMKIT_LIB_CLI_PROGRESS_H
#define MEMKIT_LIB_CLI_PROGRESS_H

#include "memkit/Support/ProgressCallback.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>

namespace memkit {

/// A line `TOOL: What  42 % [####......]` on standard error, if standard error
/// is a terminal, after a second of work; none with -q. The destructor wipes
/// the line: other text may follow.
class Progress {
public:
  explicit Progress(const llvm::Twine &What);
  /// For tests: to OS, from After on.
  Progress(const llvm::Twine &What, llvm::raw_ostream &OS,
           std::chrono::milliseconds After);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Done of Total is done. Any number of calls is fine: each call reads the
  /// clock, and ten calls a second draw.
  void update(uint64_t Done, uint64_t Total);

private:
  using Clock = std::chrono::steady_clock;
  std::string What;
  llvm::raw_ostream *OS; ///< null: nothing is shown
  Clock::time_point Next;
  size_t Drawn = 0; ///< columns of the line on the terminal
};

/// Shows a bar for each piece of a library's long work, one after the other.
/// Each working thread needs a callback of its own.
ProgressCallback showProgress();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_PROGRESS_H
