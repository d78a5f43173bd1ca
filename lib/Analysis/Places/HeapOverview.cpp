// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The overview of each heap.

#include "memkit/Analysis/HeapOverview.h"
#include "Model/Query/CensusStacks.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

uint64_t wholeBytes(double Bytes) {
  return Bytes < 0x1p64 ? static_cast<uint64_t>(Bytes) : UINT64_MAX;
}

namespace {
/// The bytes live at the peaks of heaps and memory spaces, by stack.
class PeakStats {
public:
  PeakStats(const SelectedStats &S)
      : S(S), Keys(nodeKeys(S.trace(), SameFrame::Location)) {
    const Trace &T = S.trace();
    ByHeap.resize(T.heaps().size() + 1);
    BySpace.resize(T.devices().size() + 1);
    Sum.resize(T.heaps().size() + 1);
    S.forEach([&](uint32_t, const StackStats &R) {
      addSums(R);
      uint64_t Key = Keys[T.view().leaf(R.Key)];
      if (R.HeapPeakBytes || R.HeapPeakBlocks)
        add(ByHeap[R.Heap], 0, Key, R, R.HeapPeakBytes, R.HeapPeakBlocks);
      const Heap &H = T.heap(R.Heap);
      if (R.SpacePeakBytes && !(H.Flags & HF_OutsideTotals))
        add(BySpace[H.Space], R.Heap, Key, R, R.SpacePeakBytes,
            R.SpacePeakBlocks);
    });
  }

  std::vector<PeakStack> ofHeap(uint32_t Heap, size_t Top) {
    return largest(ByHeap[Heap], Top);
  }
  std::vector<PeakStack> ofSpace(uint32_t Space, size_t Top) {
    return largest(BySpace[Space], Top);
  }
  /// The totals of the selected rows.
  const TotalStats &sums(uint32_t Heap) const { return Sum[Heap]; }

private:
  struct Stacks {
    DenseMap<std::pair<uint32_t, uint64_t>, uint32_t> Known;
    std::vector<PeakStack> List;
  };

  static void add(Stacks &To, uint32_t Heap, uint64_t Key, const StackStats &R,
                  uint64_t Bytes, uint64_t Blocks) {
    auto [At, New] = To.Known.try_emplace({Heap, Key}, To.List.size());
    if (New)
      To.List.push_back({R.Heap, R.Key, 0, 0});
    To.List[At->second].Bytes += Bytes;
    To.List[At->second].Blocks += Blocks;
  }

  void addSums(const StackStats &R) {
    TotalStats &T = Sum[R.Heap];
    T.Allocations += R.Allocations;
    T.Frees += R.Allocations + R.Splits - R.LiveBlocks;
    T.AllocatedBytes += R.AllocatedBytes;
    T.FreedBytes += R.AllocatedBytes - R.LiveBytes;
    T.Temporaries += R.Temporaries;
    T.LiveBlocks += R.LiveBlocks;
    T.LiveBytes += R.LiveBytes;
    T.PeakBytes += R.HeapPeakBytes;
    T.PeakBlocks += R.HeapPeakBlocks;
  }

  static std::vector<PeakStack> largest(Stacks &Of, size_t Top) {
    auto IsLarger = [](const PeakStack &A, const PeakStack &B) {
      return std::tie(B.Bytes, B.Blocks, A.Heap, A.Stack) <
             std::tie(A.Bytes, A.Blocks, B.Heap, B.Stack);
    };
    size_t Count = Top ? std::min(Top, Of.List.size()) : Of.List.size();
    std::partial_sort(Of.List.begin(), Of.List.begin() + Count, Of.List.end(),
                      IsLarger);
    Of.List.resize(Count);
    return std::move(Of.List);
  }

  const SelectedStats &S;
  std::vector<uint64_t> Keys;
  std::vector<Stacks> ByHeap, BySpace;
  std::vector<TotalStats> Sum; ///< by heap
};
} // namespace

static bool isWhole(const SelectedStats &S) {
  const Trace &T = S.trace();
  for (uint32_t Id = 1; Id <= T.processes().size(); ++Id)
    if (!S.selection().hasProcess(Id))
      return false;
  return true;
}

/// Takes what lived before memrec attached out of the allocations of a heap; of
/// a memory space, that of its heaps in the totals, whose blocks do not lie in
/// each other.
static void leaveOut(HeapOverview &H, ArrayRef<CensusSum> Old, const Trace &T) {
  for (uint32_t Id = 1; Id < Old.size(); ++Id)
    if (H.Heap ? H.Heap == Id
               : T.heap(Id).Space == H.Space &&
                     !(T.heap(Id).Flags & HF_OutsideTotals)) {
      TotalStats &From = H.Stats;
      From.Allocations -= std::min(From.Allocations, Old[Id].Blocks);
      From.AllocatedBytes -= std::min(From.AllocatedBytes, Old[Id].Bytes);
    }
}

