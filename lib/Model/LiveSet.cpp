//===- LiveSet.cpp - The live blocks of an image, by ordinal ----*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Model/LiveSet.h"
#include <algorithm>

using namespace memkit;

/// Where Ordinal stands in a packed chunk; past its end when it does not.
size_t LiveSet::findPacked(const Chunk &C, uint16_t Ordinal) {
  auto At = std::lower_bound(C.Ordinals.begin(), C.Ordinals.end(), Ordinal);
  if (At == C.Ordinals.end() || *At != Ordinal)
    return SIZE_MAX;
  return At - C.Ordinals.begin();
}

LiveSet::Chunk *LiveSet::newChunk() {
  if (Current) {
    // The one before is full now.
    Current->PackAt = FewLive;
    if (Current->Live <= FewLive)
      pack(*Current);
  }
  bool First = Chunks.empty();
  Chunks.emplace_back();
  Current = &Chunks.back();
  Current->Entries.swap(SpareEntries);
  Current->Births.swap(SpareBirths);
  // A short-lived image fills little of its first chunk.
  if (!First) {
    Current->Entries.reserve(ChunkSize);
    Current->Births.reserve(ChunkSize);
  }
  return Current;
}

void LiveSet::setPlaceOfLast(Place P) {
  Current->Places.resize(Current->Entries.size());
  Current->Places.back() = P;
}

template <class F> void LiveSet::eachOf(const Chunk &C, F Do) const {
  for (size_t At = 0; At < C.Entries.size(); ++At) {
    if (C.Entries[At].Row == 0)
      continue;
    Block B;
    B.Ordinal = C.Packed ? C.Ordinals[At] : At;
    B.E = C.Entries[At];
    B.BirthNs = C.Births[At];
    if (At < C.Places.size())
      B.P = C.Places[At];
    if (At < C.Threads.size())
      B.Thread = C.Threads[At];
    Do(B);
  }
}

/// Keeps what lives, as a sorted list.
void LiveSet::pack(Chunk &C) {
  Chunk To;
  To.Packed = true;
  To.Live = C.Live;
  To.PackAt = C.Live / 2;
  To.Entries.reserve(C.Live);
  To.Births.reserve(C.Live);
  To.Ordinals.reserve(C.Live);
  eachOf(C, [&](const Block &B) {
    To.Ordinals.push_back(static_cast<uint16_t>(B.Ordinal));
    To.Entries.push_back(B.E);
    To.Births.push_back(B.BirthNs);
    if (!C.Places.empty())
      To.Places.push_back(B.P);
    if (KeepThreads)
      To.Threads.push_back(B.Thread);
  });
  if (To.Live == 0)
    To.PackAt = -1; // nothing can fall any more
  if (!C.Packed) {
    C.Entries.clear();
    C.Births.clear();
    SpareEntries.swap(C.Entries);
    SpareBirths.swap(C.Births);
  }
  C = std::move(To);
}

void LiveSet::forEach(llvm::function_ref<void(const Block &)> Do) const {
  for (size_t I = 0; I < Chunks.size(); ++I)
    eachOf(Chunks[I], [&](Block B) {
      B.Ordinal += I << ChunkBits;
      Do(B);
    });
}

void LiveSet::restart(uint64_t NextOrdinal) {
  clear();
  Next = NextOrdinal;
  Chunks.resize((NextOrdinal + ChunkSize - 1) >> ChunkBits);
  for (Chunk &C : Chunks)
    C.Packed = true;
  // The last, partly filled chunk must take more by position.
  if (NextOrdinal & (ChunkSize - 1)) {
    Current = &Chunks.back();
    Current->Packed = false;
    Current->Entries.resize(NextOrdinal & (ChunkSize - 1));
    Current->Births.resize(Current->Entries.size());
    if (KeepThreads)
      Current->Threads.resize(Current->Entries.size());
  }
}

void LiveSet::addOld(const Block &B) {
  Chunk &C = Chunks[B.Ordinal >> ChunkBits];
  size_t At = B.Ordinal & (ChunkSize - 1);
  if (C.Packed) {
    At = C.Entries.size();
    C.Ordinals.push_back(static_cast<uint16_t>(B.Ordinal));
    C.Entries.push_back(B.E);
    C.Births.push_back(B.BirthNs);
    if (KeepThreads)
      C.Threads.push_back(B.Thread);
  } else {
    C.Entries[At] = B.E;
    C.Births[At] = B.BirthNs;
    if (KeepThreads)
      C.Threads[At] = B.Thread;
  }
  if (B.P.Address || B.P.Enclosing) {
    C.Places.resize(std::max(C.Places.size(), At + 1));
    C.Places[At] = B.P;
  }
  C.Live += 1;
  Live += 1;
}

void LiveSet::clear() {
  Chunks = {};
  Current = nullptr;
  SpareEntries = {};
  SpareBirths = {};
  Next = Live = 0;
}
