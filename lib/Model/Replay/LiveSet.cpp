// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live blocks of a process, by allocation id.

#include "memkit/Model/LiveSet.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace memkit;

/// The number of set bits. The target processors may lack the instruction, and
/// a call costs more than this code.
static inline uint64_t countBits(uint64_t X) {
  X -= X >> 1 & 0x5555555555555555;
  X = (X & 0x3333333333333333) + (X >> 2 & 0x3333333333333333);
  X = (X + (X >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return X * 0x0101010101010101 >> 56;
}

/// The index of AllocationId in a packed chunk; SIZE_MAX if the chunk does not
/// have it. Without branches, which would be mispredicted.
size_t LiveSet::findPacked(const LiveChunk &C, uint16_t AllocationId) {
  if (!C.Bits.empty()) {
    uint64_t Word = C.Bits[AllocationId >> 6], Bit = uint64_t(1)
                                                     << (AllocationId & 63);
    size_t At = C.Before[AllocationId >> 6] + countBits(Word & (Bit - 1));
    return Word & Bit ? At : SIZE_MAX;
  }
  const uint16_t *At = C.AllocationIds.data();
  size_t Left = C.AllocationIds.size();
  if (Left == 0)
    return SIZE_MAX;
  while (Left > 1) {
    size_t Half = Left / 2;
    At += At[Half - 1] < AllocationId ? Half : 0;
    Left -= Half;
  }
  return *At == AllocationId ? At - C.AllocationIds.data() : SIZE_MAX;
}

/// A chunk without live blocks.
const LiveSet::LiveSetEntry *LiveSet::deadEntries() {
  static const std::vector<LiveSetEntry> Dead(ChunkSize);
  return Dead.data();
}

/// The number of valid entries of a chunk.
size_t LiveSet::used(size_t Index) const {
  const LiveChunk &C = Chunks[Index];
  return std::min<uint64_t>(C.Entries.size(),
                            C.Packed ? SIZE_MAX : Next - (Index << ChunkBits));
}

/// Makes room for more in the last chunk, or adds a chunk.
void LiveSet::makeRoom() {
  constexpr size_t Min = 32;
  size_t Size = Next & (ChunkSize - 1);
  if (Size == 0) {
    if (Current) {
      // The chunk before is full now.
      Current->PackAt = FewLive;
      if (Current->Live <= FewLive)
        pack(*Current, ChunkSize);
    }
    Chunks.emplace_back();
    Dense.push_back(nullptr);
    Current = &Chunks.back();
    Current->Entries.swap(SpareEntries);
    Current->AllocationTimes.swap(SpareTimes);
  }
  // A short-lived process fills only a small part of its first chunk.
  Size = Next < ChunkSize ? std::max(Size * 2, Min) : ChunkSize;
  Current->Entries.resize(std::max(Size, Current->Entries.size()));
  Current->AllocationTimes.resize(Current->Entries.size());
  if (KeepThreads)
    Current->Threads.resize(Current->Entries.size());
  Full = (uint64_t(Chunks.size() - 1) << ChunkBits) + Current->Entries.size();
  Dense.back() = Current->Entries.data();
}

void LiveSet::setPlaceOfLast(RareValues P) {
  size_t At = (Next - 1) & (ChunkSize - 1);
  Current->Places.resize(At + 1);
  Current->Places[At] = P;
  HadPlaces = true;
}

void LiveSet::revive(uint64_t AllocationId, LiveSetEntry E,
                     uint64_t AllocatedNs) {
  size_t At = AllocationId & (ChunkSize - 1);
  Current->Entries[At] = E;
  Current->AllocationTimes[At] = AllocatedNs;
  Current->Live += 1;
  Live += 1;
}

void LiveSet::locate(llvm::ArrayRef<uint64_t> AllocationIds,
                     LiveSetEntry **Out) {
  // Blocks of packed chunks take longer to find, and are not predictable: they
  // are collected for a second loop.
  Packed.resize(AllocationIds.size() + 1);
  size_t NumPacked = 0;
  const LiveSetEntry *Dead = deadEntries();
  for (size_t I = 0; I < AllocationIds.size(); ++I) {
    const LiveSetEntry *In = Dense[AllocationIds[I] >> ChunkBits];
    Out[I] =
        const_cast<LiveSetEntry *>(In + (AllocationIds[I] & (ChunkSize - 1)));
    __builtin_prefetch(Out[I]);
    Packed[NumPacked] = static_cast<uint32_t>(I);
    NumPacked += In == Dead;
  }
  for (size_t I = 0; I < NumPacked; ++I) {
    uint64_t AllocationId = AllocationIds[Packed[I]];
    LiveChunk &C = Chunks[AllocationId >> ChunkBits];
    size_t At = findPacked(C, static_cast<uint16_t>(AllocationId));
    if (At == SIZE_MAX)
      continue;
    Out[Packed[I]] = &C.Entries[At];
    __builtin_prefetch(Out[Packed[I]]);
  }
}

void LiveSet::packDue() {
  for (uint32_t I : Due) {
    LiveChunk &C = Chunks[I];
    // The chunk may already be packed: the list can contain it twice.
    if (static_cast<int64_t>(C.Live) <= C.PackAt)
      pack(C, C.Entries.size());
  }
  Due.clear();
}

template <class F>
void LiveSet::eachOf(const LiveChunk &C, size_t Used, F Do) const {
  for (size_t At = 0; At < Used; ++At) {
    if (C.Entries[At].Row == 0)
      continue;
    LiveSetBlock B;
    B.AllocationId = C.Packed ? C.AllocationIds[At] : At;
    B.E = C.Entries[At];
    B.AllocatedNs = C.AllocationTimes[At];
    if (At < C.Places.size())
      B.P = C.Places[At];
    if (At < C.Threads.size())
      B.Thread = C.Threads[At];
    Do(B);
  }
}

/// Replaces the sorted list by bits.
void LiveSet::makeBits(LiveChunk &C) {
  C.Bits.assign(ChunkSize / 64, 0);
  C.Before.resize(ChunkSize / 64);
  for (uint16_t AllocationId : C.AllocationIds)
    C.Bits[AllocationId >> 6] |= uint64_t(1) << (AllocationId & 63);
  size_t Sum = 0;
  for (size_t Word = 0; Word < C.Bits.size(); ++Word) {
    C.Before[Word] = static_cast<uint16_t>(Sum);
    Sum += llvm::popcount(C.Bits[Word]);
  }
}

/// Reduces a chunk to its live blocks, as a sorted list.
void LiveSet::pack(LiveChunk &C, size_t Used) {
  LiveChunk To;
  To.Packed = true;
  To.Live = C.Live;
  To.PackAt = C.Live / 2;
  // The indices of live blocks. One more than needed: every index is written,
  // and only that of a live block is kept.
  std::vector<uint16_t> At(C.Live + size_t(1));
  size_t Alive = 0;
  for (size_t I = 0; I < Used; ++I) {
    At[Alive] = static_cast<uint16_t>(I);
    Alive += C.Entries[I].Row != 0;
  }
  At.pop_back();
  To.Entries.reserve(C.Live);
  To.AllocationTimes.reserve(C.Live);
  To.AllocationIds.reserve(C.Live);
  for (uint16_t I : At) {
    To.Entries.push_back(C.Entries[I]);
    To.AllocationTimes.push_back(C.AllocationTimes[I]);
    To.AllocationIds.push_back(C.Packed ? C.AllocationIds[I] : I);
    if (LLVM_UNLIKELY(!C.Places.empty()))
      To.Places.push_back(I < C.Places.size() ? C.Places[I] : RareValues());
    if (LLVM_UNLIKELY(KeepThreads))
      To.Threads.push_back(C.Threads[I]);
  }
  if (C.Live > LongList)
    makeBits(To);
  if (To.Live == 0)
    To.PackAt = -1; // no further block can be freed
  if (!C.Packed) {
    SpareEntries.swap(C.Entries);
    SpareTimes.swap(C.AllocationTimes);
  }
  C = std::move(To);
  Dense[&C - Chunks.data()] = deadEntries();
}

void LiveSet::forEach(llvm::function_ref<void(const LiveSetBlock &)> Do) const {
  for (size_t I = 0; I < Chunks.size(); ++I)
    eachOf(Chunks[I], used(I), [&](LiveSetBlock B) {
      B.AllocationId += I << ChunkBits;
      Do(B);
    });
}

void LiveSet::restart(uint64_t NextAllocationId) {
  clear();
  Next = NextAllocationId;
  Chunks.resize((NextAllocationId + ChunkSize - 1) >> ChunkBits);
  for (LiveChunk &C : Chunks)
    C.Packed = true;
  Dense.assign(Chunks.size(), deadEntries());
  // The last, partly filled chunk must take more blocks by position.
  if (NextAllocationId & (ChunkSize - 1)) {
    Current = &Chunks.back();
    Current->Packed = false;
    Current->Entries.resize(ChunkSize);
    Current->AllocationTimes.resize(Current->Entries.size());
    if (KeepThreads)
      Current->Threads.resize(Current->Entries.size());
    Full = uint64_t(Chunks.size()) << ChunkBits;
    Dense.back() = Current->Entries.data();
  } else {
    Full = Next;
  }
}

void LiveSet::addOld(const LiveSetBlock &B) {
  LiveChunk &C = Chunks[B.AllocationId >> ChunkBits];
  size_t At = B.AllocationId & (ChunkSize - 1);
  if (C.Packed) {
    At = C.Entries.size();
    C.AllocationIds.push_back(static_cast<uint16_t>(B.AllocationId));
    C.Entries.push_back(B.E);
    C.AllocationTimes.push_back(B.AllocatedNs);
    if (KeepThreads)
      C.Threads.push_back(B.Thread);
  } else {
    C.Entries[At] = B.E;
    C.AllocationTimes[At] = B.AllocatedNs;
    if (KeepThreads)
      C.Threads[At] = B.Thread;
  }
  if (B.P.isAny()) {
    C.Places.resize(std::max(C.Places.size(), At + 1));
    C.Places[At] = B.P;
    HadPlaces = true;
  }
  C.Live += 1;
  Live += 1;
}

void LiveSet::clear() {
  Chunks = {};
  Dense = {};
  Current = nullptr;
  SpareEntries = {};
  SpareTimes = {};
  Next = Live = Full = 0;
}
