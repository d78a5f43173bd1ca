//===- AccountRows.cpp - The rows of sums, and how they are found -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Account/AccountRows.h"

using namespace memkit;

size_t AccountRows::slot(const Shard &S, uint64_t Hash, uint32_t Cell,
                         uint32_t Key) const {
  size_t Mask = S.Slots.size() - 1;
  size_t At = Hash & Mask;
  while (uint32_t Row = S.Slots[At]) {
    const AccountRow &R = (*this)[Row];
    if (R.Key == Key && R.Cell == Cell)
      break;
    At = (At + 1) & Mask;
  }
  return At;
}

void AccountRows::grow(Shard &S) {
  std::vector<uint32_t> Old = std::move(S.Slots);
  S.Slots.assign(Old.empty() ? 16 : Old.size() * 2, 0);
  for (uint32_t Row : Old)
    if (Row) {
      const AccountRow &R = (*this)[Row];
      S.Slots[slot(S, hash(R.Cell, R.Key), R.Cell, R.Key)] = Row;
    }
}

uint32_t AccountRows::findOrMake(uint32_t Cell, uint32_t Key, bool &New) {
  uint64_t Hash = hash(Cell, Key);
  Shard &S = Shards[Hash >> (64 - ShardBits)];
  if ((S.Count + 1) * 4 > S.Slots.size() * 3)
    grow(S);
  size_t At = slot(S, Hash, Cell, Key);
  New = S.Slots[At] == 0;
  if (!New)
    return S.Slots[At];
  uint32_t Row = ++Used; // row 0 stays unused
  if (Row >> ChunkBits >= Chunks.size())
    Chunks.push_back(std::make_unique<AccountRow[]>(ChunkRows));
  AccountRow &R = (*this)[Row];
  R.Cell = Cell;
  R.Key = Key;
  S.Slots[At] = Row;
  ++S.Count;
  return Row;
}

uint32_t AccountRows::find(uint32_t Cell, uint32_t Key) const {
  uint64_t Hash = hash(Cell, Key);
  const Shard &S = Shards[Hash >> (64 - ShardBits)];
  return S.Slots.empty() ? 0 : S.Slots[slot(S, Hash, Cell, Key)];
}
