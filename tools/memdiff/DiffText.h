// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes in words.

#ifndef MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H
#define MEMKIT_TOOLS_MEMDIFF_DIFFTEXT_H

#include "DiffPrinter.h"
#include "Support/Table.h"

namespace memkit {

/// A value, and a change, in bytes or allocations.
std::string valueText(uint64_t Value, bool Bytes);
std::string changeText(int64_t Change, bool Bytes);
/// `+4.2 %`, `0 %`, `new`, `x40`.
std::string shareText(uint64_t Before, uint64_t After);
/// The prefix for the names of a memory space's totals: empty if the only space
/// is the host, or if heaps of one space were chosen.
std::string spacePrefix(const DiffView &V, const SpaceChange &S);

/// The places of a memory space that changed by the noise.
struct PlaceRows {
  std::vector<const PlaceChange *> Shown; ///< the largest change first
  std::vector<const PlaceChange *> Others;
  /// A place that is gone, and a new one with as much memory.
  std::vector<std::pair<const PlaceChange *, const PlaceChange *>> Moved;
  size_t More = 0; ///< how many of Others changed by the noise
};
PlaceRows placeRows(const DiffView &V, const SpaceChange &Space);
/// Rows.Shown: change, values, place, source. The last row sums up the others.
Table placeTable(const DiffView &V, const PlaceRows &Rows);
/// `62 MiB moved from a.cpp:6 load to b.cpp:9 read`
std::vector<std::string> placeMoveLines(const DiffView &V,
                                        const PlaceRows &Rows);
/// `train.py: peak +35 MiB (+10.2 %), 343 MiB -> 378 MiB`
std::string verdictLine(const DiffView &V);
/// Changes of steps, layers and tensors, and what was suppressed.
std::vector<std::string> detailLines(const DiffView &V);

/// The findings to show.
llvm::ArrayRef<Finding> shownFindings(const DiffView &V);

/// Losses, one line for each run.
std::vector<std::string> lossLines(const DiffView &V);

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
