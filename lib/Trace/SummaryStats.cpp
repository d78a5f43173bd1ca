// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TotalStats of a summary over processes.

#include "memkit/Trace/SummaryStats.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace memkit;

/// Sets the mean weighted by duration, over rows with known fragmentation.
static void joinFragmentation(LayerStats &T, const LayerStats &L) {
  double A = T.ReservedPeakBytes ? double(T.DurationNs) : 0;
  double B = L.ReservedPeakBytes ? double(L.DurationNs) : 0;
  if (A + B > 0)
    T.FragmentationPpm = uint32_t(
        (A * T.FragmentationPpm + B * L.FragmentationPpm) / (A + B) + 0.5);
}

void memkit::joinShares(SpaceShares &To, const SpaceShares &From) {
  for (const SpaceShare &F : From) {
    auto At = partition_point(
        To, [&](const SpaceShare &T) { return T.Space < F.Space; });
    if (At == To.end() || At->Space != F.Space) {
      To.insert(At, F);
      continue;
    }
    joinShare(*At, F);
  }
}

void memkit::joinShare(SpaceShare &To, const SpaceShare &From) {
  To.Allocations += From.Allocations;
  To.Frees += From.Frees;
  To.AllocatedBytes += From.AllocatedBytes;
  To.FreedBytes += From.FreedBytes;
  To.PeakBytes = std::max(To.PeakBytes, From.PeakBytes);
  To.RiseBytes = std::max(To.RiseBytes, From.RiseBytes);
  To.ReservedPeakBytes = std::max(To.ReservedPeakBytes, From.ReservedPeakBytes);
}

SpaceShares memkit::allShares(const StepStats &S) {
  SpaceShares All;
  SpaceShare Host{
      0,           S.Allocations, S.Frees, S.AllocatedBytes, S.FreedBytes,
      S.LiveBytes, S.PeakBytes};
  if (isAny(Host) || S.Shares.empty())
    All.push_back(Host);
  All.insert(All.end(), S.Shares.begin(), S.Shares.end());
  return All;
}

static LayerStats rowOfSpace(const LayerStats &L, const SpaceShare &S) {
  LayerStats Row = L;
  Row.Shares = {S};
  Row.Allocations = S.Allocations;
  Row.Frees = S.Frees;
  Row.AllocatedBytes = S.AllocatedBytes;
  Row.PeakBytes = S.PeakBytes;
  Row.RiseBytes = S.RiseBytes;
  Row.ReservedPeakBytes = S.ReservedPeakBytes;
  // Only the first row counts tensors, for all memory spaces.
  Row.TensorAllocations = Row.TensorFrees = Row.TensorAllocatedBytes =
      Row.TensorFreedBytes = Row.TensorPeakBytes = 0;
  return Row;
}

std::vector<LayerStats> memkit::rowsOfSpaces(const LayerStats &L) {
  std::vector<LayerStats> Rows;
  // A layer with shares has the sum of its shares as its own stats.
  // Other scopes have the stats of the host, which is a share, too.
  bool HasHost = !countsTensors(L.Kind) || L.Shares.empty();
  if (HasHost) {
    Rows.push_back(L);
    llvm::erase_if(Rows.front().Shares,
                   [](const SpaceShare &S) { return S.Space != 0; });
  }
  for (const SpaceShare &S : L.Shares)
    if (!HasHost || S.Space)
      Rows.push_back(rowOfSpace(L, S));
  return Rows;
}

bool memkit::hasDevices(ArrayRef<LayerStats> Rows) {
  return any_of(Rows, [](const LayerStats &L) {
    return any_of(L.Shares, [](const SpaceShare &S) { return S.Space; });
  });
}

/// A layer that changed no memory in one process has the peaks of the other
/// process alone.
static void joinPeaks(LayerStats &T, const LayerStats &L) {
  bool OfOne =
      T.Kind == ScopeKind::Layer && T.Shares.empty() != L.Shares.empty();
  auto Join = [&](uint64_t LayerStats::*Of) {
    if (!OfOne)
      T.*Of = std::max(T.*Of, L.*Of);
    else if (T.Shares.empty())
      T.*Of = L.*Of;
  };
  Join(&LayerStats::PeakBytes);
  Join(&LayerStats::ReservedPeakBytes);
}

