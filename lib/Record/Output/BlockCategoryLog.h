// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of tensors of a process that are not written yet.

#ifndef MEMKIT_LIB_RECORD_BLOCKCATEGORYLOG_H
#define MEMKIT_LIB_RECORD_BLOCKCATEGORYLOG_H

#include "memkit/Trace/Categories.h"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace memkit {

/// Belongs to the recorder's thread.
class BlockCategoryLog {
public:
  /// Called by take() to add the categories of live blocks.
  std::function<void()> AddLive;

  /// Dtype: string; 0: not known.
  void add(uint64_t AllocationId, TensorCategory Category, uint32_t Dtype = 0) {
    if (AllocationId < EndId)
      Rows.push_back({AllocationId, Category, Dtype});
  }
  /// From now on add() drops blocks from EndId on: the trace has no events of
  /// such blocks.
  void end(uint64_t AtId) { EndId = std::min(EndId, AtId); }
  /// Whether many rows wait.
  bool isDue() const { return Rows.size() >= DueRows; }
  bool isFull() const { return Rows.size() >= MaxRows; }
  /// The rows since the last call, by rising id, one row a block.
  std::vector<BlockCategory> take();

private:
  static constexpr size_t DueRows = 2048, MaxRows = 16384;
  std::vector<BlockCategory> Rows;
  uint64_t EndId = UINT64_MAX;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_BLOCKCATEGORYLOG_H