/// Fills in the values derived from the totals.
static void finish(HeapOverview &H, const Trace &T) {
  const TotalStats &S = H.Stats;
  if (S.PeakBytes)
    H.PeakStep = stepAt(T, S.PeakTimeNs);
  if (S.Allocations)
    H.MeanBytes = S.AllocatedBytes / S.Allocations;
  if (T.endNs())
    H.BytesPerSecond =
        wholeBytes(double(S.AllocatedBytes) * 1e9 / double(T.endNs()));
}

std::optional<uint32_t> onlyProcess(const Trace &T, const Selection &Sel) {
  std::optional<uint32_t> Only;
  for (uint32_t Id = 1; Id <= T.processes().size(); ++Id)
    if (Sel.hasProcess(Id) && std::exchange(Only, Id))
      return std::nullopt;
  return Only;
}

uint64_t peakOfProcess(const Trace &T, uint32_t Process, uint32_t Space) {
  const ProcessStats *P = T.processStats(Process);
  if (!P || !Space)
    return P ? P->PeakBytes : 0;
  for (const SpaceShare &S : P->Shares)
    if (S.Space == Space)
      return S.PeakBytes;
  return 0;
}

std::vector<TotalStats> partOfSpaces(const SelectedStats &S) {
  const Trace &T = S.trace();
  std::vector<TotalStats> Out(T.devices().size() + 1);
  S.forEach([&](uint32_t, const StackStats &R) {
    TotalStats &D = Out[T.heap(R.Heap).Space];
    D.PeakBytes += R.SpacePeakBytes;
    D.LiveBytes += R.LiveExclusive;
  });
  if (std::optional<uint32_t> Only = onlyProcess(T, S.selection()))
    for (uint32_t Space = 0; Space != Out.size(); ++Space)
      Out[Space].PeakBytes = peakOfProcess(T, *Only, Space);
  return Out;
}

std::vector<HeapOverview> statHeaps(const SelectedStats &S, size_t Top,
                                    bool WithStacks) {
  const Trace &T = S.trace();
  const Selection &Sel = S.selection();
  bool Whole = isWhole(S);
  // Sums by row are needed for a part of the processes only.
  std::optional<PeakStats> Peaks;
  if (WithStacks || !Whole)
    Peaks.emplace(S);
  std::vector<std::vector<uint32_t>> HeapsOf(T.devices().size() + 1);
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id)
    HeapsOf[T.heap(Id).Space].push_back(Id);
  auto HasProcess = [&](uint32_t Process) { return Sel.hasProcess(Process); };
  const std::vector<CensusSum> Old = censusSums(T, HasProcess);
  std::vector<HeapOverview> Out;
  for (uint32_t Space = 0; Space <= T.devices().size(); ++Space) {
    HeapOverview D;
    D.Space = Space;
    D.Stats = T.spaceStats(Space);
    if (WithStacks)
      D.AtPeak = Peaks->ofSpace(Space, Top);
    leaveOut(D, Old, T);
    finish(D, T);
    size_t At = Out.size();
    for (bool InTotals : {true, false})
      for (uint32_t Id : HeapsOf[Space]) {
        const Heap &Of = T.heap(Id);
        bool Counts = !(Of.Flags & HF_OutsideTotals);
        if (Counts != InTotals || (Sel.isOuterView() && !Sel.hasHeap(Id)))
          continue;
        HeapOverview H;
        H.Heap = Id;
        H.Space = Space;
        H.InTotals = InTotals;
        const HeapStats &All = T.heapStats(Id);
        H.Stats = All;
        if (!Whole) {
          H.Stats = Peaks->sums(Id);
          H.Stats.PeakTimeNs = All.PeakTimeNs;
        }
        if (!H.Stats.Allocations && !H.Stats.PeakBytes && !H.Stats.LiveBytes)
          continue;
        if (Whole)
          H.Sizes = All.Sizes;
        if (WithStacks)
          H.AtPeak = Peaks->ofHeap(Id, Top);
        leaveOut(H, Old, T);
        finish(H, T);
        Out.push_back(std::move(H));
      }
    bool HasAny = Out.size() != At || D.Stats.PeakBytes;
    if (HasAny && !Sel.isOuterView() && Whole)
      Out.insert(Out.begin() + At, std::move(D));
  }
  return Out;
}

} // namespace memkit
