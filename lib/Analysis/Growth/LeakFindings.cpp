// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All findings of memleak.

#include "memkit/Analysis/LeakFindings.h"
#include "LeakLayers.h"
#include "Model/Query/ArenaStacks.h"
#include "memkit/Analysis/GrowthLines.h"
#include "memkit/Model/LiveBlocks.h"
#include "memkit/Model/Replay.h"
#include "memkit/Model/StackKeys.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace llvm;

namespace memkit {

namespace {
/// Finds leaks from intervals and blocks.
class OverTime {
public:
  OverTime(const SelectedStats &S, const LeakOptions &Options, LeakFindings &R)
      : S(S), T(S.trace()), Options(Options), R(R) {}
  Error run(const Suppressions &Hidden, const Suppressions &ByDefault);
  void gather();
  Error findLayers();

private:
  Error findOutside();
  Error findLayersOfFreed();
  Error findOutliers(IntervalSeries &Intervals);
  bool isBelowGrowth(const Outlier &O, const ArenaStacks &Of) const;
  void suppress(const Suppressions &Hidden, const Suppressions &ByDefault);
  LeakFinding &add(LeakKinds Kind, uint32_t Heap, uint32_t Stack);

  const SelectedStats &S;
  const Trace &T;
  const LeakOptions &Options;
  LeakFindings &R;
};
} // namespace

Error OverTime::run(const Suppressions &Hidden, const Suppressions &ByDefault) {
  auto Intervals = IntervalSeries::create(S);
  if (!Intervals)
    return Intervals.takeError();
  R.HasLifetimes = (*Intervals)->hasLifetimes();
  R.HasSteps = (*Intervals)->hasSteps();
  if (Options.Kinds & FK_Growth) {
    Expected<GrowthReport> Found = findGrowth(**Intervals, S, Options.Growth);
    if (!Found)
      return Found.takeError();
    R.Growth = std::move(*Found);
    R.LooksForGrowth = true;
    if (Error E = findOutside())
      return E;
  }
  if (Options.Kinds & FK_Outlier)
    if (Error E = findOutliers(**Intervals))
      return E;
  suppress(Hidden, ByDefault);
  return Error::success();
}

/// Whether the heap may grow, by its totals: most programs map their files
/// first, and then no more.
static bool mayGrow(const Trace &T, uint32_t Heap) {
  constexpr uint64_t MinBytes = 1 << 20, MinBlocks = 8;
  const HeapStats &H = T.heapStats(Heap);
  return T.heap(Heap).Flags & HF_OutsideTotals && H.PeakBytes >= MinBytes &&
         H.PeakBlocks >= MinBlocks && H.PeakTimeNs > T.endNs() / 10 * 7;
}

/// The text of the first line that grows by step, or by time.
static std::string mostRisingLine(const SelectedStats &S,
                                  const GrowthReport &Found, bool HasSteps) {
  Places Where(S);
  for (const LineGrowth &L : growthLines(S, Where, Found))
    if (L.isGrowing() && L.HasSteps == HasSteps)
      return Where.text(L.Where);
  return "";
}

/// Looks whether heaps outside of the totals grow.
Error OverTime::findOutside() {
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap) {
    if (S.selection().isOuterView() || !mayGrow(T, Heap))
      continue;
    SelectionSpec Spec;
    Spec.Heaps = {T.heapName(Heap).str()};
    Expected<Selection> Sel = Selection::create(T, Spec);
    if (!Sel)
      return Sel.takeError();
    Expected<SelectedStats> Of = SelectedStats::create(T, std::move(*Sel));
    if (!Of)
      return Of.takeError();
    Expected<GrowthReport> Found = findGrowth(*Of);
    if (!Found)
      return Found.takeError();
    // A program has steps, and its helpers may have none.
    OutsideRise BySteps, ByTime;
    BySteps.Heap = ByTime.Heap = Heap;
    BySteps.HasSteps = true;
    for (const Growth &G : Found->Found)
      if (G.Word != GrowthWord::Grew) {
        OutsideRise &To = Found->Spans[G.Span].HasSteps ? BySteps : ByTime;
        To.Rate += G.Rate;
        To.Rise += G.Rise;
      }
    for (OutsideRise *Sum : {&BySteps, &ByTime})
      if (Sum->Rise) {
        Sum->Line = mostRisingLine(*Of, *Found, Sum->HasSteps);
        R.Outside.push_back(std::move(*Sum));
      }
  }
  return Error::success();
}

/// Whether a growth finding already reports the outlier.
bool OverTime::isBelowGrowth(const Outlier &O, const ArenaStacks &Of) const {
  return any_of(R.Growth.Found, [&](const Growth &G) {
    if (G.Heap != O.Heap || R.Growth.Spans[G.Span].Process != O.Process)
      return false;
    if (G.IsArenas)
      return Of.isArena(O.Stack);
    uint32_t N = T.view().leaf(O.Stack);
    while (N && N != G.Node)
      N = T.view().parent(N);
    return N == G.Node;
  });
}

