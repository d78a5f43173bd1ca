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

/// A line `TOOL: What  42 % [####......]` on standard error, where that is a
/// terminal, once the work has taken a second; none with -q. It is gone when
/// the work is done or this is destroyed: others may write then.
class Progress {
public:
  explicit Progress(const llvm::Twine &What);
  /// For tests: to OS, from After on.
  Progress(const llvm::Twine &What, llvm::raw_ostream &OS,
           std::chrono::milliseconds After);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Done of Total is done. May be called as often as wanted: it looks at the
  /// clock, and draws ten times a second.
  void update(uint64_t Done, uint64_t Total);

private:
  using Clock = std::chrono::steady_clock;
  std::string What;
  llvm::raw_ostream *OS; ///< null: nothing is shown
  Clock::time_point Next;
  size_t Drawn = 0; ///< columns of the line that stands there
};

/// Shows a bar for each piece of work that a library tells of, one after the
/// other. Each thread that works needs a callback of its own.
ProgressCallback showProgress();

} // namespace memkit

#endif // MEMKIT_LIB_CLI_PROGRESS_H
