//===- AccountBulk.cpp - Many events at once --------------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kind an event is cannot be foretold, and a wrong guess costs as much as
// all else together: so all kinds take the same way, and what a kind lacks is
// 0.
//
//===----------------------------------------------------------------------===//

#include "memkit/Account/Accounts.h"
#include <algorithm>

using namespace memkit;

/// Sums of cells and domains while many events of an image are applied: what
/// each event touches, close together. What can be told at the end is.
struct Accounts::Lanes {
  static constexpr size_t NumKinds = Change::Split + 1;
  struct DomainLane {
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t PeakBytes = 0;
    /// Rows last changed up to here have something to be saved: the number of
    /// the peak, or of the last event before the slice.
    uint64_t SaveUpTo = 0;
    uint64_t Highest = 0; ///< of LiveBytes, among these events
    Curve *Of = nullptr;
    Share *S = nullptr;
    uint64_t OfOthers = 0; ///< of LiveBytes, what other images have
  };
  struct CellLane {
    uint64_t LiveBytes = 0;
    uint64_t LiveBlocks = 0;
    uint64_t PeakBytes = 0;
    uint64_t PeakAt = 0;
    DomainLane *Domain = nullptr;
    uint64_t Temporaries = 0;
    uint64_t Count[NumKinds] = {};
    uint64_t Bytes[NumKinds] = {};
  };
  std::vector<CellLane> Cells;     ///< as Accounts::Cells; those of the image
  std::vector<DomainLane> Domains; ///< as ImageState::Shares
};

Accounts::Accounts() : Open(std::make_unique<Lanes>()) {
  Domains.push_back(std::make_unique<Curve>());
}
Accounts::~Accounts() = default;

void Accounts::openLanes(ImageState &I) {
  Open->Cells.resize(Cells.size());
  Open->Domains.resize(std::max(Open->Domains.size(), I.Shares.size()));
  for (size_t At = 0; At < I.Shares.size(); ++At) {
    if (!I.Shares[At])
      continue;
    Lanes::DomainLane &D = Open->Domains[At];
    D.Of = At ? Domains[At - 1].get() : &Outside;
    D.S = I.Shares[At].get();
    D.LiveBytes = D.Of->LiveBytes;
    D.LiveBlocks = D.Of->LiveBlocks;
    D.PeakBytes = D.Of->PeakBytes;
    D.SaveUpTo = std::max(D.Of->PeakAt, I.SliceFrom ? I.SliceFrom - 1 : 0);
    D.Highest = 0;
    D.OfOthers = D.LiveBytes - D.S->LiveBytes;
  }
  for (uint32_t At : I.CellOfHeap) {
    if (!At)
      continue;
    const Cell &C = Cells[At - 1];
    Lanes::CellLane &L = Open->Cells[At - 1];
    L = Lanes::CellLane();
    L.LiveBytes = C.H->C.LiveBytes;
    L.LiveBlocks = C.H->C.LiveBlocks;
    L.PeakBytes = C.H->C.PeakBytes;
    L.PeakAt = C.H->C.PeakAt;
    L.Domain = &Open->Domains[C.D == &Outside ? 0 : C.D->Id + size_t(1)];
  }
}

/// Brings what the lanes have to where it is kept. Curves had their peaks when
/// they came.
void Accounts::closeLanes(ImageState &I) {
  for (uint32_t At : I.CellOfHeap) {
    if (!At)
      continue;
    Cell &C = Cells[At - 1];
    const Lanes::CellLane &L = Open->Cells[At - 1];
    C.H->C.LiveBytes = L.LiveBytes;
    C.H->C.LiveBlocks = L.LiveBlocks;
    uint64_t Risen = L.Bytes[Change::Allocate] + L.Bytes[Change::Grow];
    uint64_t Fallen = L.Bytes[Change::Free] + L.Bytes[Change::Shrink];
    auto Add = [&](auto &To) {
      To.Allocations += L.Count[Change::Allocate];
      To.Frees += L.Count[Change::Free];
      To.Temporaries += L.Temporaries;
      To.AllocatedBytes += Risen;
      To.LiveBytes += Risen - Fallen;
    };
    Add(C);
    Add(*C.S);
    C.Splits += L.Count[Change::Split];
    C.S->LiveBlocks += L.Count[Change::Allocate] + L.Count[Change::Split] -
                       L.Count[Change::Free];
  }
  for (size_t At = 0; At < I.Shares.size(); ++At) {
    if (!I.Shares[At])
      continue;
    Lanes::DomainLane &D = Open->Domains[At];
    D.Of->LiveBytes = D.LiveBytes;
    D.Of->LiveBlocks = D.LiveBlocks;
    if (D.Highest)
      D.S->StepPeakBytes = std::max(D.S->StepPeakBytes, D.Highest - D.OfOthers);
  }
}

