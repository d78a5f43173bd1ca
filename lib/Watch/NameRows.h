// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold memory, for memtop's page of names.

#ifndef MEMKIT_LIB_WATCH_NAMEROWS_H
#define MEMKIT_LIB_WATCH_NAMEROWS_H

#include "WatchedTrace.h"
#include "memkit/Analysis/HeldBlocks.h"
#include "memkit/Model/Places.h"

namespace memkit {

/// A name, and the line that has allocated the blocks.
struct WatchedName {
  HeldPath Held;
  std::string Place; ///< `train.py:46 Block.forward`
};

struct WatchedNames {
  std::vector<WatchedName> Rows; ///< the most bytes first
  size_t Searches = 0;           ///< for names, so far
  uint64_t FoundNs = 0;          ///< by the last search
};

/// The names that hold blocks of a heap or memory space. Filter: only names and
/// lines with this text, upper and lower case are equal; empty: all. Errors:
/// reading errors.
llvm::Expected<WatchedNames> readNames(const WatchedTrace &W,
                                       const WatchedHeap &Of,
                                       const Places &Where,
                                       llvm::StringRef Filter);

} // namespace memkit

#endif // MEMKIT_LIB_WATCH_NAMEROWS_H