std::vector<LayerStats> memkit::joinLayers(ArrayRef<LayerStats> Rows,
                                           ScopeKind Kind, OperatorsBy By) {
  MapVector<std::pair<uint64_t, uint32_t>, LayerStats> Found;
  for (const LayerStats &L : Rows) {
    if (L.Kind != Kind)
      continue;
    uint32_t Shapes = By == OperatorsBy::Shapes ? L.Shapes : 0;
    auto [It, New] = Found.insert(
        {{uint64_t(L.Name) << 1 | uint64_t(L.Backward), Shapes}, L});
    LayerStats &T = It->second;
    T.Shapes = Shapes;
    if (New)
      continue;
    joinFragmentation(T, L);
    T.Calls += L.Calls;
    T.DurationNs += L.DurationNs;
    T.SelfNs += L.SelfNs;
    T.Flops = SaturatingAdd(T.Flops, L.Flops);
    T.DeviceNs += L.DeviceNs;
    T.DeviceSelfNs += L.DeviceSelfNs;
    T.Allocations += L.Allocations;
    T.Frees += L.Frees;
    T.AllocatedBytes += L.AllocatedBytes;
    joinPeaks(T, L);
    T.RiseBytes = std::max(T.RiseBytes, L.RiseBytes);
    T.TensorAllocations += L.TensorAllocations;
    T.TensorFrees += L.TensorFrees;
    T.TensorAllocatedBytes += L.TensorAllocatedBytes;
    T.TensorFreedBytes += L.TensorFreedBytes;
    T.TensorPeakBytes = std::max(T.TensorPeakBytes, L.TensorPeakBytes);
    joinShares(T.Shares, L.Shares);
  }
  std::vector<LayerStats> Out;
  for (auto &[Key, T] : Found)
    Out.push_back(T);
  return Out;
}

std::vector<LayerStats> memkit::sortedLayers(ArrayRef<LayerStats> Rows) {
  std::vector<LayerStats> All = joinLayers(Rows, ScopeKind::Layer);
  stable_sort(All, [](const LayerStats &A, const LayerStats &B) {
    return A.PeakBytes > B.PeakBytes;
  });
  return All;
}

std::vector<LayerStats> memkit::sortedOperators(ArrayRef<LayerStats> Rows,
                                                OperatorsBy By) {
  std::vector<LayerStats> All = joinLayers(Rows, ScopeKind::Operator, By);
  stable_sort(All, [](const LayerStats &A, const LayerStats &B) {
    return A.SelfNs > B.SelfNs;
  });
  return All;
}

std::vector<CategorySum> memkit::sumCategories(ArrayRef<CategoryStats> Rows,
                                               uint32_t Oom) {
  std::map<std::tuple<uint32_t, TensorCategory, uint32_t>, CategorySum::Layer>
      Layers;
  for (const CategoryStats &K : Rows) {
    if (K.Oom != Oom)
      continue;
    CategorySum::Layer &L = Layers[{K.Heap, K.Category, K.Layer}];
    L.Name = K.Layer;
    L.Blocks += K.Blocks;
    L.Bytes += K.Bytes;
  }
  std::vector<CategorySum> Out;
  for (const auto &[Key, L] : Layers) {
    auto [Heap, Category, Name] = Key;
    if (Out.empty() || Out.back().Heap != Heap ||
        Out.back().Category != Category) {
      Out.emplace_back();
      Out.back().Heap = Heap;
      Out.back().Category = Category;
    }
    Out.back().Blocks += L.Blocks;
    Out.back().Bytes += L.Bytes;
    Out.back().Layers.push_back(L);
  }
  for (CategorySum &K : Out)
    stable_sort(K.Layers,
                [](const CategorySum::Layer &A, const CategorySum::Layer &B) {
                  return A.Bytes > B.Bytes;
                });
  stable_sort(Out, [](const CategorySum &A, const CategorySum &B) {
    return std::tie(A.Heap, B.Bytes) < std::tie(B.Heap, A.Bytes);
  });
  return Out;
}
