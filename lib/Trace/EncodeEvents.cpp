//===- EncodeEvents.cpp - Event blocks to FlatBuffers -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows stand in order of time; on disk they are grouped by thread, since a
// thread's own sequence repeats itself more than the mixture does. The thread
// column, in order of time, restores the mixture.
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "References.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>

using namespace memkit;
using namespace llvm;

/// How the rows of a block map to columns. Kept from block to block: what a
/// block of full size needs is taken once, and a long recording does not grow
/// by the holes that these would leave in the heap.
struct Encoder::EventPlan {
  /// Forgets the last block. Columns that are sized and filled anew stay.
  void clear() {
    Threads.clear();
    Heaps.clear();
    Groups.clear();
    Total = {};
    LongTime = false;
    LongTimes.clear();
    Far.clear();
  }
  // Threads.
  std::vector<uint32_t> Threads;
  std::vector<uint8_t> Thread; ///< local, by row; empty with one
  // Heaps.
  std::vector<uint32_t> Heaps;
  // Counts of each thread, then where its rows begin in the columns.
  struct Group {
    uint32_t Rows = 0, Allocations = 0, Sizes = 0, References = 0;
  };
  std::vector<Group> Groups;
  Group Total;
  uint32_t Blocks = 0;
  // Columns.
  std::vector<uint32_t> Time;
  bool LongTime = false;
  std::vector<uint64_t> LongTimes;
  std::vector<uint8_t> Kind;
  std::vector<uint32_t> Stack, Context;
  std::vector<uint16_t> Heap;
  std::vector<uint64_t> Size;
  std::vector<uint32_t> AllocationRow;   ///< row of each allocation
  std::vector<uint64_t> AllocationBlock; ///< ordinal of each allocation
  std::vector<uint64_t> Block, Next;     ///< of each reference
  std::vector<uint8_t> Near;
  std::vector<uint64_t> Far;
};

Encoder::Encoder() : Plan(std::make_unique<EventPlan>()) {}
Encoder::~Encoder() = default;

static bool hasSize(EventKind K) { return K != EventKind::Free; }
static bool isReference(EventKind K) { return K != EventKind::Allocate; }

void Encoder::planThreads(const Events &E, EventPlan &P) {
  P.Thread.resize(E.Rows.size());
  DenseMap<uint32_t, uint8_t> Local;
  uint32_t Last = 0;
  uint8_t LastLocal = 0;
  for (size_t I = 0, N = E.Rows.size(); I != N; ++I) {
    const Event &R = E.Rows[I];
    if (P.Threads.empty() || R.Thread != Last) {
      auto [It, New] = Local.try_emplace(R.Thread, uint8_t(P.Threads.size()));
      if (New) {
        P.Threads.push_back(R.Thread);
        P.Groups.emplace_back();
      }
      Last = R.Thread;
      LastLocal = It->second;
    }
    P.Thread[I] = LastLocal;
    EventPlan::Group &G = P.Groups[LastLocal];
    ++G.Rows;
    G.Allocations += R.Kind == EventKind::Allocate;
    G.Sizes += hasSize(R.Kind);
    G.References += isReference(R.Kind);
  }
  assert(P.Threads.size() <= MaxBlockThreads);
  for (EventPlan::Group &G : P.Groups) {
    EventPlan::Group Begin = P.Total;
    P.Total.Rows += G.Rows;
    P.Total.Allocations += G.Allocations;
    P.Total.Sizes += G.Sizes;
    P.Total.References += G.References;
    G = Begin;
  }
}

