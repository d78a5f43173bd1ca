// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects intervals into sections.

#ifndef MEMKIT_LIB_STATS_INTERVALBATCH_H
#define MEMKIT_LIB_STATS_INTERVALBATCH_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace memkit {

/// Collects the intervals of a process into sections of at most MaxSectionRows
/// rows. A larger interval continues in the next section, as described in
/// Sections.h.
class IntervalBatch {
public:
  using WriteIntervals = llvm::function_ref<llvm::Error(const Intervals &)>;

  explicit IntervalBatch(uint32_t Process) { Block.Process = Process; }

  /// Adds S; writes a section when one is full.
  llvm::Error add(const Interval &S, WriteIntervals Write);
  /// Writes the remaining intervals.
  llvm::Error flush(WriteIntervals Write);

private:
  Intervals Block;
  size_t Rows = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_STATS_INTERVALBATCH_H