Error OverTime::findOutliers(IntervalSeries &Intervals) {
  OutlierFinder Finder(S);
  if (!Finder.hasCandidates() || !hasLastBlocks(T))
    return Error::success();
  if (Error E = forEachLastBlock(
          S, [&](uint32_t Process, uint64_t EndNs, const LiveBlock &B) {
            Finder.add(Process, EndNs, B);
          }))
    return E;
  Expected<std::vector<Outlier>> Found = Finder.find(Intervals);
  if (!Found)
    return Found.takeError();
  R.Outliers = std::move(*Found);
  ArenaStacks Of(S);
  erase_if(R.Outliers, [&](const Outlier &O) { return isBelowGrowth(O, Of); });
  return Error::success();
}

void OverTime::suppress(const Suppressions &Hidden,
                        const Suppressions &ByDefault) {
  if (R.Growth.Found.empty() && R.Outliers.empty())
    return;
  std::vector<uint32_t> HiddenBy, DefaultBy;
  if (!Hidden.empty())
    HiddenBy = Hidden.matchNodes(T);
  if (!ByDefault.empty())
    DefaultBy = ByDefault.matchNodes(T);
  auto IsHidden = [&](const auto &F) {
    // Memory kept once by design is not kept repeatedly by design.
    constexpr bool Grows = std::is_same_v<std::decay_t<decltype(F)>, Growth>;
    // A pattern names lines, which are irrelevant to arenas.
    if constexpr (Grows)
      if (F.IsArenas)
        return false;
    uint32_t Leaf = T.leaf(F.Stack);
    uint32_t Pattern = HiddenBy.empty() ? 0 : HiddenBy[Leaf];
    if (Pattern)
      ++R.Exit.Suppressed[Pattern - 1].Others;
    else if (!Grows && !DefaultBy.empty() && DefaultBy[Leaf])
      ++R.Exit.ByDefault.Others;
    else
      return false;
    return true;
  };
  erase_if(R.Growth.Found, IsHidden);
  erase_if(R.Outliers, IsHidden);
}

LeakFinding &OverTime::add(LeakKinds Kind, uint32_t Heap, uint32_t Stack) {
  LeakFinding &F = R.All.emplace_back();
  F.Kind = Kind;
  F.Heap = Heap;
  F.Stack = Stack;
  F.Node = T.view().leaf(Stack);
  return F;
}

/// Collects all findings in one list.
void OverTime::gather() {
  for (const Leak &L : R.Exit.Leaks) {
    LeakFinding &F = add(FK_Exit, L.Heap, L.Stack);
    F.Bytes = L.Bytes;
    F.Blocks = L.Blocks;
    F.Variance = L.Variance;
  }
  for (uint32_t I = 0; I != R.Growth.Found.size(); ++I) {
    const Growth &G = R.Growth.Found[I];
    LeakFinding &F = add(FK_Growth, G.Heap, G.Stack);
    F.Node = G.Node;
    F.IsArenas = G.IsArenas;
    F.Bytes = G.Bytes;
    F.Blocks = G.Blocks;
    F.Place = I;
  }
  for (uint32_t I = 0; I != R.Outliers.size(); ++I) {
    const Outlier &O = R.Outliers[I];
    LeakFinding &F = add(FK_Outlier, O.Heap, O.Stack);
    F.Bytes = O.Bytes;
    F.Blocks = O.Blocks;
    F.Place = I;
  }
}

Error OverTime::findLayers() {
  if (R.All.empty() || !LeakLayers::areIn(T) || !hasLastBlocks(T))
    return Error::success();
  LeakLayers Layers(T, R.All);
  if (Error E = forEachLastBlock(
          S, [&](uint32_t Process, uint64_t, const LiveBlock &B) {
            if (!T.wasReplaced(Process))
              Layers.add(B);
          }))
    return E;
  Layers.finish();
  return findLayersOfFreed();
}

/// Sets the layers of findings that grew and were freed at exit, from the
/// blocks that lived before the exit.
Error OverTime::findLayersOfFreed() {
  std::map<uint64_t, std::vector<LeakFinding>> At; ///< by the end of the span
  for (const LeakFinding &F : R.All)
    if (F.Kind == FK_Growth && R.Growth.Found[F.Place].FreedAtExit)
      At[R.Growth.Spans[R.Growth.Found[F.Place].Span].EndNs].push_back(F);
  for (auto &[EndNs, Findings] : At) {
    LeakLayers Layers(T, Findings);
    TimePoint M;
    M.TimeNs = EndNs;
    if (Error E = replayTo(T, S.selection(), M, "layers need",
                           [&](uint32_t Process, const Replay &Run) {
                             Run.forEachLive(Process,
                                             [&](const LiveBlock &B, uint32_t) {
                                               Layers.add(B);
                                             });
                             return Error::success();
                           }))
      return E;
    Layers.finish();
    for (const LeakFinding &F : Findings)
      for (LeakFinding &Of : R.All)
        if (Of.Kind == FK_Growth && Of.Place == F.Place)
          Of.Layer = F.Layer, Of.Layers = F.Layers;
  }
  return Error::success();
}

