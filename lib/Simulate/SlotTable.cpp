// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives live blocks small numbers.

#include "SlotTable.h"

using namespace memkit;

SlotTable::SlotChunk *SlotTable::farChunk(uint64_t Id) const {
  auto It = Far.find(Id >> ChunkBits);
  return It == Far.end() ? nullptr : It->second.get();
}

SlotTable::SlotChunk *SlotTable::makeChunk(uint64_t Id) {
  uint64_t Number = Id >> ChunkBits;
  if (Id < MaxNear && Number >= Near.size())
    Near.resize(Number + 1);
  auto &New = Id < MaxNear ? Near[Number] : Far[Number];
  New = std::make_unique<SlotChunk>();
  New->Slots.fill(0);
  return New.get();
}

void SlotTable::dropChunk(uint64_t Id) {
  if (Id < MaxNear)
    Near[Id >> ChunkBits].reset();
  else
    Far.erase(Id >> ChunkBits);
}
