// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stats of a part of a trace.

#ifndef MEMKIT_MODEL_SELECTEDSTATS_H
#define MEMKIT_MODEL_SELECTEDSTATS_H

#include "memkit/Model/Selection.h"
#include <optional>

namespace memkit {

/// Groups of allocations, for stats with a row for each group and heap.
struct AllocationGroups {
  /// What distinguishes an allocation's group. Called in any thread, also in
  /// several at once, unless BelongsToOneThread.
  std::function<uint64_t(const Allocation &)> GroupOf;
  /// The key of a group. Called in the caller's thread, in the order of the
  /// groups' first allocations; a group may come again.
  std::function<uint32_t(uint64_t)> KeyOf;
  bool BelongsToOneThread = false;
};

/// The selected rows of stacks, or of scope paths. Most selections only filter
/// the trace's summary. A selection by size, thread or time, of stacks by scope
/// path, or of scope paths by stack replays the events; then peaks are the
/// peaks of the selected blocks. In a selection of a time point, all values are
/// values of that time point. Blocks without a scope path count for the scope
/// path 0, so both kinds of stats have equal totals.
class SelectedStats {
public:
  /// T must outlive the result.
  static llvm::Expected<SelectedStats> create(const Trace &T, Selection Sel,
                                              StatsBy By = StatsBy::Stacks);
  /// As create(), but the keys are those of groups. Replays all events.
  static llvm::Expected<SelectedStats>
  createGrouped(const Trace &T, Selection Sel, const AllocationGroups &Groups);

  const Trace &trace() const { return *T; }
  const Selection &selection() const { return Sel; }
  /// An upper bound of the rows of forEach().
  size_t numRows() const;
  /// Calls Do for every selected row, as `Do(uint32_t Process, const StackStats
  /// &)`, grouped by process in rising order. The key is a stack or a scope
  /// path. The scope path 0 has no PeakBytes. A template, so that a caller pays
  /// for the columns that Do reads alone.
  template <class F> void forEach(F Do) const {
    forEachKey(
        [&](RowId Id, uint32_t, uint32_t) { Do(processOf(Id), row(Id)); });
  }

  /// A selected row, to be read later with row().
  struct RowId {
    uint32_t Piece = 0;
    uint32_t Row = 0;
  };
  /// As forEach(), but passes only the heap and key of a row, as `Do(RowId,
  /// uint32_t Heap, uint32_t Key)`; faster.
  template <class F> void forEachKey(F Do) const;
  StackStats row(RowId Id) const { return (*Rows[Id.Piece])[Id.Row]; }
  uint32_t processOf(RowId Id) const { return Rows[Id.Piece]->process(); }
  /// Asks the processor to fetch the row for a later row().
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(RowId Id) const {
    Rows[Id.Piece]->prefetch(Id.Row);
  }

private:
  SelectedStats(const Trace &T, Selection Sel, StatsBy By)
      : T(&T), Sel(std::move(Sel)), By(By) {}
  llvm::Error checkEvents() const;
  llvm::Error replaySelected(const AllocationGroups *Groups);
  bool replayInPieces(const AllocationGroups *Groups);
  llvm::Error gather(const AllocationGroups *Groups);
  void takeEnds();
  bool hasKey(uint32_t Key) const {
    return By == StatsBy::Groups ||
           (By == StatsBy::Stacks ? Sel.hasStack(Key) : Sel.hasScopePath(Key));
  }

  const Trace *T;
  Selection Sel;
  StatsBy By;
  struct {
    std::vector<PackedRows> Stacks, ScopePaths;
  } Replayed;                           ///< empty when the trace's rows serve
  std::vector<PackedRows> Rest;         ///< the rows of the scope path 0
  std::vector<const PackedRows *> Rows; ///< sorted by process
};

template <class F> void SelectedStats::forEachKey(F Do) const {
  for (uint32_t At = 0; At != Rows.size(); ++At) {
    const PackedRows &Piece = *Rows[At];
    for (uint32_t I = 0; I != Piece.size(); ++I) {
      uint32_t Heap = Piece.heap(I), Key = Piece.key(I);
      if (hasKey(Key) && Sel.hasHeap(Heap))
        Do(RowId{At, I}, Heap, Key);
    }
  }
}

/// A trace with a selection, for most tools.
struct SelectedTrace {
  std::unique_ptr<Trace> T;
  std::optional<SelectedStats> S; ///< after open()

  /// Opens the trace Path, makes the selection, and folds frames as set in
  /// Spec. OnProgress: as for Trace::open().
  llvm::Error open(llvm::StringRef Path, const SelectionSpec &Spec,
                   ProgressCallback OnProgress = {});
  /// The same of a trace that was opened with TP_All.
  llvm::Error take(std::unique_ptr<Trace> Opened, const SelectionSpec &Spec);
};

/// Whether stats of a heap can be requested by name: of any heap when no heap
/// was chosen.
inline bool isAnswered(const Selection &Sel, uint32_t Heap) {
  return !Sel.isOuterView() || Sel.hasHeap(Heap);
}
/// The memory spaces of the chosen heaps; without chosen heaps, of the trace.
std::vector<std::string> answeredSpaces(const Trace &T, const Selection &Sel);
/// The possible subjects of a condition: answeredSpaces(), then the heaps.
std::vector<std::string> spacesAndHeaps(const Trace &T, const Selection &Sel);

} // namespace memkit

#endif // MEMKIT_MODEL_SELECTEDSTATS_H
