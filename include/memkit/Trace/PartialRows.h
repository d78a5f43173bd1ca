// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the Partial sections of a trace, joined.

#ifndef MEMKIT_TRACE_PARTIALROWS_H
#define MEMKIT_TRACE_PARTIALROWS_H

#include "memkit/Trace/Partial.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

class TraceReader;
struct IdLimits;

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

#endif // MEMKIT_TRACE_PARTIALROWS_H
