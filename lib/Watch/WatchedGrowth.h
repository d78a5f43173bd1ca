// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What grows in a watched trace, in memleak's words.

#ifndef MEMKIT_LIB_WATCH_WATCHEDGROWTH_H
#define MEMKIT_LIB_WATCH_WATCHEDGROWTH_H

#include "WatchedTrace.h"
#include "memkit/Analysis/GrowthLines.h"

namespace memkit {

/// A line that leaks or grows. Outlives its trace.
struct WatchedGrowth {
  LineGrowth Line; ///< its ids are those of the trace
  std::string Name;
};

/// What leaks or grows in W to its end, by a thousandth of the peak or more;
/// leaks first. Without lifetimes: nothing. Searches all intervals, so takes
/// longer than any other part of a frame. Errors: reading errors, and those of
/// the selection.
llvm::Expected<std::vector<WatchedGrowth>> readGrowth(const WatchedTrace &W,
                                                      const Places &Lines);

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_WATCHEDGROWTH_H
