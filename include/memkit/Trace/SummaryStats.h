// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins the stats of a summary over processes and memory spaces.

#ifndef MEMKIT_TRACE_SUMMARYSTATS_H
#define MEMKIT_TRACE_SUMMARYSTATS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace memkit {

/// Adds From to To by memory space: counts and bytes are added, peaks and rises
/// become the maximum.
void joinShares(SpaceShares &To, const SpaceShares &From);
/// As joinShares(), for two shares of one memory space.
void joinShare(SpaceShare &To, const SpaceShare &From);
/// The stats of a step in each memory space: `host`, then the shares of
/// devices. `host` is left out if only devices have stats.
SpaceShares allShares(const StepStats &S);

/// Whether rows of the kind count tensors alone, in all memory spaces: layers
/// and operators. Rows of scopes count the memory space `host`, with shares of
/// devices.
inline bool countsTensors(ScopeKind K) {
  return K == ScopeKind::Layer || K == ScopeKind::Operator;
}
/// The rows of L by memory space, with the stats of this memory space alone. A
/// layer or operator without shares gives one row.
std::vector<LayerStats> rowsOfSpaces(const LayerStats &L);
/// Whether any row has a share of a device.
bool hasDevices(llvm::ArrayRef<LayerStats> Rows);

/// How the rows of operators are joined: all shapes of an operator's inputs, or
/// each for itself.
enum class OperatorsBy : uint8_t { Name, Shapes };

/// The rows of scopes of one kind, one for each name and direction (and
/// shapes), summed over processes. Peaks are the maximum of any process. In
/// order of first appearance.
std::vector<LayerStats> joinLayers(llvm::ArrayRef<LayerStats> Rows,
                                   ScopeKind Kind,
                                   OperatorsBy By = OperatorsBy::Name);
/// The joined rows of layers, highest peaks first.
std::vector<LayerStats> sortedLayers(llvm::ArrayRef<LayerStats> Rows);
/// The joined rows of operators, longest self time first.
std::vector<LayerStats> sortedOperators(llvm::ArrayRef<LayerStats> Rows,
                                        OperatorsBy By = OperatorsBy::Name);

/// The tensors of one category in a heap, at one time point, summed over
/// processes.
struct CategorySum {
  struct Layer {
    uint32_t Name = 0; ///< string; 0: in no layer
    uint64_t Blocks = 0;
    uint64_t Bytes = 0;
  };
  uint32_t Heap = 0;
  TensorCategory Category = TensorCategory::Unknown;
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  std::vector<Layer> Layers; ///< the largest first
};

/// The categories in the rows of the out-of-memory event Oom (0: of the peaks),
/// by heap, then the largest first.
std::vector<CategorySum> sumCategories(llvm::ArrayRef<CategoryStats> Rows,
                                       uint32_t Oom);

} // namespace memkit

#endif // MEMKIT_TRACE_SUMMARYSTATS_H
