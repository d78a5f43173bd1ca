// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of a search for leaks.

#ifndef MEMKIT_ANALYSIS_LEAKFINDING_H
#define MEMKIT_ANALYSIS_LEAKFINDING_H

#include "memkit/Analysis/Growth.h"
#include "memkit/Analysis/HeldBlocks.h"
#include "memkit/Analysis/Leaks.h"
#include "memkit/Analysis/Outliers.h"

namespace memkit {

enum LeakKinds : unsigned {
  FK_Exit = 1,    ///< live when its process ended
  FK_Growth = 2,  ///< grows to the end of the run
  FK_Outlier = 4, ///< outlives its siblings
};

/// A finding of any kind. Its details are in the list of LeakFindings for that
/// kind.
struct LeakFinding {
  LeakKinds Kind = FK_Exit;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint32_t Node = 0; ///< the stack is the path from the root to this node
  uint64_t Bytes = 0;
  uint64_t Blocks = 0;
  double Variance = 0; ///< of Bytes, of a sampled heap
  uint32_t Layer = 0;  ///< a string: the one layer of its blocks, or 0
  /// Of growth: each layer (a string) with the bytes of its blocks.
  std::vector<std::pair<uint32_t, uint64_t>> Layers = {};
  /// The names of Python that hold its blocks; the most bytes first.
  std::vector<HeldPath> HeldBy = {};
  uint32_t Place = 0; ///< index in the list of the kind Growth or Outlier
  /// As Growth::IsArenas: stands for arenas instead of a node (Node is 0).
  bool IsArenas = false;
};

/// What rises in a heap outside of the totals, such as mapped files. No finding
/// has it: no byte of it is in the memory that is judged.
struct OutsideRise {
  uint32_t Heap = 0;
  bool HasSteps = false;
  double Rate = 0; ///< bytes per step, or per second
  uint64_t Rise = 0;
  std::string Line; ///< that rises most: `pool.py:6 handle`; empty: none known
};

struct LeakFindings {
  /// Findings of kind exit, then of kind growth, then outliers, each in the
  /// order of their own list.
  std::vector<LeakFinding> All;
  LeakReport Exit;
  GrowthReport Growth;
  std::vector<Outlier> Outliers;
  std::vector<OutsideRise> Outside; ///< if no heap was chosen
  bool HasSteps = false;            ///< whether an analysed process has steps
  bool HasLifetimes = false;        ///< growth needs lifetimes
  bool LooksForGrowth = false;
  uint64_t InBaseline = 0; ///< findings hidden because the baseline has them
  std::vector<HolderSearch> Searches; ///< for names of Python
  uint64_t GrowthInBaseline = 0;      ///< the hidden findings of kind growth
};

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LEAKFINDING_H
