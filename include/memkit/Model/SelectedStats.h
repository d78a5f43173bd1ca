// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of a part of a trace.

#ifndef MEMKIT_MODEL_SUMS_H
#define MEMKIT_MODEL_SUMS_H

#include "memkit/Model/Selection.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace memkit {

/// The rows of stacks, or of scope paths, that a selection leaves. Most
/// selections only filter the trace's summary; those by size, thread or time,
/// and by scope path of stacks or the reverse, replay the events, and then
/// peaks are the peaks of what is selected; of what lives at a moment all
/// values are those of then. What has no scope path is the scope path 0: both
/// kinds of sums have the same totals.
class SelectedStats {
public:
  /// T must outlive the result.
  static llvm::Expected<SelectedStats> create(const Trace &T, Selection Sel,
                                              StatsBy By = StatsBy::Stacks);
  /// The same by keys that KeyOf gives, of all events.
  static llvm::Expected<SelectedStats>
  createGrouped(const Trace &T, Selection Sel,
                std::function<uint32_t(const Allocation &)> KeyOf);

  const Trace &trace() const { return *T; }
  const Selection &selection() const { return Sel; }
  /// At least as many as forEach() gives.
  size_t numRows() const;
  /// Gives every selected row, grouped by process in rising order. Its key is a
  /// stack or a scope path. The scope path 0 has no PeakBytes.
  void forEach(
      llvm::function_ref<void(uint32_t Process, const StackStats &)> F) const;

  /// A row that was selected, for those who want it later.
  struct RowId {
    uint32_t Piece = 0;
    uint32_t Row = 0;
  };
  /// As forEach(), but gives only what a row is of; faster.
  void forEachKey(
      llvm::function_ref<void(RowId, uint32_t Heap, uint32_t Key)> F) const;
  StackStats row(RowId Id) const { return (*Rows[Id.Piece])[Id.Row]; }
  uint32_t processOf(RowId Id) const { return Rows[Id.Piece]->process(); }
  /// Asks the processor to fetch what row() will read.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(RowId Id) const {
    Rows[Id.Piece]->prefetch(Id.Row);
  }

private:
  SelectedStats(const Trace &T, Selection Sel, StatsBy By)
      : T(&T), Sel(std::move(Sel)), By(By) {}
  llvm::Error checkEvents() const;
  llvm::Error replaySelected(std::function<uint32_t(const Allocation &)> KeyOf);
  llvm::Error gather(std::function<uint32_t(const Allocation &)> KeyOf);
  void takeEnds();

  const Trace *T;
  Selection Sel;
  StatsBy By;
  struct {
    std::vector<PackedRows> Stacks, ScopePaths;
  } Replayed;                           ///< when they are not the trace's
  std::vector<PackedRows> Rest;         ///< of scope paths: the scope path 0
  std::vector<const PackedRows *> Rows; ///< sorted by process
};

/// A trace and what was selected of it, as most tools want them.
struct SelectedTrace {
  std::unique_ptr<Trace> T;
  std::optional<SelectedStats> S; ///< once it is open

  /// Opens the trace Path, selects, and folds its frames as Spec says.
  /// OnProgress: as of Trace::open().
  llvm::Error open(llvm::StringRef Path, const SelectionSpec &Spec,
                   ProgressCallback OnProgress = {});
};

/// Whether sums can be asked for a heap by name: all when none were chosen.
inline bool isAnswered(const Selection &Sel, uint32_t Heap) {
  return !Sel.isOuterView() || Sel.hasHeap(Heap);
}
/// The memory spaces of the trace; where heaps were chosen, theirs.
std::vector<std::string> answeredSpaces(const Trace &T, const Selection &Sel);
/// What a condition can be about: these spaces, then the heaps.
std::vector<std::string> spacesAndHeaps(const Trace &T, const Selection &Sel);

} // namespace memkit

#endif // MEMKIT_MODEL_SUMS_H
