// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memtop at a terminal.

#ifndef MEMKIT_TOOLS_MEMTOP_SESSION_H
#define MEMKIT_TOOLS_MEMTOP_SESSION_H

#include "Feed.h"

namespace memkit {

struct SessionOptions {
  uint64_t IntervalNs = 0;      ///< between refreshes, at least
  std::optional<double> Speed;  ///< of a replay; none: no replay
  std::optional<uint64_t> AtNs; ///< the cursor at the start
  bool Ascii = false, UsesColours = false;
};

/// The frame of S as of its cursor, and as of NowNs at most.
llvm::Expected<WatchFrame> frameOf(Feed &S, const WatchState &State,
                                   uint64_t NowNs);

/// Shows frames and takes keys until the user leaves. Errors: reading errors,
/// and a terminal that is missing.
llvm::Error watch(Feed &S, WatchState State, const SessionOptions &O);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMTOP_SESSION_H
