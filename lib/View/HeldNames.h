// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of Python that hold the blocks which the page shows.

#ifndef MEMKIT_LIB_VIEW_HELDNAMES_H
#define MEMKIT_LIB_VIEW_HELDNAMES_H

#include "memkit/Analysis/HeldBlocks.h"
#include "memkit/Model/Places.h"

namespace memkit {

/// Texts as of Report/HolderSentences.h; empty: no name is known. The trace and
/// the places must outlive the object.
class HeldNames {
public:
  HeldNames(const Trace &T, const Places &Where, HeldBlocks Found);

  bool empty() const { return Found.Blocks.empty(); }
  const HeldBlocks &found() const { return Found; }
  /// Of the blocks that a place has allocated.
  llvm::StringRef ofPlace(uint32_t Place) const;
  /// The same of the place at a line of a file.
  llvm::StringRef ofLine(llvm::StringRef File, uint32_t Line) const;
  /// Of one block.
  std::string ofBlock(uint32_t Process, uint32_t Heap,
                      uint64_t AllocationId) const;

private:
  const Trace &T;
  HeldBlocks Found;
  std::vector<std::string> ByPlace; ///< empty if there are no names
  llvm::DenseMap<std::pair<llvm::StringRef, uint32_t>, uint32_t> PlaceOfLine;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_HELDNAMES_H
