// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of all calls of each scope, range and layer of a process.

#include "Scopes/ScopeTotals.h"
#include "Output/RecordedHeaps.h"
#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// Scopes and ranges
//===----------------------------------------------------------------------===//

/// Adds the stats of all blocks in the scope, by memory space.
void ScopeTotals::addSpaces(LayerStats &T, const ScopeResult &S) {
  SpaceShares Of;
  size_t Spaces = std::max<size_t>(S.Spaces.size(), 1);
  for (uint32_t Space = 0; Space < Spaces; ++Space) {
    const ScopeStatsRow &Row = Space ? S.Spaces[Space] : S.Rows[0];
    SpaceShare Share{Space,
                     Row.Allocations,
                     Row.Frees,
                     Row.AllocatedBytes,
                     Row.FreedBytes,
                     /*LiveBytes=*/0,
                     Row.Peak,
                     Row.Peak - Row.Before};
    if (isAny(Share))
      Of.push_back(Share);
  }
  joinShares(T.Shares, Of);
}

void ScopeTotals::addTensors(LayerStats &T, const ScopeResult &S) const {
  for (uint32_t Heap = 1; Heap < S.Rows.size(); ++Heap) {
    if (!Heaps.isTensors(Heap))
      continue;
    const ScopeStatsRow &Row = S.Rows[Heap];
    T.TensorAllocations += Row.Allocations;
    T.TensorFrees += Row.Frees;
    T.TensorAllocatedBytes += Row.AllocatedBytes;
    T.TensorFreedBytes += Row.FreedBytes;
    T.TensorPeakBytes = std::max(T.TensorPeakBytes, Row.Peak);
    T.ReservedPeakBytes = std::max(T.ReservedPeakBytes, Row.ReservedPeak);
  }
}

/// Adds a scope that has ended, or an open scope up to now.
void ScopeTotals::addCall(LayerStats &T, const ScopeResult &S, ScopeKind Kind,
                          uint32_t Name) const {
  const ScopeStatsRow &Host = S.Rows[0];
  T.Process = Process;
  T.Name = Name;
  T.Kind = Kind;
  T.Calls += 1;
  T.DurationNs += S.DurationNs;
  T.Allocations += Host.Allocations;
  T.Frees += Host.Frees;
  T.AllocatedBytes += Host.AllocatedBytes;
  T.PeakBytes = std::max(T.PeakBytes, Host.Peak);
  T.RiseBytes = std::max(T.RiseBytes, Host.Peak - Host.Before);
  addTensors(T, S);
  addSpaces(T, S);
}

static uint64_t keyOfScope(ScopeKind Kind, uint32_t Name) {
  return uint64_t(Kind) << 33 | Name;
}

void ScopeTotals::addScope(const ScopeResult &S, ScopeKind Kind,
                           uint32_t Name) {
  addCall(totalOf(keyOfScope(Kind, Name)), S, Kind, Name);
}

void ScopeTotals::addOpen(const ScopeResult &S, ScopeKind Kind, uint32_t Name,
                          OpenTotals &To) const {
  uint64_t Key = keyOfScope(Kind, Name);
  auto [It, New] = To.insert({Key, LayerStats()});
  if (auto Ended = Totals.find(Key); New && Ended != Totals.end())
    It->second = Ended->second.Stats;
  addCall(It->second, S, Kind, Name);
}

void ScopeTotals::addTo(const OpenTotals &Opens, bool OnlyChanged,
                        std::vector<LayerStats> &Out) {
  for (auto &[Key, T] : Totals)
    if (bool IsWanted = !OnlyChanged || std::exchange(T.HasChanged, false);
        IsWanted && !Opens.count(Key))
      Out.push_back(T.Stats);
  for (auto &[Key, T] : Opens)
    Out.push_back(T);
}

void ScopeTotals::moveTo(std::vector<LayerStats> &Out) {
  for (auto &[Name, T] : Totals)
    Out.push_back(T.Stats);
  Totals.clear();
}

static uint64_t keyOfLayer(uint32_t Name, bool Backward) {
  return uint64_t(Backward) << 32 | Name;
}

