// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recorder knew and events do not tell, for traces without a summary.
//
// A recorder may write Partial sections while it records, as
// docs/TraceFormat.md says; a killed recorder leaves them. A reader makes the
// sums of such a trace from its events and adds the rows of the Partial
// sections, which are those of Summary.h. Where a trace has a summary its
// Partial sections say nothing more.

#ifndef MEMKIT_TRACE_PARTIAL_H
#define MEMKIT_TRACE_PARTIAL_H

#include "memkit/Trace/Summary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

class TraceReader;
struct IdLimits;

/// The rows that are new or changed since the Partial before; values are those
/// since the start of the recording. A row takes the place of the earlier row
/// of its process; process, name, direction and kind; heap, process, category,
/// oom, layer and stack; number; oom and heap. A set of sections has one
/// Number, and Complete in its last section; sets that are not complete do not
/// count.
struct Partial {
  uint32_t Number = 0;
  uint64_t EndNs = 0; ///< the rows are those of all that was before
  bool Complete = true;
  std::vector<ProcessStats> Processes;
  std::vector<LayerStats> Layers;
  /// A row without blocks and bytes takes away the earlier row.
  std::vector<CategoryStats> Categories;
  std::vector<OomRecord> Ooms;
  std::vector<OomHeap> OomHeaps;
  bool operator==(const Partial &) const = default;
};

/// The rows that the complete sets of Partial sections give together.
class PartialRows {
public:
  /// Adds the next section of the file. Memory: that of the rows.
  void add(Partial P);

  /// Whether there was a complete set; then the end of the last.
  bool any() const { return HasSet; }
  uint64_t endNs() const { return All.EndNs; }

  /// Adds the rows to Sums, which were made from events and have no layers,
  /// categories and ooms. Of processes only what events do not tell is taken.
  /// Categories at a peak that is not the peak of Sums are left out.
  void addTo(Summary &Sums) const;
  /// As addTo(), of the last part of a summary; gives Write this part and, if
  /// the rows are many, others before it.
  llvm::Error
  writeWith(Summary Last,
            llvm::function_ref<llvm::Error(const Summary &)> Write) const;

private:
  void takeSet();

  std::vector<Partial> Set; ///< sections of a set that is not complete yet
  Partial All;
  bool HasSet = false;
};

/// Reads all Partial sections of R, their ids checked against Limits. Errors:
/// TraceError.
llvm::Expected<PartialRows> readPartials(TraceReader &R,
                                         const IdLimits &Limits);

} // namespace memkit

#endif // MEMKIT_TRACE_PARTIAL_H
