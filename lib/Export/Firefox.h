// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for the Firefox Profiler.

#ifndef MEMKIT_LIB_EXPORT_FIREFOX_H
#define MEMKIT_LIB_EXPORT_FIREFOX_H

#include "Model/Query/FrameOwners.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace memkit {

struct FirefoxOptions {
  /// The maximum of blocks, each with at most two rows; 0: no limit. A block
  /// takes some 60 bytes of the file. Above the limit blocks of one stack are
  /// merged, see BlockSpans.
  size_t MaxBlocks = 500'000;
  /// The maximum of markers of threads, some 60 bytes each.
  uint64_t MaxScopes = 200'000;
  std::string Program; ///< the name of the recorded program
};

struct FirefoxResult {
  uint64_t Blocks = 0;        ///< in the selection
  uint64_t Merged = 0;        ///< merged blocks in the file; 0: nothing merged
  uint64_t RoundedNs = 0;     ///< of merged blocks
  bool HasSmaller = false;    ///< whether the smallest stacks are folded
  uint64_t ScopesLeftOut = 0; ///< scopes after the limit
};

/// Writes the selected run of S in the Firefox Profiler's processed format,
/// version 61. Each process and heap has a thread with all its allocations and
/// frees; all bytes of a block count, also those of inner blocks. Each process
/// has the counters of the timeline, and its first thread has steps, ranges and
/// marks. Each thread has its scopes. T: the tree of S's keys (By: stacks or
/// scope paths). Errors: as readBlockSpans(), and TraceError.
llvm::Expected<FirefoxResult> writeFirefox(llvm::raw_ostream &OS,
                                           const SelectedStats &S, StatsBy By,
                                           ShownTree T,
                                           const FrameOwners &Owners,
                                           const FirefoxOptions &Options);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FIREFOX_H
