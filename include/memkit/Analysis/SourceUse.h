// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by the lines of a file of source, or of a function.

#ifndef MEMKIT_ANALYSIS_SOURCEUSE_H
#define MEMKIT_ANALYSIS_SOURCEUSE_H

#include "memkit/Model/SelectedStats.h"
#include <map>

namespace memkit {

/// Bytes of a line. Those of calls are counted in the line that calls and in
/// the lines that allocate; a line that a stack has twice counts once.
struct LineUse {
  uint32_t Line = 0;
  llvm::StringRef Text;   ///< as the trace has it; empty: not recorded
  uint64_t PeakBytes = 0; ///< at the peak of the memory space, with calls
  /// The part whose stack has no line of the file further in.
  uint64_t OwnPeakBytes = 0;
  uint64_t AllocatedBytes = 0; ///< with calls; a block in a block counts again
  uint64_t LiveBytes = 0;      ///< at the end, with calls
};

struct SourceUse {
  llvm::StringRef File; ///< as the trace has the path
  uint32_t Space = 0;   ///< the memory space of the peak
  /// At the peak of the space: of all lines, and of the whole program.
  uint64_t PeakBytes = 0, SpacePeakBytes = 0;
  std::vector<LineUse> Lines; ///< by line
  /// All lines of the file that the trace has the text of, by line: also those
  /// without memory, of memrec --source=functions.
  std::map<uint32_t, llvm::StringRef> Known;
};

/// The lines of the files whose path ends in Name (`train.py`, `src/a.cpp`),
/// or, if there is no such file, of the functions of that name (`Net.forward`,
/// also its last part). An item for each file, the most bytes first, in the
/// memory space in which the file's lines hold most at the peak. Empty: no
/// stack has any.
std::vector<SourceUse> sourceUse(const SelectedStats &S, llvm::StringRef Name);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_SOURCEUSE_H
