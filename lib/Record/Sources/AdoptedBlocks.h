// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a heap that lived already when the recording began.

#ifndef MEMKIT_LIB_RECORD_SOURCES_ADOPTEDBLOCKS_H
#define MEMKIT_LIB_RECORD_SOURCES_ADOPTEDBLOCKS_H

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>
#include <vector>

namespace memkit {

/// A census finds them while events come already: a block that has ended by
/// then must not be added. Belongs to the recorder's thread.
class AdoptedBlocks {
public:
  /// Blocks will be added; until end() records take longer.
  void expect() { Ended.emplace(); }
  void end() { Ended.reset(); }
  bool isExpected() const { return Ended.has_value(); }

  /// The block with the key ends.
  void noteEnd(uint64_t Key) {
    if (LLVM_UNLIKELY(Ended.has_value()))
      Ended->insert(Key);
  }
  /// Whether a block with the key has ended since expect().
  bool hasEnded(uint64_t Key) const { return Ended && Ended->contains(Key); }

  /// A block is added. Numbers rise.
  void add(uint64_t AllocationId) {
    if (Ids.empty() || Ids.back().second != AllocationId)
      Ids.push_back({AllocationId, AllocationId});
    ++Ids.back().second;
  }
  bool has(uint64_t AllocationId) const {
    auto It = llvm::partition_point(
        Ids, [=](auto &R) { return R.second <= AllocationId; });
    return It != Ids.end() && It->first <= AllocationId;
  }

private:
  /// The numbers of added blocks: begins and ends of ranges, rising.
  std::vector<std::pair<uint64_t, uint64_t>> Ids;
  std::optional<llvm::DenseSet<uint64_t>> Ended; ///< keys
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SOURCES_ADOPTEDBLOCKS_H
