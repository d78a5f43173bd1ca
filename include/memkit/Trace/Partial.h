// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats that events cannot give, for traces without a summary.
//
// A recorder may write Partial sections while recording, as described in
// docs/TraceFormat.md; after a killed recorder, the trace still has these
// sections. For such a trace, a reader computes stats from the events and adds
// the rows of the Partial sections, which have the types of Summary.h. In a
// trace with a summary, Partial sections add nothing.

#ifndef MEMKIT_TRACE_PARTIAL_H
#define MEMKIT_TRACE_PARTIAL_H

#include "memkit/Trace/Summary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

class TraceReader;
struct IdLimits;

/// The rows that are new or changed since the previous Partial; values count
/// since the start of the recording. A row replaces the earlier row with equal
/// keys. The keys are: the process; process, name, direction, kind and shapes
/// of a layer; process, layer, dtype and buffer of parameters; heap, process,
/// category, oom, layer and stack of a category; the number of an oom; oom and
/// heap of an oom's heap. A set of sections has one Number, and Complete in its
/// last section; incomplete sets do not count.
struct Partial {
  uint32_t Number = 0;
  uint64_t EndNs = 0; ///< rows include everything before EndNs
  bool Complete = true;
  std::vector<ProcessStats> Processes;
  std::vector<LayerStats> Layers;
  /// A row without blocks and bytes removes the earlier row.
  std::vector<CategoryStats> Categories;
  std::vector<OomRecord> Ooms;
  std::vector<OomHeap> OomHeaps;
  /// A row without tensors removes the earlier row.
  std::vector<ParameterStats> Parameters;
  bool operator==(const Partial &) const = default;
};

/// The joined rows of all complete sets of Partial sections.
class PartialRows {
public:
  /// Adds the next section of the file. Keeps the rows in memory.
  void add(Partial P);

  /// Whether a complete set was added. If so, endNs() is the end of the last
  /// complete set.
  bool any() const { return HasSet; }
  uint64_t endNs() const { return All.EndNs; }

  /// Whether a row has the categories at a heap's peak. memrec writes none:
  /// the events and the sections of BlockCategories give them.
  bool hasPeakCategories() const;

  /// Adds the rows to Sums, which were made from events and have no layers,
  /// categories and ooms. From rows of processes, only values that events
  /// cannot give are added. Categories at a peak other than the peak of Sums
  /// are left out.
  void addTo(Summary &Sums) const;
  /// As addTo(), for the last part of a summary. Calls Write with this part,
  /// after additional parts if the rows are many.
  llvm::Error
  writeWith(Summary Last,
            llvm::function_ref<llvm::Error(const Summary &)> Write) const;

private:
  void takeSet();

  std::vector<Partial> Set; ///< sections of a set that is not complete yet
  Partial All;
  bool HasSet = false;
};

/// Reads all Partial sections of R and checks their ids against Limits. Errors:
/// TraceError.
llvm::Expected<PartialRows> readPartials(TraceReader &R,
                                         const IdLimits &Limits);

} // namespace memkit

#endif // MEMKIT_TRACE_PARTIAL_H
