// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sorted set of blocks: by size, then address.

#include "FreeBlocks.h"
#include <algorithm>

using namespace memkit;

/// The number of the first of Count sizes that is not below Size. Without a
/// jump for the result of a comparison, which no processor can predict.
static size_t lowerBound(const uint64_t *Sizes, size_t Count, uint64_t Size) {
  const uint64_t *At = Sizes;
  while (Count > 1) {
    size_t Half = Count / 2;
    At += Half & (size_t(0) - size_t(At[Half - 1] < Size));
    Count -= Half;
  }
  return At - Sizes + (Count && *At < Size);
}

/// The number of the first block that is not smaller than Size: first the group
/// of eight, then the place in the group. The comparisons of a group do not
/// wait for each other, as those of a binary search do.
uint32_t FreeBlocks::firstOf(const FreeChunk &In, uint64_t Size) {
  static_assert(MaxCount == 32);
  const uint64_t *S = In.Sizes;
  uint32_t Group = (S[7] < Size) + (S[15] < Size) + (S[23] < Size);
  S += size_t(8) * Group;
  uint32_t Low = (S[0] < Size) + (S[1] < Size) + (S[2] < Size) + (S[3] < Size);
  uint32_t High = (S[4] < Size) + (S[5] < Size) + (S[6] < Size) + (S[7] < Size);
  return 8 * Group + Low + High;
}

/// The chunk with the first block that is not before (Size, Address).
size_t FreeBlocks::findChunk(uint64_t Size, uint64_t Address) const {
  if (LastSizes.size() < 2)
    return 0;
  size_t Chunk = lowerBound(LastSizes.data(), LastSizes.size(), Size);
  // Blocks of one size may fill many chunks.
  auto EndsBefore = [&](const std::unique_ptr<FreeChunk> &C) {
    uint32_t End = C->Count - 1;
    return C->Sizes[End] == Size && C->Blocks[End].Address < Address;
  };
  if (Chunk == Chunks.size() || !EndsBefore(Chunks[Chunk]))
    return Chunk;
  return std::partition_point(Chunks.begin() + Chunk, Chunks.end(),
                              EndsBefore) -
         Chunks.begin();
}

FreeBlocks::FreePlace FreeBlocks::find(uint64_t Size, uint64_t Address) const {
  size_t Chunk = findChunk(Size, Address);
  if (Chunk == Chunks.size())
    return {uint32_t(Chunk), 0};
  const FreeChunk &In = *Chunks[Chunk];
  uint32_t At = firstOf(In, Size);
  while (At != In.Count && In.Sizes[At] == Size &&
         In.Blocks[At].Address < Address)
    ++At;
  // Of a single chunk alone the key may be behind all.
  return At == In.Count ? FreePlace{uint32_t(Chunk + 1), 0}
                        : FreePlace{uint32_t(Chunk), At};
}

FreeBlocks::FreePlace FreeBlocks::next(FreePlace P) const {
  return P.At + 1 == Chunks[P.Chunk]->Count ? FreePlace{P.Chunk + 1, 0}
                                            : FreePlace{P.Chunk, P.At + 1};
}

/// Moves the upper half of a full chunk into a new one.
void FreeBlocks::divide(size_t Chunk) {
  auto Upper = std::make_unique<FreeChunk>();
  FreeChunk &Lower = *Chunks[Chunk];
  Upper->Count = Lower.Count / 2;
  Lower.Count -= Upper->Count;
  std::copy_n(Lower.Sizes + Lower.Count, Upper->Count, Upper->Sizes);
  std::copy_n(Lower.Blocks + Lower.Count, Upper->Count, Upper->Blocks);
  std::fill_n(Lower.Sizes + Lower.Count, Upper->Count, NoSize);
  Chunks.insert(Chunks.begin() + Chunk + 1, std::move(Upper));
  LastSizes.insert(LastSizes.begin() + Chunk + 1, 0);
  noteLast(Chunk);
  noteLast(Chunk + 1);
}

void FreeBlocks::insert(const FreeBlock &B) {
  if (Chunks.empty()) {
    Chunks.push_back(std::make_unique<FreeChunk>());
    LastSizes.push_back(0);
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
  for (uint32_t I = In.Count; I != P.At; --I) {
    In.Sizes[I] = In.Sizes[I - 1];
    In.Blocks[I] = In.Blocks[I - 1];
  }
  In.Sizes[P.At] = B.Size;
  In.Blocks[P.At] = {B.Address, B.Block};
  ++In.Count;
  noteLast(P.Chunk);
}

void FreeBlocks::erase(FreePlace P) {
  FreeChunk &In = *Chunks[P.Chunk];
  --In.Count;
  for (uint32_t I = P.At; I != In.Count; ++I) {
    In.Sizes[I] = In.Sizes[I + 1];
    In.Blocks[I] = In.Blocks[I + 1];
  }
  In.Sizes[In.Count] = NoSize;
  if (In.Count)
    return noteLast(P.Chunk);
  Chunks.erase(Chunks.begin() + P.Chunk);
  LastSizes.erase(LastSizes.begin() + P.Chunk);
}

/// Whether a block that is By comes between the neighbours of P in its chunk,
/// and P is neither the first nor the last of it, except at the ends of the
/// set.
bool FreeBlocks::fits(FreePlace P, const FreeBlock &By) const {
  const FreeChunk &In = *Chunks[P.Chunk];
  auto IsAfter = [&](uint32_t At) {
    return In.Sizes[At] < By.Size ||
           (In.Sizes[At] == By.Size && In.Blocks[At].Address < By.Address);
  };
  bool IsLast = P.At + 1 == In.Count;
  return (P.At ? IsAfter(P.At - 1) : !P.Chunk) &&
         (IsLast ? P.Chunk + 1 == Chunks.size() : !IsAfter(P.At + 1));
}

void FreeBlocks::replace(FreePlace P, const FreeBlock &By) {
  if (!fits(P, By)) {
    erase(P);
    return insert(By);
  }
  FreeChunk &In = *Chunks[P.Chunk];
  In.Sizes[P.At] = By.Size;
  In.Blocks[P.At] = {By.Address, By.Block};
  noteLast(P.Chunk);
}

void FreeBlocks::forEach(llvm::function_ref<void(const FreeBlock &)> Do) const {
  for (const std::unique_ptr<FreeChunk> &C : Chunks)
    for (uint32_t I = 0; I != C->Count; ++I)
      Do({C->Sizes[I], C->Blocks[I].Address, C->Blocks[I].Block});
}