void Encoder::planHeaps(const Events &E, EventPlan &P) {
  DenseMap<uint32_t, uint16_t> Local;
  uint32_t Last = 0;
  uint16_t LastLocal = 0;
  P.Heap.resize(P.Total.Allocations);
  for (size_t I = 0; I != P.Total.Allocations; ++I) {
    uint32_t Heap = E.Rows[P.AllocationRow[I]].Heap;
    if (P.Heaps.empty() || Heap != Last) {
      auto [It, New] = Local.try_emplace(Heap, uint16_t(P.Heaps.size()));
      if (New)
        P.Heaps.push_back(Heap);
      Last = Heap;
      LastLocal = It->second;
    }
    P.Heap[I] = LastLocal;
  }
}

void Encoder::gather(const Events &E, EventPlan &P) {
  size_t N = E.Rows.size();
  P.Time.resize(N);
  P.Kind.resize(N);
  P.Stack.resize(P.Total.Allocations);
  P.Context.resize(P.Total.Allocations);
  P.AllocationRow.resize(P.Total.Allocations);
  P.AllocationBlock.resize(P.Total.Allocations);
  P.Size.resize(P.Total.Sizes);
  P.Block.resize(P.Total.References);
  P.Next.resize(P.Total.References);
  uint64_t LastTime = N ? E.Rows[0].TimeNs : 0, Next = E.FirstOrdinal;
  auto Groups = P.Groups;
  for (size_t I = 0; I != N; ++I) {
    const Event &R = E.Rows[I];
    EventPlan::Group &G = Groups[P.Thread[I]];
    assert(R.TimeNs >= LastTime && "rows out of order");
    uint64_t Ticks = (R.TimeNs - LastTime) / TimeUnitNs;
    P.LongTime |= Ticks > UINT32_MAX;
    P.Time[I] = uint32_t(Ticks);
    LastTime = R.TimeNs;
    P.Kind[G.Rows++] = uint8_t(R.Kind);
    if (hasSize(R.Kind))
      P.Size[G.Sizes++] = R.Size;
    if (isReference(R.Kind)) {
      assert(R.Block < Next && "reference to a block that does not exist");
      P.Block[G.References] = R.Block;
      P.Next[G.References++] = Next;
    } else {
      assert(R.Block == Next && "ordinals are in sequence");
      P.Stack[G.Allocations] = R.Stack;
      P.Context[G.Allocations] = R.Context;
      P.AllocationBlock[G.Allocations] = Next;
      P.AllocationRow[G.Allocations++] = uint32_t(I);
    }
    Next += R.Kind == EventKind::Allocate || R.Kind == EventKind::Split;
  }
  P.Blocks = uint32_t(Next - E.FirstOrdinal);
  if (!P.LongTime)
    return;
  LastTime = E.Rows[0].TimeNs;
  for (const Event &R : E.Rows) {
    P.LongTimes.push_back((R.TimeNs - LastTime) / TimeUnitNs);
    LastTime = R.TimeNs;
  }
}

void Encoder::gatherReferences(EventPlan &P) {
  P.Near.resize(P.Total.References);
  for (size_t T = 0; T != P.Groups.size(); ++T) {
    ReferenceCoder Coder;
    size_t End = T + 1 == P.Groups.size() ? P.Total.References
                                          : P.Groups[T + 1].References;
    for (size_t I = P.Groups[T].References; I != End; ++I) {
      uint8_t Near = Coder.encode(P.Block[I], P.Next[I]);
      P.Near[I] = Near;
      if (Near == ReferenceCoder::Far)
        P.Far.push_back(P.Next[I] - 1 - P.Block[I]);
    }
  }
}

/// The values of an optional column, of the allocations in column order.
template <class T>
static std::vector<uint64_t> pick(const std::vector<T> &Column,
                                  ArrayRef<uint32_t> Rows) {
  std::vector<uint64_t> Out;
  if (Column.empty())
    return Out;
  Out.reserve(Rows.size());
  for (uint32_t Row : Rows)
    Out.push_back(Column[Row]);
  return Out;
}

