// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives live blocks small numbers.

#include "SlotTable.h"

using namespace memkit;

/// The chunk Number, null: none.
SlotTable::SlotChunk *SlotTable::chunk(uint64_t Number) {
  if (Number == LastNumber)
    return Last;
  auto It = Chunks.find(Number);
  if (It == Chunks.end())
    return nullptr;
  LastNumber = Number;
  return Last = It->second.get();
}

uint32_t SlotTable::add(uint64_t Id, uint64_t Size) {
  uint64_t Number = Id >> ChunkBits;
  SlotChunk *C = chunk(Number);
  if (!C) {
    auto &New = Chunks[Number];
    New = std::make_unique<SlotChunk>();
    New->Slots.fill(0);
    LastNumber = Number;
    C = Last = New.get();
  }
  uint32_t Slot;
  if (Free.empty()) {
    Slot = uint32_t(Sizes.size());
    Sizes.push_back(Size);
  } else {
    Slot = Free.back();
    Free.pop_back();
    Sizes[Slot] = Size;
  }
  C->Slots[Id & ChunkMask] = Slot + 1;
  ++C->NumBlocks;
  return Slot;
}

uint32_t SlotTable::find(uint64_t Id) {
  SlotChunk *C = chunk(Id >> ChunkBits);
  return C ? C->Slots[Id & ChunkMask] - 1 : NoSlot;
}

void SlotTable::remove(uint64_t Id) {
  uint64_t Number = Id >> ChunkBits;
  SlotChunk *C = chunk(Number);
  uint32_t &Slot = C->Slots[Id & ChunkMask];
  Free.push_back(Slot - 1);
  Slot = 0;
  if (--C->NumBlocks)
    return;
  LastNumber = UINT64_MAX;
  Last = nullptr;
  Chunks.erase(Number);
}
