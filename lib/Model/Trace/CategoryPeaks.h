// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors at the peak of each heap, from the categories of single blocks.

#ifndef MEMKIT_LIB_MODEL_CATEGORYPEAKS_H
#define MEMKIT_LIB_MODEL_CATEGORYPEAKS_H

#include "memkit/Model/BlockCategories.h"

namespace memkit {

/// The tensors with a category, from a replay of all events.
struct CategoryPeaks {
  /// At the peak of each heap that has such tensors, by heap, process, category
  /// and layer; blocks without a category are unknown.
  std::vector<CategoryStats> Rows;
  uint64_t Blocks = 0; ///< allocated blocks with a category
};
llvm::Expected<CategoryPeaks>
findCategoryPeaks(TraceReader &R, const BlockCategoryTable &Table);

/// As Rows above; reads the table. Empty if the trace has no categories of
/// blocks.
llvm::Expected<std::vector<CategoryStats>> categoriesAtPeaks(TraceReader &R);

} // namespace memkit

#endif // MEMKIT_LIB_MODEL_CATEGORYPEAKS_H
