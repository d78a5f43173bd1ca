// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of one heap, by the rule of Findings.h.

#ifndef MEMKIT_LIB_ANALYSIS_HEAPPARTS_H
#define MEMKIT_LIB_ANALYSIS_HEAPPARTS_H

#include "Analysis/Series/DiffCells.h"
#include "llvm/ADT/SmallVector.h"

namespace memkit {

inline constexpr uint32_t NoPart = UINT32_MAX;

/// A change at a place, a candidate for a finding.
struct DiffPart {
  uint32_t Place;
  uint32_t Next = NoPart; ///< next part of equal sign in the list of a place
  uint32_t Count = 1;     ///< number of parts merged into this part
  bool IsInner;
  /// A part of the other sign has the functions of this path in other binaries:
  /// both parts are the same code, so other changes of this amount are no move.
  bool HasTwin = false;
  double Change;
  std::vector<StackMetrics> Runs;
  std::vector<std::pair<double, uint32_t>> Largest; ///< changes and places
};

/// The parts of one sign in and below a place.
struct PartList {
  uint32_t First = NoPart, Last = NoPart;
  double Total = 0;
  double LargestChild = 0; ///< the most of the place itself or of one child
  uint32_t Count = 0;
  bool HasSeveral() const { return First != Last; }
};

/// Parts that shrank and parts that grew by equal amounts.
struct MovedParts {
  uint32_t Place;
  std::vector<uint32_t> Parts;
};

/// A place of one heap.
struct HeapSpot {
  uint32_t Place;
  /// Index in the list of spots, before this spot; 0 for the root.
  uint32_t Parent;
  bool IsInner = false;
  PartList Lists[2]; ///< growth, shrinkage
};

/// Finds the parts of one heap, for one metric after the other.
class HeapParts {
public:
  /// Cells: the cells of the heap.
  HeapParts(const DiffRuns &Runs, const DiffCells &All,
            llvm::ArrayRef<DiffCell> Cells, std::vector<uint32_t> &SpotOf)
      : Runs(Runs), All(All), Cells(Cells), SpotOf(SpotOf) {}

  void find(Metric By, double Noise);
  std::vector<DiffPart> Parts; ///< First and Next of lists are indices in Parts
  llvm::SmallVector<uint32_t, 8> Left; ///< parts that are findings
  std::vector<MovedParts> Moves;
  double Rest = 0; ///< the change that no finding explains

private:
  void addSpots(bool WithAbove);
  void fillSpots();
  bool canHaveParts();
  llvm::MutableArrayRef<StackMetrics> sums(size_t Spot) {
    return llvm::MutableArrayRef(Sums).slice(Spot * Runs.size(), Runs.size());
  }
  void visit(size_t Spot);
  void takePart(size_t Spot);
  void takeMoves(size_t Spot);
  void takeTwins(size_t Spot);
  void takePairs(size_t Spot);
  bool isOnBothSides(const DiffPart &P) const;
  bool canMoveAll(const PartList &More, const PartList &Less) const;
  uint64_t wayKey(const DiffPart &P) const;
  void take(size_t Spot, llvm::ArrayRef<uint32_t> Moved);
  llvm::SmallVector<uint32_t, 16> largestFirst(const PartList &L) const;
  void gather(size_t Spot, bool Signs[2]);
  void handUp(size_t Spot);
  void append(PartList &To, uint32_t Part);
  void absorb(DiffPart &Into, DiffPart &From);

  const DiffRuns &Runs;
  const DiffCells &All;
  llvm::ArrayRef<DiffCell> Cells;
  /// By place, the index of its spot in this heap + 1; zeros between calls.
  std::vector<uint32_t> &SpotOf;
  Metric By = Metric::Peak;
  double Noise = 0;
  std::vector<HeapSpot> Spots;     ///< the lowest place first
  std::vector<uint32_t> CellSpots; ///< by cell
  std::vector<StackMetrics> Sums;  ///< by spot and run: stats not in a part yet
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_HEAPPARTS_H