void ScopeTotals::addDevice(ScopeKind Kind, uint32_t Name, bool Backward,
                            LaunchedTime Work) {
  bool IsLayer = Kind == ScopeKind::Layer;
  LayerStats &T =
      totalOf(IsLayer ? keyOfLayer(Name, Backward) : keyOfScope(Kind, Name));
  T.Process = Process;
  T.Name = Name;
  T.Kind = Kind;
  T.Backward = Backward;
  T.DeviceNs += Work.Ns;
  T.DeviceSelfNs += Work.SelfNs;
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

/// The first share of Space or of a higher memory space.
static SpaceShares::iterator shareFrom(SpaceShares &Shares, uint32_t Space) {
  // Nearly always no memory space is missing between two shares.
  if (!Shares.empty())
    if (uint32_t I = Space - Shares.front().Space;
        I < Shares.size() && Shares[I].Space == Space)
      return Shares.begin() + I;
  return partition_point(Shares,
                         [&](const SpaceShare &S) { return S.Space < Space; });
}

/// The share of a memory space, added if missing.
static SpaceShare &shareOfLayer(LayerStats &T, uint32_t Space) {
  auto At = shareFrom(T.Shares, Space);
  if (At != T.Shares.end() && At->Space == Space)
    return *At;
  // T's peaks are of memory spaces without changes so far.
  if (T.Shares.empty())
    T.PeakBytes = T.ReservedPeakBytes = 0;
  At = T.Shares.insert(At, SpaceShare());
  At->Space = Space;
  return *At;
}

static void addToLayer(LayerStats &T, uint32_t Space,
                       const LayerRange::HeapRow &Row) {
  SpaceShare &To = shareOfLayer(T, Space);
  To.Allocations += Row.Allocations;
  To.Frees += Row.Frees;
  To.AllocatedBytes += Row.AllocatedBytes;
  To.FreedBytes += Row.FreedBytes;
  To.PeakBytes = std::max(To.PeakBytes, Row.Peak);
  To.ReservedPeakBytes = std::max(To.ReservedPeakBytes, Row.ReservedPeak);
  T.Allocations += Row.Allocations;
  T.Frees += Row.Frees;
  T.AllocatedBytes += Row.AllocatedBytes;
}

/// Raises the peaks of a layer to the live bytes of memory spaces that this run
/// did not change. For a layer that has changed no memory space at all, the
/// peak is the highest of all memory spaces.
void ScopeTotals::raisePeaks(LayerStats &T,
                             const ScopeStatsTable &Measured) const {
  for (uint32_t Heap : Heaps.allTensors()) {
    auto Raise = [&](auto &To) {
      To.PeakBytes = std::max(To.PeakBytes, Measured.liveBytes(Heap));
      To.ReservedPeakBytes =
          std::max(To.ReservedPeakBytes, Measured.reservedBytes(Heap));
    };
    uint32_t Space = Heaps.spaceOfTensors(Heap) - 1;
    if (T.Shares.empty())
      Raise(T);
    else if (auto S = shareFrom(T.Shares, Space);
             S != T.Shares.end() && S->Space == Space)
      Raise(*S);
  }
  for (const SpaceShare &S : T.Shares) {
    T.PeakBytes = std::max(T.PeakBytes, S.PeakBytes);
    T.ReservedPeakBytes = std::max(T.ReservedPeakBytes, S.ReservedPeakBytes);
  }
}

LayerStats &ScopeTotals::addLayer(const LayerRange &S, uint32_t Name,
                                  bool Backward, LayerWork Work,
                                  const ScopeStatsTable &Measured) {
  LayerStats &T = totalOf(keyOfLayer(Name, Backward));
  T.Process = Process;
  T.Name = Name;
  T.Kind = ScopeKind::Layer;
  T.Backward = Backward;
  T.DurationNs += S.DurationNs;
  T.SelfNs += Work.SelfNs;
  T.Flops = SaturatingAdd(T.Flops, Work.Flops);
  for (const LayerRange::HeapRow &Of : S.Changed)
    if (uint32_t Space = Heaps.spaceOfTensors(Of.Heap))
      addToLayer(T, Space - 1, Of);
  raisePeaks(T, Measured);
  return T;
}