Bytes Encoder::encode(const Events &E) {
  assert(E.Rows.size() <= MaxBlockRows);
  begin();
  EventPlan &P = *Plan;
  P.clear();
  planThreads(E, P);
  gather(E, P);
  planHeaps(E, P);
  gatherReferences(P);

  Off<flatbuffers::Vector<uint8_t>> Thread, Heap;
  Off<fb::Planes> HeapWide;
  if (P.Threads.size() > 1)
    Thread = bytes(P.Thread);
  if (P.Heaps.size() > 255) {
    HeapWide = planes(ArrayRef<uint16_t>(P.Heap));
  } else if (P.Heaps.size() > 1) {
    std::vector<uint8_t> Narrow(P.Heap.begin(), P.Heap.end());
    Heap = bytes(Narrow);
  }
  auto Time = P.LongTime ? planes(ArrayRef<uint64_t>(P.LongTimes))
                         : planes(ArrayRef<uint32_t>(P.Time));
  auto Kind = bytes(P.Kind);
  auto Stack = planes(ArrayRef<uint32_t>(P.Stack));
  auto Context = planes(ArrayRef<uint32_t>(P.Context));
  auto Size = planes(ArrayRef<uint64_t>(P.Size));
  auto Near = bytes(P.Near);
  auto Far = planes(ArrayRef<uint64_t>(P.Far));

  // Optional columns. An address column is there when the caller gave one, even
  // if all are 0, so that the absent can be told from the zero.
  uint8_t Shift = 0;
  Off<fb::Planes> Columns[6];
  bool Present[6] = {};
  auto Add = [&](unsigned I, std::vector<uint64_t> V, bool Given) {
    Present[I] = Given && P.Total.Allocations;
    if (!Present[I])
      return;
    Columns[I] = planes(ArrayRef<uint64_t>(V));
    if (Columns[I].IsNull())
      Columns[I] = fb::CreatePlanes(B);
  };
  std::vector<uint64_t> Address = pick(E.Columns.Address, P.AllocationRow);
  uint64_t Bits = 0;
  for (uint64_t A : Address)
    Bits |= A;
  Shift = Bits ? uint8_t(llvm::countr_zero(Bits)) : 0;
  uint64_t LastAddress = 0;
  for (uint64_t &A : Address) {
    uint64_t Shifted = A >> Shift;
    A = zigzag(int64_t(Shifted - LastAddress));
    LastAddress = Shifted;
  }
  std::vector<uint64_t> Enclosing = pick(E.Columns.Enclosing, P.AllocationRow);
  for (size_t I = 0; I != Enclosing.size(); ++I)
    if (Enclosing[I])
      Enclosing[I] = P.AllocationBlock[I] - (Enclosing[I] - 1);
  Add(0, std::move(Address), !E.Columns.Address.empty());
  Add(1, std::move(Enclosing), !E.Columns.Enclosing.empty());
  Add(2, pick(E.Columns.Stream, P.AllocationRow), !E.Columns.Stream.empty());
  Add(3, pick(E.Columns.Pool, P.AllocationRow), !E.Columns.Pool.empty());
  Add(4, pick(E.Columns.Requested, P.AllocationRow),
      !E.Columns.Requested.empty());
  Add(5, pick(E.Columns.Weight, P.AllocationRow), !E.Columns.Weight.empty());

  auto Threads = B.CreateVector(P.Threads);
  auto Heaps = B.CreateVector(P.Heaps);
  uint64_t FirstTime = E.Rows.empty() ? 0 : E.Rows[0].TimeNs;
  return finish(fb::Body::Events,
                fb::CreateEvents(B, E.Image, E.Epoch, FirstTime, E.FirstOrdinal,
                                 P.Total.Rows, P.Blocks, P.Total.Allocations,
                                 P.Total.References, Threads, Thread, Heaps,
                                 Time, Kind, Stack, Context, Heap, Size, Near,
                                 Far, Shift, Columns[0], Columns[1], Columns[2],
                                 Columns[3], Columns[4], Columns[5], HeapWide)
                    .Union());
}
