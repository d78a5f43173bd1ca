//===- SpanTable.cpp - Scopes of an image, measured -------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scopes/SpanTable.h"
#include <algorithm>

using namespace memkit;

SpanTable::SpanTable(Accounts &Sums, uint32_t Image, uint64_t BeginNs)
    : Sums(Sums), Image(Image) {
  Opens.push_back({0, 0, BeginNs, {}, {}, {}});
}

/// To is at least From, place by place.
static void raise(std::vector<uint64_t> &To,
                  const std::vector<uint64_t> &From) {
  if (To.size() < From.size())
    To.resize(From.size());
  for (size_t I = 0; I != From.size(); ++I)
    To[I] = std::max(To[I], From[I]);
}

/// What is now, and what was highest since the last call: that is the newest
/// scope's.
void SpanTable::takeNow() {
  Sums.takeSpan(Image, Now);
  std::vector<uint64_t> &Highest = Opens.back().Highest;
  if (Highest.size() < Now.size())
    Highest.resize(Now.size());
  for (size_t I = 0; I != Now.size(); ++I)
    Highest[I] = std::max(Highest[I], Now[I].HighestBytes);
}

void SpanTable::noteReserved(uint32_t Heap, uint64_t Bytes, uint64_t Active) {
  if (Heap >= ReservedOf.size())
    ReservedOf.resize(Heap + 1);
  ReservedOf[Heap] = {Bytes, Active, true};
  std::vector<uint64_t> &Most = Opens.back().Reserved;
  if (Most.size() < ReservedOf.size())
    Most.resize(ReservedOf.size());
  Most[Heap] = std::max(Most[Heap], Bytes);
}

void SpanTable::begin(uint64_t Number, uint32_t Text, uint64_t TimeNs) {
  takeNow();
  if (Opens.size() > MostOpen)
    remove(1);
  Opens.push_back({Number, Text, TimeNs, Now, {}, {}});
  for (const ReservedNow &N : ReservedOf)
    Opens.back().Reserved.push_back(N.Bytes);
}

size_t SpanTable::indexOf(uint64_t Number) const {
  // Scopes end in the reverse order, nearly always.
  for (size_t I = Opens.size(); I-- != 0;)
    if (Opens[I].Number == Number)
      return I;
  return Opens.size();
}

void SpanTable::measure(size_t Index, uint64_t TimeNs, Span &Out) const {
  const Open &O = Opens[Index];
  Out.Number = O.Number;
  Out.Text = O.Text;
  Out.DurationNs = TimeNs > O.BeginNs ? TimeNs - O.BeginNs : 0;
  Out.Rows.assign(Now.size(), Span::Row());
  for (size_t I = 0; I != Now.size(); ++I) {
    Accounts::SpanSums Begin =
        I < O.AtBegin.size() ? O.AtBegin[I] : Accounts::SpanSums();
    Span::Row &R = Out.Rows[I];
    R.Allocations = Now[I].Allocations - Begin.Allocations;
    R.Frees = Now[I].Frees - Begin.Frees;
    R.AllocatedBytes = Now[I].AllocatedBytes - Begin.AllocatedBytes;
    R.Before = Begin.LiveBytes;
    R.After = Now[I].LiveBytes;
    R.FreedBytes = R.Before + R.AllocatedBytes - R.After;
    R.Peak = R.Before;
    for (size_t J = Index; J != Opens.size(); ++J)
      if (I < Opens[J].Highest.size())
        R.Peak = std::max(R.Peak, Opens[J].Highest[I]);
    if (I >= ReservedOf.size())
      continue;
    R.Reserved = ReservedOf[I].Bytes;
    R.Active = ReservedOf[I].Active;
    R.IsReservedKnown = ReservedOf[I].IsKnown;
    for (size_t J = Index; J != Opens.size(); ++J)
      if (I < Opens[J].Reserved.size())
        R.ReservedPeak = std::max(R.ReservedPeak, Opens[J].Reserved[I]);
  }
}

void SpanTable::remove(size_t Index) {
  raise(Opens[Index - 1].Highest, Opens[Index].Highest);
  raise(Opens[Index - 1].Reserved, Opens[Index].Reserved);
  Opens.erase(Opens.begin() + Index);
}

const Span *SpanTable::end(uint64_t Number, uint64_t TimeNs, bool Keep) {
  size_t Index = indexOf(Number);
  if (!Number || Index == Opens.size())
    return nullptr;
  takeNow();
  if (Keep && Kept.size() < MostKept)
    Kept.emplace_back();
  Span &Out = Keep ? Kept[NextKept] : Running;
  if (Keep)
    NextKept = (NextKept + 1) % MostKept;
  measure(Index, TimeNs, Out);
  remove(Index);
  return &Out;
}

const Span *SpanTable::find(uint64_t Number, uint64_t TimeNs) {
  if (size_t Index = indexOf(Number); Index != Opens.size()) {
    takeNow();
    measure(Index, TimeNs, Running);
    return &Running;
  }
  for (const Span &S : Kept)
    if (S.Number == Number)
      return &S;
  return nullptr;
}
