// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions for using less memory.

#include "memkit/Analysis/Suggestions.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

/// Whether Part is at least Ppm millionths of Whole.
static bool isShare(uint64_t Part, uint64_t Whole, uint32_t Ppm) {
  return Whole && double(Part) >= double(Whole) * Ppm / 1e6;
}

/// The peak of what a heap is a part of: of the memory space, or of the heap
/// itself if the space's totals leave it out.
static uint64_t wholePeak(const Trace &T, uint32_t Id) {
  const Heap &H = T.heap(Id);
  return H.Flags & HF_OutsideTotals ? T.heapStats(Id).PeakBytes
                                    : T.spaceStats(H.Space).PeakBytes;
}

//===----------------------------------------------------------------------===//
// From the rows of stacks
//===----------------------------------------------------------------------===//

namespace {
/// Values of the rows of a stack in a heap, over all processes.
struct MergedStack {
  uint64_t Allocations = 0, Blocks = 0, LiveBlocks = 0, Bytes = 0;
  bool Frees = false;
};
} // namespace

std::vector<HeapStack> findCaches(const SelectedStats &S) {
  constexpr size_t Max = 16;
  const Trace &T = S.trace();
  std::vector<uint64_t> Peaks(1);
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    Peaks.push_back(wholePeak(T, Heap));
  std::map<HeapStack, MergedStack> Found;
  S.forEach([&](uint32_t Process, const StackStats &R) {
    uint64_t Frees = R.Allocations + R.Splits - R.LiveBlocks;
    bool IsLarge = isShare(R.LiveExclusive, Peaks[R.Heap], limits::CachePpm);
    if (Frees || !IsLarge || R.Allocations < limits::CacheBlocks ||
        R.LiveExclusive < limits::MinBytes || T.wasReplaced(Process))
      return;
    Found[{R.Heap, R.Key}].Bytes += R.LiveExclusive;
  });
  std::vector<std::pair<HeapStack, MergedStack>> Sorted(Found.begin(),
                                                        Found.end());
  stable_sort(Sorted, [](const auto &A, const auto &B) {
    return A.second.Bytes > B.second.Bytes;
  });
  std::vector<HeapStack> Out;
  for (const auto &[Key, Sum] : ArrayRef(Sorted).take_front(Max))
    Out.push_back(Key);
  return Out;
}

/// Whether the rises are spread over a part of the run and reach its end: what
/// is loaded, or made in one step, is no cache, nor is a table that is full.
static bool goesOn(const StackChanges &C, uint64_t Intervals) {
  return C.RisesLate &&
         C.LastRise - std::min(C.FirstRise, C.LastRise) >= Intervals / 4 &&
         C.LastRise + 1 >= Intervals - Intervals / 4;
}

namespace {
/// Collects the suggestions that apply.
class Advisor {
public:
  Advisor(const SelectedStats &S, const MarkSeries &Marks,
          const LiveSeries &Live)
      : S(S), T(S.trace()), Marks(Marks), Live(Live) {}

  std::vector<Suggestion> run(ArrayRef<HeapStack> Caches) {
    readRows(Caches);
    for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id)
      if (S.selection().hasHeap(Id)) {
        adviseSegments(Id);
        advisePinned(Id);
        adviseTemporaries(Id);
      }
    adviseCaches(Caches);
    adviseCategories();
    adviseWorkers();
    erase_if(Out, [&](const Suggestion &A) {
      uint64_t Peak = A.Heap ? wholePeak(T, A.Heap) : 0;
      return Peak && !isShare(A.Bytes, Peak, limits::WorthPpm);
    });
    stable_sort(Out, [](const Suggestion &A, const Suggestion &B) {
      return A.Bytes > B.Bytes;
    });
    return std::move(Out);
  }

private:
  Suggestion &add(Advice What, uint32_t Heap, uint64_t Bytes, uint64_t Whole) {
    Suggestion &New = Out.emplace_back();
    New.What = What;
    New.Heap = Heap;
    New.Bytes = Bytes;
    New.Whole = Whole;
    return New;
  }

