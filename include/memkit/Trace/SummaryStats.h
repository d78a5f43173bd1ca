// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TotalStats of a summary over processes.

#ifndef MEMKIT_TRACE_SUMMARYSTATS_H
#define MEMKIT_TRACE_SUMMARYSTATS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace memkit {

/// Adds shares of scopes of one name: of peaks the highest of any.
void joinShares(SpaceShares &To, const SpaceShares &From);
/// What a step had of each memory space: of `host`, unless it has nothing of
/// that but something of others, and its shares.
SpaceShares allShares(const StepStats &S);

/// A row for each memory space in which L has anything, with its numbers alone;
/// of a layer that changed nothing the one that it is.
std::vector<LayerStats> rowsOfSpaces(const LayerStats &L);
/// Whether any row has a share of a device.
bool hasDevices(llvm::ArrayRef<LayerStats> Rows);

/// The rows of one kind of scope, one for each name and direction, summed over
/// processes, peaks the highest of any, in the order in which they first come.
std::vector<LayerStats> joinLayers(llvm::ArrayRef<LayerStats> Rows,
                                   ScopeKind Kind);
/// Those of layers, the highest peaks first.
std::vector<LayerStats> sortedLayers(llvm::ArrayRef<LayerStats> Rows);

/// The tensors of one category in a heap, at one moment, summed over processes.
struct CategorySum {
  struct Layer {
    uint32_t Name = 0; ///< string; 0: of none
    uint64_t Blocks = 0;
    uint64_t Bytes = 0;
  };
  uint32_t Heap = 0;
  TensorCategory Category = TensorCategory::Unknown;
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  std::vector<Layer> Layers; ///< the largest first
};

/// The categories of those of Rows that are of the moment Oom (0: the peaks),
/// by heap, then the largest first.
std::vector<CategorySum> sumCategories(llvm::ArrayRef<CategoryStats> Rows,
                                       uint32_t Oom);

} // namespace memkit

#endif // MEMKIT_TRACE_SUMMARYSTATS_H
