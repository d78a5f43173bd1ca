// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives live blocks small numbers.

#ifndef MEMKIT_LIB_SIMULATE_SLOTTABLE_H
#define MEMKIT_LIB_SIMULATE_SLOTTABLE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Compiler.h"
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace memkit {

/// A slot for each live block, from 0 on; the slot of a freed block serves
/// again. Blocks have allocation ids that mostly rise, so ids are kept in
/// chunks; a chunk without a block goes. Memory: at most 4 bytes for each
/// allocation id, and 4 bytes for each slot.
class SlotTable {
public:
  static constexpr uint32_t NoSlot = UINT32_MAX;
  /// Adds the block Id, which is not in the table.
  uint32_t add(uint64_t Id) {
    SlotChunk *C = chunk(Id);
    if (!C)
      C = makeChunk(Id);
    uint32_t Slot = NumSlots;
    if (Free.empty()) {
      ++NumSlots;
    } else {
      Slot = Free.back();
      Free.pop_back();
    }
    C->Slots[Id & ChunkMask] = Slot + 1;
    ++C->NumBlocks;
    return Slot;
  }
  /// The slot of a block; NoSlot: not in the table.
  uint32_t find(uint64_t Id) const {
    const SlotChunk *C = chunk(Id);
    return C ? C->Slots[Id & ChunkMask] - 1 : NoSlot;
  }
  /// As find(), and removes the block.
  uint32_t take(uint64_t Id) {
    SlotChunk *C = chunk(Id);
    if (!C || !C->Slots[Id & ChunkMask])
      return NoSlot;
    uint32_t Slot = C->Slots[Id & ChunkMask] - 1;
    C->Slots[Id & ChunkMask] = 0;
    Free.push_back(Slot);
    if (!--C->NumBlocks)
      dropChunk(Id);
    return Slot;
  }
  /// Fetches what find() and take() of the block will read.
  void prefetch(uint64_t Id) const {
    if (const SlotChunk *C = nearChunk(Id))
      __builtin_prefetch(&C->Slots[Id & ChunkMask], 1);
  }
  /// The most slots at a time.
  uint32_t slots() const { return NumSlots; }
  /// Whether another block has a slot.
  bool hasRoom() const { return !Free.empty() || NumSlots < MaxSlots; }

private:
  static constexpr unsigned ChunkBits = 10;
  static constexpr uint64_t ChunkMask = (uint64_t(1) << ChunkBits) - 1;
  static constexpr uint32_t MaxSlots = uint32_t(1) << 31;
  /// Ids from here on come from a process that had run for days before its
  /// first event, or from a hostile trace.
  static constexpr uint64_t MaxNear = uint64_t(1) << 34;
  struct SlotChunk {
    uint32_t NumBlocks = 0;
    std::array<uint32_t, size_t(1) << ChunkBits> Slots; ///< plus 1; 0: none
  };
  SlotChunk *nearChunk(uint64_t Id) const {
    uint64_t Number = Id >> ChunkBits;
    return Number < Near.size() ? Near[Number].get() : nullptr;
  }
  SlotChunk *chunk(uint64_t Id) const {
    return LLVM_LIKELY(Id < MaxNear) ? nearChunk(Id) : farChunk(Id);
  }
  SlotChunk *farChunk(uint64_t Id) const;
  SlotChunk *makeChunk(uint64_t Id);
  void dropChunk(uint64_t Id);

  std::vector<std::unique_ptr<SlotChunk>> Near; ///< by number
  llvm::DenseMap<uint64_t, std::unique_ptr<SlotChunk>> Far;
  std::vector<uint32_t> Free;
  uint32_t NumSlots = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_SLOTTABLE_H
