// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that allocators reserve without a live block.

#include "memkit/Analysis/Fragmentation.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

static std::optional<uint32_t> shareOf(bool Known, uint64_t Reserved,
                                       uint64_t Allocated) {
  if (!Known || !Reserved)
    return std::nullopt;
  return fragmentationPpm(Reserved, Allocated);
}

static uint32_t median(MutableArrayRef<uint32_t> Values) {
  std::nth_element(Values.begin(), Values.begin() + Values.size() / 2,
                   Values.end());
  return Values[Values.size() / 2];
}

/// Compares fragmentation at the first and the last intervals.
static void findTrend(HeapFragmentation &F, ArrayRef<SeriesPoint> Live,
                      ArrayRef<ReservedPoint> Reserved) {
  constexpr size_t Min = 8;
  std::vector<uint32_t> Shares;
  for (const SeriesPoint &P : Live)
    if (const ReservedPoint *R = pointAt(Reserved, P.TimeNs); R && R->Reserved)
      Shares.push_back(fragmentationPpm(R->Reserved, P.Value));
  if (Shares.size() < Min)
    return;
  size_t Quarter = Shares.size() / 4;
  MutableArrayRef<uint32_t> All = Shares;
  F.FirstPpm = median(All.take_front(Quarter));
  F.LastPpm = median(All.take_back(Quarter));
}

static HeapFragmentation::FragmentationTimePoint
pointOf(const ReservedPoint &P) {
  return {P.Reserved, *P.Active, P.Active,
          shareOf(true, P.Reserved, *P.Active)};
}

/// Of a heap without blocks, whose allocator tells what it has given out.
static void takeTold(HeapFragmentation &F, ArrayRef<ReservedPoint> Reserved) {
  uint64_t Before = 0;
  for (const ReservedPoint &P : Reserved) {
    // A process that ends gives its share back.
    if (P.Active && P.Reserved) {
      F.Now = pointOf(P);
      if (F.Now.Allocated >= F.AtPeak.Allocated)
        F.AtPeak = F.Now;
      if (P.Reserved > Before)
        F.LargestPpm =
            std::max(F.LargestPpm.value_or(0), F.Now.Ppm.value_or(0));
    }
    Before = P.Reserved;
  }
}

static HeapFragmentation fragmentationOf(const Trace &T, uint32_t Heap,
                                         ArrayRef<ReservedPoint> Reserved,
                                         ArrayRef<SeriesPoint> Live) {
  const HeapStats &H = T.heapStats(Heap);
  HeapFragmentation F;
  F.Heap = Heap;
  F.Known = H.ReservedKnown;
  F.Now.Allocated = H.LiveBytes;
  F.AtPeak.Allocated = H.PeakBytes;
  if (!F.Known)
    return F;
  F.Now.Reserved = H.ReservedBytes;
  F.AtPeak.Reserved = H.ReservedAtPeakBytes;
  F.ReservedPeak = H.ReservedPeakBytes;
  for (const ReservedPoint &P : Reserved)
    if (P.Active)
      F.ActivePeak = std::max(F.ActivePeak.value_or(0), *P.Active);
  if (!H.Allocations && F.ActivePeak) {
    takeTold(F, Reserved);
    return F;
  }
  // The present value includes memory that a process had reserved when it
  // ended; marks no longer contain that memory.
  if (!Reserved.empty() && Reserved.back().Reserved == H.ReservedBytes)
    F.Now.Active = Reserved.back().Active;
  if (const ReservedPoint *P = pointAt(Reserved, H.PeakTimeNs);
      P && P->Reserved == H.ReservedAtPeakBytes)
    F.AtPeak.Active = P->Active;
  F.Now.Ppm = shareOf(true, H.ReservedBytes, H.LiveBytes);
  F.AtPeak.Ppm = shareOf(true, H.ReservedAtPeakBytes, H.PeakBytes);
  if (H.ReservedPeakBytes)
    F.LargestPpm = H.GrowthFragmentationPpm;
  findTrend(F, Live, Reserved);
  return F;
}

std::vector<HeapFragmentation> findFragmentation(const Trace &T,
                                                 const Selection &Sel,
                                                 const MarkSeries &Marks,
                                                 const LiveSeries &Live) {
  std::vector<HeapFragmentation> Out;
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id) {
    const HeapStats &H = T.heapStats(Id);
    bool Has = H.ReservedKnown || (T.heap(Id).Parent && H.PeakBytes);
    if (Has && Sel.hasHeap(Id)) {
      Out.push_back(fragmentationOf(T, Id, Marks.Heaps[Id],
                                    Id < Live.Heaps.size()
                                        ? ArrayRef(Live.Heaps[Id])
                                        : ArrayRef<SeriesPoint>()));
      Out.back().Trimmed = Marks.HeapTrims[Id];
      copy_if(Marks.Pools, std::back_inserter(Out.back().Pools),
              [&](const PoolPeak &P) { return P.Heap == Id; });
      stable_sort(Out.back().Pools, [](const PoolPeak &A, const PoolPeak &B) {
        return A.Reserved > B.Reserved;
      });
    }
  }
  return Out;
}

} // namespace memkit
