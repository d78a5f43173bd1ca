// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that memleak finds.

#ifndef MEMKIT_ANALYSIS_LEAKFINDINGS_H
#define MEMKIT_ANALYSIS_LEAKFINDINGS_H

#include "memkit/Analysis/Growth.h"
#include "memkit/Analysis/Leaks.h"
#include "memkit/Analysis/Outliers.h"

namespace memkit {

enum LeakKinds : unsigned {
  FK_Exit = 1,    ///< live when its process ended
  FK_Growth = 2,  ///< grows to the end of the run
  FK_Outlier = 4, ///< outlives its siblings
};

/// One of any kind; what it has beside lies in the report.
struct LeakFinding {
  LeakKinds Kind = FK_Exit;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint32_t Node = 0; ///< of Trace::view(): its stack is the way to it
  uint64_t Bytes = 0;
  uint64_t Blocks = 0;
  double Variance = 0; ///< of Bytes, of a sampled heap
  uint32_t Layer = 0;  ///< a string: the one layer of its blocks, or 0
  uint32_t Place = 0;  ///< of Growth or Outlier: in their list
  /// Growth::IsArenas: in place of a node (Node is 0).
  bool IsArenas = false;
};

struct LeakFindings {
  /// The findings of kind exit; then those that grow, then outliers, in the
  /// order of their lists.
  std::vector<LeakFinding> All;
  LeakReport Exit;
  GrowthReport Growth;
  std::vector<Outlier> Outliers;
  bool HasSteps = false;     ///< a process that was looked at has steps
  bool HasLifetimes = false; ///< without, growth cannot be looked for
  bool LooksForGrowth = false;
  uint64_t InBaseline = 0;       ///< findings that are not told of, being old
  uint64_t GrowthInBaseline = 0; ///< those of them that grow
};

struct LeakOptions {
  unsigned Kinds = FK_Exit | FK_Growth | FK_Outlier;
  GrowthOptions Growth;
};

/// Looks for Kinds in what S selects. What Hidden or, failing that, ByDefault
/// matches is counted in Exit.Suppressed and ByDefault, and left out.
llvm::Expected<LeakFindings> findAllLeaks(const SelectedStats &S,
                                          const LeakOptions &Options,
                                          const Suppressions &Hidden,
                                          const Suppressions &ByDefault);

/// Leaves out of R what Old has too: findings of the same kind, heap and stack,
/// stacks being the same when their functions and binaries are.
void keepNew(LeakFindings &R, const Trace &T, const LeakFindings &Old,
             const Trace &OldTrace);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_LEAKFINDINGS_H
