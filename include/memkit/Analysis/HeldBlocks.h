// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold blocks.

#ifndef MEMKIT_ANALYSIS_HELDBLOCKS_H
#define MEMKIT_ANALYSIS_HELDBLOCKS_H

#include "memkit/Model/Trace.h"

namespace memkit {

/// A block, and the name that a search found. Bytes: of the block.
struct HeldBlock {
  uint64_t Id = 0; ///< allocation id
  uint64_t Bytes = 0;
  uint64_t TimeNs = 0; ///< when the name was found
  uint32_t Process = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint32_t Name = 0; ///< string: the path
  uint8_t Bits = 0;  ///< HeldByBits
};

/// One search for names in a process.
struct HolderSearch {
  uint32_t Process = 0;
  uint64_t TimeNs = 0;
  uint64_t Objects = 0; ///< seen
  uint64_t Ns = 0;      ///< that the search took
  uint64_t Named = 0;   ///< blocks
  uint8_t Bits = 0;     ///< HeldByBits
};

struct HeldBlocks {
  /// Each block once, with the last name that was found; by process, heap, id.
  std::vector<HeldBlock> Blocks;
  std::vector<HolderSearch> Searches; ///< in the order of the file
};

/// The paths of several blocks in one form: `train.history[*].loss`.
struct HeldPath {
  std::string Path;
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  uint8_t Bits = 0; ///< HeldByBits
};

/// Reads all names. Empty for a trace without a file.
llvm::Expected<HeldBlocks> findHeldBlocks(const Trace &T);

/// Joins paths that differ only within brackets; the most bytes first. The
/// differing texts become `*`. A tensor lies in a block of malloc: of several
/// heaps the one with the most bytes counts.
std::vector<HeldPath> commonPaths(const Trace &T,
                                  llvm::ArrayRef<HeldBlock> Blocks);

/// A path as people read it: with what is special about the holder.
std::string heldByText(const HeldPath &P);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_HELDBLOCKS_H
