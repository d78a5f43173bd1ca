// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the summaries of traces.

#ifndef MEMKIT_LIB_MERGE_SUMMARYMERGER_H
#define MEMKIT_LIB_MERGE_SUMMARYMERGER_H

#include "NameMerger.h"
#include "SummaryFold.h"
#include <map>

namespace memkit {

/// Writes one summary of all traces. Live bytes, counts and reserved bytes of
/// heaps and memory spaces are sums. So are their peaks: an upper bound,
/// because peaks of two traces may have been at different times. Values of
/// processes, steps and layers are those of the traces.
///
/// Memory: the names, the totals of heaps, and one section of rows. Belongs to
/// one thread.
class SummaryMerger {
public:
  /// Share: of SummaryFold; 0: all rows stay.
  SummaryMerger(TraceWriter &Out, NameMerger &Names, double Share)
      : Out(Out), Names(Names), Share(Share) {
    startPart();
  }

  /// Adds the summary of T, after Names.start(T, ShiftNs) and
  /// Names.addProcesses(). T has TP_All. Errors: of writing; a stack that is
  /// too deep.
  llvm::Error add(const Trace &T, uint64_t ShiftNs);
  /// Ends the summary.
  llvm::Error finish();
  /// In place of add(): what events cannot tell (of processes, layers,
  /// out-of-memory events), for a trace whose stats are made from its events.
  /// Number: of the set.
  llvm::Expected<Partial> partialOf(const Trace &T, uint64_t ShiftNs,
                                    uint32_t Number);

private:
  llvm::Error addRows(const Trace &T);
  llvm::Error addStackRow(SummaryFold &Fold, uint32_t Process,
                          const StackStats &R);
  llvm::Error addFolded(const SummaryFold &Fold);
  llvm::Error addScopeRows(const Trace &T, const SummaryFold &Fold);
  void addProcesses(const Trace &T);
  void addSteps(const Trace &T);
  void addLayers(const Trace &T);
  llvm::Error addDeviceTimes(const Trace &T);
  void addTotals(const Trace &T);
  llvm::Error addCategories(const Trace &T);
  llvm::Error addOoms(const Trace &T);
  void addThreads(const Trace &T);
  void addLosses(const Trace &T);
  SpaceShares shares(const SpaceShares &Of);
  std::vector<StackStats> &rowsOf(std::vector<StackStatsRows> &Of,
                                  uint32_t Process);
  void startPart();
  llvm::Error flushIfFull();
  llvm::Error flush();

  TraceWriter &Out;
  NameMerger &Names;
  double Share;
  uint64_t ShiftNs = 0;
  Summary Part;
  size_t Rows = 0;          ///< of Part
  uint32_t FoldedStack = 0; ///< of the row of folded stacks; 0: none is folded
  uint32_t Ooms = 0;
  uint64_t Events = 0, Marks = 0, EndNs = 0;
  std::map<uint32_t, HeapStats> Heaps;
  std::map<uint32_t, TotalStats> Spaces;
};

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_SUMMARYMERGER_H
