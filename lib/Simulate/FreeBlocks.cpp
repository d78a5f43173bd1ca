// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sorted set of blocks: by size, then address.

#include "FreeBlocks.h"
#include <algorithm>

using namespace memkit;

/// The first of Count blocks that is not before Key. Without a jump for the
/// result of a comparison: the processor cannot predict one.
static const FreeBlock *lowerBound(const FreeBlock *Blocks, size_t Count,
                                   const FreeBlock &Key) {
  while (Count > 1) {
    size_t Half = Count / 2;
    Blocks = Blocks[Half - 1] < Key ? Blocks + Half : Blocks;
    Count -= Half;
  }
  return Blocks + (Count && *Blocks < Key);
}

FreeBlocks::FreePlace FreeBlocks::find(uint64_t Size, uint64_t Address) const {
  FreeBlock Key = {Size, Address, 0};
  size_t Chunk = 0;
  if (Last.size() > 1)
    Chunk = lowerBound(Last.data(), Last.size(), Key) - Last.data();
  if (Chunk == Chunks.size())
    return {uint32_t(Chunk), 0};
  const FreeChunk &In = *Chunks[Chunk];
  uint32_t At = lowerBound(In.Blocks, In.Count, Key) - In.Blocks;
  // Of a single chunk alone the key may be behind all.
  return At == In.Count ? FreePlace{uint32_t(Chunk + 1), 0}
                        : FreePlace{uint32_t(Chunk), At};
}

FreeBlocks::FreePlace FreeBlocks::next(FreePlace P) const {
  return P.At + 1 == Chunks[P.Chunk]->Count ? FreePlace{P.Chunk + 1, 0}
                                            : FreePlace{P.Chunk, P.At + 1};
}

void FreeBlocks::noteLast(size_t Chunk) {
  Last[Chunk] = Chunks[Chunk]->Blocks[Chunks[Chunk]->Count - 1];
}

/// Moves the upper half of a full chunk into a new one.
void FreeBlocks::divide(size_t Chunk) {
  auto Upper = std::make_unique<FreeChunk>();
  FreeChunk &Lower = *Chunks[Chunk];
  Upper->Count = Lower.Count / 2;
  Lower.Count -= Upper->Count;
  std::copy_n(Lower.Blocks + Lower.Count, Upper->Count, Upper->Blocks);
  Chunks.insert(Chunks.begin() + Chunk + 1, std::move(Upper));
  Last.insert(Last.begin() + Chunk + 1, FreeBlock());
  noteLast(Chunk);
  noteLast(Chunk + 1);
}

void FreeBlocks::insert(const FreeBlock &B) {
  if (Chunks.empty()) {
    Chunks.push_back(std::make_unique<FreeChunk>());
    Last.emplace_back();
  }
  FreePlace P = find(B.Size, B.Address);
  if (isEnd(P))
    P = {uint32_t(Chunks.size() - 1), Chunks.back()->Count};
  if (Chunks[P.Chunk]->Count == MaxCount) {
    divide(P.Chunk);
    uint32_t Lower = Chunks[P.Chunk]->Count;
    if (P.At > Lower)
      P = {P.Chunk + 1, P.At - Lower};
  }
  FreeChunk &In = *Chunks[P.Chunk];
  std::copy_backward(In.Blocks + P.At, In.Blocks + In.Count,
                     In.Blocks + In.Count + 1);
  In.Blocks[P.At] = B;
  ++In.Count;
  noteLast(P.Chunk);
}

void FreeBlocks::erase(FreePlace P) {
  FreeChunk &In = *Chunks[P.Chunk];
  std::copy(In.Blocks + P.At + 1, In.Blocks + In.Count, In.Blocks + P.At);
  --In.Count;
  if (In.Count)
    return noteLast(P.Chunk);
  Chunks.erase(Chunks.begin() + P.Chunk);
  Last.erase(Last.begin() + P.Chunk);
}

void FreeBlocks::forEach(llvm::function_ref<void(const FreeBlock &)> Do) const {
  for (const std::unique_ptr<FreeChunk> &C : Chunks)
    for (uint32_t I = 0; I != C->Count; ++I)
      Do(C->Blocks[I]);
}
