// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that layers hold in each step.

#include "memkit/Analysis/LayerSteps.h"
#include "Model/Names/TensorHeapName.h"
#include "Model/Replay/ReplayProgress.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/Replay.h"
#include "memkit/Model/TimePoints.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// Sums live bytes by layer, and remembers the sums at the highest total since
/// the last step.
class PeakSums {
public:
  explicit PeakSums(size_t Layers) : Live(Layers), AtPeak(Layers) {}

  void change(uint32_t Layer, int64_t Bytes, uint64_t TimeNs) {
    Live[Layer] += Bytes;
    Total += Bytes;
    Since.push_back({Layer, Bytes});
    if (Total > Peak) {
      Peak = Total;
      PeakNs = TimeNs;
      apply();
    } else if (Since.size() > 2 * Live.size() + FewChanges) {
      compact();
    }
  }
  /// The peak of the next step begins at the sums of now.
  void startStep(uint64_t TimeNs) {
    AtPeak = Live;
    Since.clear();
    Peak = Total;
    PeakNs = TimeNs;
  }
  ArrayRef<int64_t> atPeak() const { return AtPeak; }
  uint64_t peakNs() const { return PeakNs; }

private:
  static constexpr size_t FewChanges = 256;
  struct LayerChange {
    uint32_t Layer;
    int64_t Bytes;
  };
  void apply() {
    for (LayerChange C : Since)
      AtPeak[C.Layer] += C.Bytes;
    Since.clear();
  }
  /// Without a new peak for long, sums by layer are shorter than the list.
  void compact() {
    std::map<uint32_t, int64_t> Sums;
    for (LayerChange C : Since)
      Sums[C.Layer] += C.Bytes;
    Since.clear();
    for (auto [Layer, Bytes] : Sums)
      if (Bytes)
        Since.push_back({Layer, Bytes});
  }

  std::vector<int64_t> Live, AtPeak; ///< by layer
  std::vector<LayerChange> Since;    ///< changes since the peak
  int64_t Total = 0, Peak = 0;
  uint64_t PeakNs = 0;
};

class LayerStepsReader {
public:
  LayerStepsReader(const Trace &T, uint32_t Space, size_t MaxSteps) : T(T) {
    chooseHeaps(Space);
    chooseSteps();
    Every = std::max<size_t>((Steps.size() + MaxSteps - 1) / MaxSteps, 1);
    nameScopePaths();
  }
  Error read();
  LayerSteps finish(size_t MaxLayers);

private:
  void chooseHeaps(uint32_t Space);
  void chooseSteps();
  void nameScopePaths();
  void take(const ReplayedEvent &E);
  void endStep();

  const Trace &T;
  BitVector Counts; ///< by heap
  uint32_t Process = 0;
  std::vector<StepReport> Steps;          ///< of Process
  std::vector<uint32_t> Names{0};         ///< of layers; 0: in no layer
  std::vector<uint32_t> LayerOfScopePath; ///< an index in Names
  size_t Next = 0;                        ///< the step that starts next
  size_t Every = 1;                       ///< one step of so many is kept
  DenseMap<uint64_t, uint64_t> Sizes;     ///< of live blocks
  std::optional<PeakSums> Sums;
  std::vector<uint64_t> PeakNs;           ///< by step
  std::vector<std::vector<int64_t>> Held; ///< by step, then layer
};
} // namespace

void LayerStepsReader::chooseHeaps(uint32_t Space) {
  Counts.resize(T.heaps().size() + 1);
  for (uint32_t Id = 1; Id < Counts.size(); ++Id)
    Counts[Id] = T.heap(Id).Space == Space && isTensorHeapName(T.heapName(Id));
  if (Counts.any())
    return;
  for (uint32_t Id = 1; Id < Counts.size(); ++Id)
    Counts[Id] = T.heap(Id).Space == Space && !T.heap(Id).Parent &&
                 !(T.heap(Id).Flags & HF_OutsideTotals);
}

void LayerStepsReader::chooseSteps() {
  std::vector<StepReport> All = querySteps(T);
  std::map<uint32_t, size_t> Number;
  for (const StepReport &S : All)
    ++Number[S.Process];
  for (auto [Id, Count] : Number)
    if (!Process || Count > Number[Process])
      Process = Id;
  copy_if(All, std::back_inserter(Steps),
          [&](const StepReport &S) { return S.Process == Process; });
  llvm::sort(Steps, [](const StepReport &A, const StepReport &B) {
    return A.BeginNs < B.BeginNs;
  });
}

