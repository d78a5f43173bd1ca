// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes in words.

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H

#include "Report/DiffRows.h"
#include "Report/DiffSentences.h"
#include "Support/Table.h"

namespace memkit {

/// Rows.Shown: change, values, place, source. The last row sums up the others.
Table placeTable(const DiffView &V, const PlaceRows &Rows);

/// The findings to show.
llvm::ArrayRef<Finding> shownFindings(const DiffView &V);

/// A table of peak, live at end, allocated and allocations – before, after,
/// change – for each memory space. WithShare adds the change in percent.
Table totalsTable(const DiffView &V, bool WithShare);
/// A table of at most Max heaps whose peak or live bytes changed by at least
/// the noise; empty if the traces have only one heap.
Table heapsTable(const DiffView &V, size_t Max);

/// `+16 KiB at the peak (16 KiB -> 32 KiB), host.malloc`
std::string findingTitle(const DiffView &V, const Finding &F);
/// `1 MiB at the peak moved from a to b, host.mmap`
std::string moveTitle(const DiffView &V, const Move &M);
/// The parts of a move that its title does not name.
inline llvm::ArrayRef<Finding::MergedPart> partsToList(const Move &M) {
  return M.Parts.size() > 2 ? llvm::ArrayRef(M.Parts) : std::nullopt;
}
/// The moves to show.
llvm::ArrayRef<Move> shownMoves(const DiffView &V);
/// The frames of a place, innermost first, for printFrames().
std::vector<ShownFrame> placeFrames(const DiffView &V, DiffPlace P);
/// `+1 KiB g > h` for each part: the way to the part from the place Below.
std::vector<std::string> partLines(const DiffView &V, DiffPlace Below,
                                   Metric By,
                                   llvm::ArrayRef<Finding::MergedPart> Parts);

/// Sentences on differences beyond the findings, one a line.
std::vector<std::string> restLines(const DiffView &V);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H