  /// Temporaries of a heap, and the stack with most of them.
  struct Passing {
    double Bytes = 0;
    uint64_t Max = 0;
    uint32_t Stack = 0;
  };

  void readRows(ArrayRef<HeapStack> Caches) {
    Temporaries.resize(T.heaps().size() + 1);
    for (HeapStack Key : Caches)
      CacheBytes[Key] = 0;
    S.forEach([&](uint32_t Process, const StackStats &R) {
      if (R.Temporaries && R.Allocations) {
        Passing &P = Temporaries[R.Heap];
        P.Bytes += double(R.AllocatedBytes) / double(R.Allocations) *
                   double(R.Temporaries);
        if (P.Max < R.Temporaries) {
          P.Max = R.Temporaries;
          P.Stack = R.Key;
        }
      }
      if (auto It = CacheBytes.find({R.Heap, R.Key}); It != CacheBytes.end())
        It->second += T.wasReplaced(Process) ? 0 : R.LiveExclusive;
    });
  }

  void adviseSegments(uint32_t Id) {
    const HeapStats &H = T.heapStats(Id);
    if (!H.ReservedKnown || !T.heapName(Id).starts_with("torch.cuda") ||
        H.ReservedPeakBytes <= H.PeakBytes)
      return;
    uint64_t Unused = H.ReservedPeakBytes - H.PeakBytes;
    if (Unused < limits::MinBytes ||
        !isShare(Unused, H.ReservedPeakBytes, limits::UnusedPpm) ||
        H.GrowthFragmentationPpm < limits::UnusedPpm)
      return;
    add(Advice::ExpandableSegments, Id, Unused, H.ReservedPeakBytes).Ppm =
        H.GrowthFragmentationPpm;
  }

  void advisePinned(uint32_t Id) {
    const HeapStats &H = T.heapStats(Id);
    // PyTorch keeps its blocks of pinned memory when they are freed.
    if (!T.heapName(Id).contains("pinned") ||
        T.heapName(Id).starts_with("torch.") ||
        H.AllocatedBytes < limits::MinBytes || H.PeakBytes == 0 ||
        H.AllocatedBytes / limits::PinnedTurns < H.PeakBytes ||
        H.Frees < limits::PinnedFrees)
      return;
    Suggestion &New = add(Advice::PinnedReuse, Id,
                          H.AllocatedBytes - H.PeakBytes, H.AllocatedBytes);
    New.Count = H.Frees;
    New.OutOf = H.Allocations;
  }

  void adviseTemporaries(uint32_t Id) {
    const HeapStats &H = T.heapStats(Id);
    if (H.Allocations < limits::ManyAllocations ||
        !isShare(H.Temporaries, H.Allocations, limits::TemporaryPpm))
      return;
    const Passing &P = Temporaries[Id];
    // Many small ones take little of the time that the heap's blocks take.
    if (!isShare(wholeBytes(P.Bytes), H.AllocatedBytes, limits::ChurnPpm))
      return;
    Suggestion &New =
        add(Advice::Temporaries, Id, wholeBytes(P.Bytes), H.AllocatedBytes);
    New.Count = H.Temporaries;
    New.OutOf = H.Allocations;
    New.Stack = P.Stack;
  }

  void adviseCaches(ArrayRef<HeapStack> Caches) {
    for (HeapStack Key : Caches) {
      auto It = Live.Stacks.find(Key);
      if (It == Live.Stacks.end() || It->second.Falls ||
          It->second.Rises < limits::CacheRises ||
          !goesOn(It->second, Live.Intervals))
        continue;
      auto [Heap, Stack] = Key;
      Suggestion &New =
          add(Advice::NeverShrinks, Heap, CacheBytes[Key], wholePeak(T, Heap));
      New.Count = It->second.Rises;
      New.OutOf = Live.Intervals;
      New.Stack = Stack;
    }
  }

  void adviseCategories() {
    std::map<uint32_t, std::vector<CategorySum>> ByHeap;
    for (CategorySum &K : queryCategories(T))
      if (S.selection().hasHeap(K.Heap))
        ByHeap[K.Heap].push_back(std::move(K));
    for (auto &[Heap, Categories] : ByHeap)
      adviseCategories(Heap, Categories);
  }

