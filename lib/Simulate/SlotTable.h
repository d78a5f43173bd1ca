// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives live blocks small numbers.

#ifndef MEMKIT_LIB_SIMULATE_SLOTTABLE_H
#define MEMKIT_LIB_SIMULATE_SLOTTABLE_H

#include "llvm/ADT/DenseMap.h"
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace memkit {

/// A slot for each live block, from 0 on; the slot of a freed block serves
/// again. Blocks have allocation ids that mostly rise, so ids are kept in
/// chunks; a chunk without a block goes. Memory: at most 4 bytes for each
/// allocation id, and 12 bytes for each slot.
class SlotTable {
public:
  static constexpr uint32_t NoSlot = UINT32_MAX;
  /// Adds the block Id, which is not in the table.
  uint32_t add(uint64_t Id, uint64_t Size);
  /// The slot of a block; NoSlot: not in the table.
  uint32_t find(uint64_t Id);
  /// Removes a block of the table.
  void remove(uint64_t Id);
  uint64_t &sizeOf(uint32_t Slot) { return Sizes[Slot]; }
  /// The most slots at a time.
  uint32_t slots() const { return uint32_t(Sizes.size()); }
  /// Whether another block has a slot.
  bool hasRoom() const { return !Free.empty() || Sizes.size() < MaxSlots; }

private:
  static constexpr unsigned ChunkBits = 12;
  static constexpr uint64_t ChunkMask = (uint64_t(1) << ChunkBits) - 1;
  static constexpr size_t MaxSlots = uint64_t(1) << 31;
  struct SlotChunk {
    uint32_t NumBlocks = 0;
    std::array<uint32_t, size_t(1) << ChunkBits> Slots; ///< plus 1; 0: none
  };
  SlotChunk *chunk(uint64_t Number);

  llvm::DenseMap<uint64_t, std::unique_ptr<SlotChunk>> Chunks;
  uint64_t LastNumber = UINT64_MAX; ///< the chunk of the last call
  SlotChunk *Last = nullptr;
  std::vector<uint32_t> Free;
  std::vector<uint64_t> Sizes; ///< by slot
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_SLOTTABLE_H