void Accounts::apply(uint32_t Image, llvm::ArrayRef<Change> Changes,
                     const uint64_t *TimesNs) {
  if (Changes.empty())
    return;
  // How many events ahead rows are fetched.
  constexpr size_t Ahead = 12;
  static constexpr uint64_t BlocksOf[] = {1, uint64_t(-1), 0, 0, 1};
  ImageState &I = *Images[Image];
  openLanes(I);
  Lanes::CellLane *CellLanes = Open->Cells.data();
  uint64_t Number = Now, Last = Changes.size() - 1;
  for (size_t At = 0; At <= Last; ++At) {
    prefetchRow(Changes[std::min(At + Ahead, Last)].Row);
    const Change &C = Changes[At];
    AccountRow &R = StackRows[C.Row];
    Lanes::CellLane &L = CellLanes[R.Cell];
    Lanes::DomainLane &D = *L.Domain;
    ++Number;
    if (R.LastChange <= std::max(L.PeakAt, D.SaveUpTo)) {
      savePeaks(StackRows, C.Row, L.PeakAt, D.Of->PeakAt);
      if (R.LastChange < I.SliceFrom)
        I.Dirty.push_back({C.Row, R.LiveBlocks, R.LiveBytes});
    }
    uint64_t Falls = -uint64_t(C.Kind & 1), Rises = ~Falls;
    uint64_t Bytes = (C.Bytes ^ Falls) - Falls, Blocks = BlocksOf[C.Kind];
    auto Count = [&](AccountRow &R) {
      R.LastChange = Number;
      R.LiveBytes += Bytes;
      R.LiveExclusive += Bytes;
      R.AllocatedBytes += C.Bytes & Rises;
      R.PeakBytes = std::max(R.PeakBytes, R.LiveBytes & Rises);
      R.Allocations += C.Kind == Change::Allocate;
      R.LiveBlocks += static_cast<uint32_t>(Blocks);
    };
    Count(R);
    if (LLVM_UNLIKELY(C.ContextRow)) {
      savePeaks(ContextRows, C.ContextRow, L.PeakAt, D.Of->PeakAt);
      Count(ContextRows[C.ContextRow]);
    }
    L.Count[C.Kind] += 1;
    L.Bytes[C.Kind] += C.Bytes;
    L.LiveBytes += Bytes;
    L.LiveBlocks += Blocks;
    if ((L.LiveBytes & Rises) > L.PeakBytes) {
      L.PeakBytes = L.LiveBytes;
      L.PeakAt = Number;
      Curve &H = Cells[R.Cell].H->C;
      H.PeakBytes = L.LiveBytes;
      H.PeakBlocks = L.LiveBlocks;
      H.PeakTimeNs = TimesNs[At];
      H.PeakAt = Number;
    }
    D.LiveBytes += Bytes;
    D.LiveBlocks += Blocks;
    D.Highest = std::max(D.Highest, D.LiveBytes & Rises);
    if ((D.LiveBytes & Rises) > D.PeakBytes) {
      D.PeakBytes = D.Of->PeakBytes = D.LiveBytes;
      D.Of->PeakBlocks = D.LiveBlocks;
      D.Of->PeakTimeNs = TimesNs[At];
      D.SaveUpTo = D.Of->PeakAt = Number;
    }
    if (LLVM_UNLIKELY(C.Temporary)) {
      L.Temporaries += 1;
      StackRows.rest(C.Row).Temporaries += 1;
      if (C.ContextRow)
        ContextRows.rest(C.ContextRow).Temporaries += 1;
    }
    if (LLVM_UNLIKELY(C.Kind == Change::Split)) {
      StackSplits[C.Row] += 1;
      if (C.ContextRow)
        ContextSplits[C.ContextRow] += 1;
    }
  }
  I.Events += Changes.size();
  Now = Number;
  LastNs = TimesNs[Last];
  closeLanes(I);
}