  /// Categories: of one heap, the largest first.
  void adviseCategories(uint32_t Heap, ArrayRef<CategorySum> Categories) {
    const uint64_t Peak = T.heapStats(Heap).PeakBytes;
    auto BytesOf = [&](TensorCategory Category) {
      uint64_t Bytes = 0;
      for (const CategorySum &K : Categories)
        Bytes += K.Category == Category ? K.Bytes : 0;
      return Bytes;
    };
    uint64_t Gradients = BytesOf(TensorCategory::Gradient);
    // More than the parameters have: gradients of activations.
    uint64_t Parameters = BytesOf(TensorCategory::Parameter);
    if (Gradients >= limits::MinBytes &&
        isShare(Gradients, Parameters, limits::GradientPpm) &&
        Gradients <= Parameters + Parameters / 10 &&
        BytesOf(TensorCategory::Activation) >= Gradients &&
        !accumulates(Categories))
      add(Advice::GradientsToNone, Heap, Gradients, Peak);
    const CategorySum &Largest = Categories.front();
    if (Largest.Category == TensorCategory::OptimizerState &&
        Largest.Bytes >= limits::MinBytes)
      add(Advice::OptimizerState, Heap, Largest.Bytes, Peak);
    for (const CategorySum &K : Categories)
      if (K.Category == TensorCategory::Activation)
        adviseLayer(Heap, K, Peak);
  }

  /// Whether steps of the optimizer have several backward passes each: the
  /// gradients between the passes are needed. A pass adds once to each
  /// gradient.
  bool accumulates(ArrayRef<CategorySum> Categories) const {
    uint64_t Additions = 0, Steps = 0, Gradients = 0;
    for (const LayerStats &L : T.summary().Layers) {
      if (!S.selection().hasProcess(L.Process))
        continue;
      StringRef Name = T.string(L.Name);
      if (L.Kind == ScopeKind::Operator && L.Backward &&
          Name == "torch::autograd::AccumulateGrad")
        Additions += L.Calls;
      if (L.Kind == ScopeKind::Range && Name.starts_with("Optimizer.step#"))
        Steps += L.Calls;
    }
    for (const CategorySum &K : Categories)
      if (K.Category == TensorCategory::Gradient)
        Gradients += K.Blocks;
    // The last pass may come before its step.
    return Steps && Gradients &&
           Additions >= Gradients * std::max(Steps + 2, Steps + Steps / 2);
  }

  void adviseLayer(uint32_t Heap, const CategorySum &Activations,
                   uint64_t Peak) {
    for (const CategorySum::Layer &L : Activations.Layers) {
      if (!L.Name)
        continue;
      // The largest comes first.
      if (L.Bytes >= limits::MinBytes &&
          isShare(L.Bytes, Peak, limits::LayerPpm) && !isOneResult(Heap, L))
        add(Advice::Checkpoint, Heap, L.Bytes, Peak).Layer = L.Name;
      return;
    }
  }

  /// Whether the activations of a layer are the one result of one operator in
  /// each call. To recompute the result, the operator needs its input instead:
  /// often as many bytes.
  bool isOneResult(uint32_t Heap, const CategorySum::Layer &L) const {
    uint64_t Calls = 0;
    for (const LayerStats &Of : T.summary().Layers)
      if (Of.Kind == ScopeKind::Layer && !Of.Backward && Of.Name == L.Name)
        Calls += Of.Calls;
    StackStats Largest = largestOperator(Heap, L.Name);
    return isShare(Largest.HeapPeakBytes, L.Bytes, limits::OneResultPpm) &&
           Largest.Allocations <= Calls;
  }

  /// The scope path in a layer's forward pass with most bytes at the heap's
  /// peak.
  StackStats largestOperator(uint32_t Heap, uint32_t Layer) const {
    std::map<uint32_t, StackStats> ByPath;
    for (const PackedRows &Rows : T.scopeRows())
      for (size_t I = 0; I != Rows.size(); ++I) {
        if (Rows.heap(I) != Heap || !isForwardOf(Rows.key(I), Layer))
          continue;
        StackStats R = Rows[I];
        ByPath[R.Key].HeapPeakBytes += R.HeapPeakBytes;
        ByPath[R.Key].Allocations += R.Allocations;
      }
    StackStats Largest;
    for (const auto &[Path, R] : ByPath)
      if (R.HeapPeakBytes > Largest.HeapPeakBytes)
        Largest = R;
    return Largest;
  }

