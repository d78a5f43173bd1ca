// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that were never freed.

#ifndef MEMKIT_ANALYSIS_LEAKS_H
#define MEMKIT_ANALYSIS_LEAKS_H

#include "memkit/Analysis/Suppressions.h"
#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// Blocks of one heap, allocated by stacks with the same shown frames and live
/// when their process ended.
struct Leak {
  uint32_t Heap = 0;
  uint32_t Stack = 0; ///< any of the stacks
  uint64_t Bytes = 0; ///< exclusive, unless heaps were chosen
  uint64_t Blocks = 0;
  double Variance = 0; ///< of Bytes; 0 when the heap is not sampled
};

struct HeapLeaks {
  uint32_t Heap = 0;
  uint64_t Bytes = 0;
  uint64_t Blocks = 0;
  uint64_t Findings = 0;
  double Variance = 0;
};

struct SuppressionUse {
  std::string Pattern;
  uint64_t Bytes = 0;
  uint64_t Blocks = 0;
  uint64_t Findings = 0; ///< of kind exit
  uint64_t Others = 0;   ///< findings of other kinds
  bool any() const { return Findings || Others; }
  double Variance = 0;
};

struct LeakReport {
  std::vector<Leak> Leaks;                ///< not suppressed; largest first
  std::vector<HeapLeaks> Heaps;           ///< sums of Leaks; largest first
  std::vector<SuppressionUse> Suppressed; ///< in the order of the patterns
  SuppressionUse ByDefault;               ///< hidden by the built-in list
  uint64_t Bytes = 0;                     ///< sum of Leaks
  uint64_t Blocks = 0;                    ///< sum of Leaks
  double Variance = 0;                    ///< of Bytes
};

/// Sets the sums of R from its Leaks.
void sumLeaks(const Trace &T, LeakReport &R);

/// Finds the blocks that lived at the end of their process. Left out are
/// processes that exec replaced, processes that only launched the program (if
/// no process is chosen), and blocks that Hidden or, failing that,
/// ByDefault hides.
LeakReport findLeaks(const SelectedStats &S, const Suppressions &Hidden,
                     const Suppressions &ByDefault = {});

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LEAKS_H