void LayerStepsReader::nameScopePaths() {
  LayerOfScopePath.resize(T.scopePaths().size() + 1);
  DenseMap<uint32_t, uint32_t> Known;
  // A parent's id is lower.
  for (uint32_t Id = 1; Id < LayerOfScopePath.size(); ++Id) {
    const ScopePath &P = T.scopePaths()[Id - 1];
    const ScopeRecord &S = T.scopes()[P.Scope - 1];
    LayerOfScopePath[Id] = LayerOfScopePath[P.Parent];
    if (S.Kind != ScopeKind::Layer)
      continue;
    auto [At, New] = Known.try_emplace(S.Name, Names.size());
    if (New)
      Names.push_back(S.Name);
    LayerOfScopePath[Id] = At->second;
  }
  Sums.emplace(Names.size());
}

void LayerStepsReader::endStep() {
  // Before the first step nothing is kept.
  if (Next != 0 && (Next - 1) % Every == 0) {
    Held.emplace_back(Sums->atPeak());
    PeakNs.push_back(Sums->peakNs());
  }
}

void LayerStepsReader::take(const ReplayedEvent &E) {
  while (Next != Steps.size() && E.TimeNs >= Steps[Next].BeginNs) {
    endStep();
    Sums->startStep(Steps[Next++].BeginNs);
  }
  bool IsFree = E.Kind == EventKind::Free;
  uint64_t &Known = Sizes[E.Block];
  uint64_t Before = Known, After = IsFree ? 0 : E.Size;
  if (IsFree)
    Sizes.erase(E.Block);
  else
    Known = After;
  uint32_t Layer =
      E.ScopePath < LayerOfScopePath.size() ? LayerOfScopePath[E.ScopePath] : 0;
  if (After != Before)
    Sums->change(Layer, int64_t(After) - int64_t(Before), E.TimeNs);
}

Error LayerStepsReader::read() {
  if (Steps.empty())
    return Error::success();
  if (Error E = requireEvents(T, "the layers of each step need"))
    return E;
  ReplayOptions Options;
  Options.Select = [&](const Allocation &B) {
    return B.Process == Process && Counts[B.Heap];
  };
  Options.OnEvent = [&](const ReplayedEvent &E) {
    take(E);
    return true;
  };
  ReplayProgress Bar(T.onProgress(), T.reader());
  Expected<std::unique_ptr<Replay>> R =
      Replay::create(T.reader(), std::move(Options), &Bar);
  if (!R)
    return R.takeError();
  if (Error E = (*R)->run())
    return E;
  endStep();
  return Error::success();
}

LayerSteps LayerStepsReader::finish(size_t MaxLayers) {
  LayerSteps Out;
  Out.Process = Process;
  // Steps without a later event have no values.
  for (size_t I = 0; I != Held.size(); ++I) {
    Out.Steps.push_back(Steps[I * Every].Step);
    Out.StepNs.push_back(PeakNs[I]);
  }
  Out.LeftOutSteps = Steps.size() - Out.Steps.size();
  struct RankedLayer {
    uint32_t Layer;
    int64_t Most;
  };
  std::vector<RankedLayer> Order;
  for (uint32_t L = 1; L < Names.size(); ++L) {
    int64_t Most = 0;
    for (const std::vector<int64_t> &Of : Held)
      Most = std::max(Most, Of[L]);
    if (Most)
      Order.push_back({L, Most});
  }
  stable_sort(Order, [](const RankedLayer &A, const RankedLayer &B) {
    return A.Most > B.Most;
  });
  size_t Kept = std::min(MaxLayers, Order.size());
  Out.LeftOutLayers = Order.size() - Kept;
  for (const RankedLayer &R : ArrayRef(Order).take_front(Kept)) {
    Out.Layers.push_back(Names[R.Layer]);
    std::vector<uint64_t> &Row = Out.Bytes.emplace_back();
    for (const std::vector<int64_t> &Of : Held)
      Row.push_back(uint64_t(std::max<int64_t>(Of[R.Layer], 0)));
  }
  return Out;
}

Expected<LayerSteps> readLayerSteps(const Trace &T, uint32_t Space,
                                    size_t MaxLayers, size_t MaxSteps) {
  LayerStepsReader R(T, Space, MaxSteps);
  if (Error E = R.read())
    return std::move(E);
  return R.finish(MaxLayers);
}

} // namespace memkit