  /// Whether Layer is the innermost layer of a scope path outside the backward
  /// pass.
  bool isForwardOf(uint32_t ScopePath, uint32_t Layer) const {
    bool IsInner = false, IsOf = false;
    for (; ScopePath; ScopePath = T.scopePaths()[ScopePath - 1].Parent) {
      const ScopeRecord &In =
          T.scopes()[T.scopePaths()[ScopePath - 1].Scope - 1];
      if (In.Kind == ScopeKind::Phase && T.string(In.Name) == "backward")
        return false;
      if (In.Kind != ScopeKind::Layer || IsInner)
        continue;
      IsInner = true;
      IsOf = In.Name == Layer;
    }
    return IsOf;
  }

  /// The most private memory that a worker is known to have made itself: live
  /// blocks, and what its allocators keep of freed blocks.
  uint64_t ownOf(const ProcessStats &Worker) const {
    const ResidentSeries &Parts = Marks.Residents[Worker.Process];
    if (Parts.empty())
      return Worker.PeakBytes;
    auto FreeOf = [](const ResidentSample &R) {
      return R.of(ResidentPart::MallocFree) + R.of(ResidentPart::ObjectFree);
    };
    return SaturatingAdd(Worker.PeakBytes, std::max(FreeOf(Parts.highest()),
                                                    FreeOf(Parts.last())));
  }

  /// The workers of one parent. Bytes are sums over the workers.
  struct Workers {
    uint64_t Count = 0, Private = 0, Copies = 0, Inherited = 0;
  };

  /// Private pages of a worker are its own memory, and copies of its parent's
  /// pages that the worker or the parent wrote to.
  std::map<uint32_t, Workers> workersByParent() const {
    std::map<uint32_t, Workers> ByParent;
    for (const ProcessStats &I : T.summary().Processes) {
      uint64_t Private = Marks.PrivatePeak[I.Process], Own = ownOf(I);
      if (!S.selection().hasProcess(I.Process) ||
          !T.processName(I.Process).contains("(DataLoader worker") ||
          Private <= Own)
        continue;
      Workers &W = ByParent[T.processes()[I.Process - 1].Parent];
      W.Count += 1;
      W.Private += Private;
      W.Copies += Private - Own;
      if (const ResidentSeries &Parts = Marks.Residents[I.Process];
          !Parts.empty())
        W.Inherited += Parts.highest().of(ResidentPart::Inherited);
    }
    return ByParent;
  }

  /// The copies must be most of the workers' private memory, and a part of
  /// their parent's memory: each worker copies some pages of the interpreter
  /// and of libraries, whatever its data set is.
  void adviseWorkers() {
    for (const auto &[Parent, W] : workersByParent()) {
      if (W.Count < limits::Workers || W.Copies < W.Count * limits::MinBytes ||
          W.Copies < W.Private / 2 ||
          (W.Inherited && !isShare(W.Copies, W.Inherited, limits::CopiedPpm)))
        continue;
      Suggestion &New = add(Advice::WorkersCopy, 0, W.Copies, 0);
      New.Count = W.Count;
      New.Process = Parent;
    }
  }

  const SelectedStats &S;
  const Trace &T;
  const MarkSeries &Marks;
  const LiveSeries &Live;
  std::vector<Passing> Temporaries; ///< by heap
  std::map<HeapStack, uint64_t> CacheBytes;
  std::vector<Suggestion> Out;
};
} // namespace

std::vector<Suggestion> makeSuggestions(const SelectedStats &S,
                                        const MarkSeries &Marks,
                                        const LiveSeries &Live,
                                        ArrayRef<HeapStack> Caches) {
  return Advisor(S, Marks, Live).run(Caches);
}

} // namespace memkit