/// Sets the names that hold the blocks of findings.
static Error findHolders(const SelectedStats &S, LeakFindings &R) {
  const Trace &T = S.trace();
  Expected<HeldBlocks> Held = findHeldBlocks(T);
  if (!Held)
    return Held.takeError();
  R.Searches = std::move(Held->Searches);
  if (Held->Blocks.empty() || R.All.empty())
    return Error::success();
  FindingIndex Index(T, R.All);
  std::vector<std::vector<HeldBlock>> Of(R.All.size());
  for (const HeldBlock &B : Held->Blocks)
    if (S.selection().hasProcess(B.Process))
      Index.forEachOf(B.Heap, B.Stack,
                      [&](uint32_t Place) { Of[Place].push_back(B); });
  for (size_t I = 0; I != Of.size(); ++I)
    R.All[I].HeldBy = commonPaths(T, Of[I]);
  return Error::success();
}

Expected<LeakFindings> findAllLeaks(const SelectedStats &S,
                                    const LeakOptions &Options,
                                    const Suppressions &Hidden,
                                    const Suppressions &ByDefault) {
  LeakFindings R;
  for (const std::string &Pattern : Hidden.patterns())
    R.Exit.Suppressed.push_back({Pattern, 0, 0, 0, 0, 0});
  if (Options.Kinds & FK_Exit)
    R.Exit = findLeaks(S, Hidden, ByDefault);
  OverTime Finder(S, Options, R);
  if (Options.Kinds & ~FK_Exit)
    if (Error E = Finder.run(Hidden, ByDefault))
      return std::move(E);
  Finder.gather();
  if (Error E = Finder.findLayers())
    return std::move(E);
  if (Error E = findHolders(S, R))
    return std::move(E);
  return R;
}

//===----------------------------------------------------------------------===//
// Baseline
//===----------------------------------------------------------------------===//

static bool isLeak(const LeakFinding &F, const LeakFindings &R) {
  return F.Kind == FK_Growth &&
         R.Growth.Found[F.Place].Word == GrowthWord::Leak;
}

/// The name of a finding, equal in other traces. A leak is new where the memory
/// only grew before.
static std::string nameOf(const LeakFinding &F, bool IsLeak, const Trace &T,
                          ArrayRef<uint64_t> Keys) {
  std::string Where = F.IsArenas ? "arenas" : std::to_string(Keys[F.Node]);
  return (Twine(F.Kind) + (IsLeak ? " leak " : " ") + Where + " " +
          T.heapName(F.Heap))
      .str();
}

void keepNew(LeakFindings &R, const Trace &T, const LeakFindings &Old,
             const Trace &OldTrace) {
  StringSet<> Known;
  MainNames Mains(OldTrace, T);
  KeyRules Rules, OldRules;
  OldRules.Mains = &Mains;
  StringSet<> Moved = movedBinaries({&T, &OldTrace}, {Rules, OldRules});
  Rules.Moved = OldRules.Moved = &Moved;
  std::vector<uint64_t> Keys =
      nodeKeys(OldTrace, SameFrame::Function, OldRules);
  for (const LeakFinding &F : Old.All) {
    Known.insert(nameOf(F, /*IsLeak=*/false, OldTrace, Keys));
    if (isLeak(F, Old))
      Known.insert(nameOf(F, /*IsLeak=*/true, OldTrace, Keys));
  }
  Keys = nodeKeys(T, SameFrame::Function, Rules);
  LeakFindings Kept = std::move(R);
  R = Kept;
  R.All.clear();
  R.Exit.Leaks.clear();
  R.Growth.Found.clear();
  R.Outliers.clear();
  for (size_t I = 0; I != Kept.All.size(); ++I) {
    LeakFinding F = Kept.All[I];
    if (Known.contains(nameOf(F, isLeak(F, Kept), T, Keys))) {
      ++R.InBaseline;
      R.GrowthInBaseline += F.Kind == FK_Growth;
      continue;
    }
    auto Move = [&](auto &From, auto &To, size_t At) {
      F.Place = To.size();
      To.push_back(From[At]);
    };
    if (F.Kind == FK_Exit)
      Move(Kept.Exit.Leaks, R.Exit.Leaks, I);
    else if (F.Kind == FK_Growth)
      Move(Kept.Growth.Found, R.Growth.Found, F.Place);
    else
      Move(Kept.Outliers, R.Outliers, F.Place);
    R.All.push_back(F);
  }
  sumLeaks(T, R.Exit);
}

} // namespace memkit
