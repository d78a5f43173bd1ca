// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of a summary are worth keeping.

#ifndef MEMKIT_LIB_MERGE_SUMMARYFOLD_H
#define MEMKIT_LIB_MERGE_SUMMARYFOLD_H

#include "memkit/Model/Trace.h"
#include <map>

namespace memkit {

/// The rows of stacks and scope paths of a trace, of which small rows are
/// folded. A row is small if it has less than Share of its process and heap in
/// each of: bytes at the heap's peak, live bytes, allocated bytes, allocations.
/// Folding the result again with the same Share folds nothing more.
class SummaryFold {
public:
  SummaryFold(const Trace &T, double Share);

  bool isSmall(uint32_t Process, const StackStats &R) const;

  /// Adds R to the sum of its process and heap.
  void fold(uint32_t Process, const StackStats &R);
  /// The sums, by process and heap; Key is 0. PeakBytes is the sum of the
  /// rows' peaks: an upper bound.
  const std::map<std::pair<uint32_t, uint32_t>, StackStats> &folded() const {
    return Folded;
  }

private:
  double Share;
  std::map<std::pair<uint32_t, uint32_t>, StackStats> Totals, Folded;
};

/// Adds every value of R to To.
void addStats(StackStats &To, const StackStats &R);

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_SUMMARYFOLD_H
