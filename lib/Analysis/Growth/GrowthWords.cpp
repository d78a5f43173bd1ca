// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The word for each growth.

#include "BoundedCaches.h"
#include "GrowthEvidence.h"
#include "GrowthFinder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

StringRef growthWordName(GrowthWord Word) {
  static constexpr StringLiteral Names[] = {"leak", "grows", "grew"};
  return Names[static_cast<size_t>(Word)];
}

StringRef evidenceName(GrowthEvidence Evidence) {
  static constexpr StringLiteral Names[] = {"", "steps", "rounds", "bursts"};
  return Names[static_cast<size_t>(Evidence)];
}

/// The minimum of steps across a leak.
static constexpr uint64_t MinSteps = 6;
/// Rounds of less time may be parts of one.
static constexpr double MinLeakSeconds = 3;
/// A process is idle after this time without a change.
static constexpr double MinIdleSeconds = 2, MinIdlePart = 0.25;
/// Blocks are filled by inner blocks if this part of them is left.
static constexpr double MinLeft = 0.05;
/// A finding is of bounded caches if they have this part of its bytes.
static constexpr double NearlyAll = 0.9;

/// The number of steps from the begin of the growth to its end.
static uint64_t stepsOf(const Growth &G, const GrowthRange &Span) {
  uint64_t First = G.SinceStep ? G.SinceStep : Span.FirstStep;
  return G.UntilStep >= First ? G.UntilStep - First + 1 : 0;
}

/// When the process did nothing more to its end; 0: it went on.
static uint64_t idleSince(const Growth &G, const GrowthRange &Span) {
  uint64_t BeginNs = G.SinceNs ? G.SinceNs : Span.BeginNs;
  double Idle = static_cast<double>(Span.LifeEndNs -
                                    std::min(Span.EndNs, Span.LifeEndNs)) /
                1e9;
  double Growth =
      static_cast<double>(G.UntilNs - std::min(BeginNs, G.UntilNs)) / 1e9;
  return Idle > std::max(MinIdleSeconds, MinIdlePart * Growth) ? Span.EndNs : 0;
}

/// Whether the live bytes stay level in the end, while their blocks are
/// replaced: a queue that is full drops the oldest so seldom that all others
/// seem to survive. Sets when they rose last.
bool GrowthFinder::becomesLevel(GrowthCandidate &C) const {
  if (!C.DropsOld || C.Level.empty())
    return false;
  std::optional<LevelRise> Rise = riseToEnd(C.Level, C.Level.front());
  if (!Rise || !hasStopped(C.Group, *Rise))
    return false;
  const IntervalHead &Last =
      head(C.Group, binsOf(C.Group).afterBin(Rise->To) - 1);
  C.G.UntilNs = Last.EndNs;
  C.G.UntilStep = Last.LastStep;
  return true;
}

/// Growing, Others: live bytes of all that grows in the memory space, and of
/// the rest.
void GrowthFinder::chooseWord(GrowthCandidate &C, ArrayRef<double> Growing,
                              ArrayRef<double> Others) {
  Growth &G = C.G;
  const GrowthRange &Span = Ranges[G.Span];
  EvidenceOf E;
  bool HasStopped = hasStopped(C.Group, C.Course) || becomesLevel(C);
  // What samples see grow is pages: blocks may come and go in them.
  bool IsOfSamples = T.heap(G.Heap).Flags & HF_Samples;
  // A module is imported once. Without steps the imports may be most of a run.
  bool IsImport = isImportAt(T, Own, T.leaf(G.Stack));
  if (C.Survives && !G.IsContainer && !IsOfSamples && G.Bounded.empty() &&
      !HasStopped && !beganLate(C.Group, C.Course) && !IsImport) {
    const GrowthTotals &Totals = SpaceTotals[G.Span];
    if (!Span.HasSteps && secondsOf(C.Group, C.Course) >= MinLeakSeconds)
      E = findEvidence({C.Kept, static_cast<double>(G.RiseBlocks),
                        Totals.Allocated, Growing, Others, C.Course.From,
                        C.Course.To});
    else if (uint64_t Steps = stepsOf(G, Span);
             Span.HasSteps && Steps >= MinSteps)
      E = {GrowthEvidence::Steps, Steps};
  }
  G.Evidence = E.Evidence;
  G.Rounds = E.Count;
  if (E.Evidence != GrowthEvidence::None) {
    G.Word = GrowthWord::Leak;
    G.IdleSinceNs = Span.HasSteps ? 0 : idleSince(G, Span);
  } else if (G.FreedNs || HasStopped || (IsImport && !Span.HasSteps) ||
             hasEnded(C.Group, C.Course)) {
    setGrew(C);
  } else {
    G.Word = GrowthWord::Grows;
  }
}

/// A rise that ended is told if it is large and long.
void GrowthFinder::setGrew(GrowthCandidate &C) const {
  C.G.Word = GrowthWord::Grew;
  C.IsDropped |=
      C.G.Rise < materialBytes(C.Group, MinEnded) || !isLong(C.Group, C.Course);
}

/// Whether a container is full each time with as much of the content, and has
/// room left in the end. Both are live bytes, by bin.
static bool isFilledBy(ArrayRef<double> Container, ArrayRef<double> Content) {
  constexpr size_t Rises = 3; // the last ones; early rises share bins
  constexpr double MaxApart = 1.25;
  SmallVector<double, 16> Full; // content for each byte of the container
  for (size_t I = 1; I != Container.size(); ++I)
    if (Container[I] > 1.001 * Container[I - 1] && Container[I - 1] > 0)
      Full.push_back(Content[I] / Container[I - 1]);
  if (Full.size() < Rises)
    return false;
  auto Last = ArrayRef(Full).take_back(Rises);
  double Least = *min_element(Last), Most = *max_element(Last);
  return Least > 0 && Most <= MaxApart * Least &&
         Content.back() < Least * Container.back();
}

/// The innermost functions of the user's own code.
SmallVector<ShownFrame, 3> GrowthFinder::functionsNear(uint32_t Stack) const {
  SmallVector<ShownFrame, 3> Out;
  for (const ShownFrame &F : T.shownStack(Stack))
    if (Out.size() != 3 && Own.isOwn(F))
      Out.push_back(F);
  return Out;
}

/// Whether both stacks pass one of these functions.
bool GrowthFinder::shareFunction(uint32_t A, uint32_t B) const {
  auto OfB = functionsNear(B);
  return any_of(functionsNear(A), [&](const ShownFrame &F) {
    return any_of(OfB, [&](const ShownFrame &G) {
      return F.Function == G.Function && F.File == G.File;
    });
  });
}

/// A container grows no more if it holds blocks of which no more come: the
/// index of a cache that is full.
void GrowthFinder::followContents() {
  for (GrowthCandidate &C : Candidates) {
    if (C.IsDropped || !C.G.IsContainer || C.G.Word != GrowthWord::Grows)
      continue;
    auto Of = find_if(Candidates, [&](const GrowthCandidate &Content) {
      const Growth &G = Content.G;
      return Content.Group == C.Group && G.Word == GrowthWord::Grew &&
             !G.IsContainer && !G.FreedNs &&
             isFilledBy(C.Level, Content.Level) &&
             shareFunction(C.G.Stack, G.Stack);
    });
    if (Of == Candidates.end())
      continue;
    setGrew(C);
    C.G.UntilNs = Of->G.UntilNs;
    C.G.UntilStep = Of->G.UntilStep;
  }
}

/// Finds the known cache of each finding. One finding may have the stacks of
/// several causes: nearly all bytes must be of such caches.
void GrowthFinder::setBounded() {
  BoundedCaches Caches(T);
  for (GrowthCandidate &C : Candidates)
    if (!C.IsDropped && C.Survives && !C.G.IsArenas)
      C.G.Bounded = Caches.of(C.G.Stack, C.G.Blocks);
  std::vector<uint32_t> Of = findingsOfNodes();
  std::vector<double> All(Candidates.size()), InCaches(Candidates.size());
  for (const GrowthRow &R : Rows) {
    size_t Row = &R - Rows.data();
    uint32_t N = LevelOfRow[Row];
    uint32_t C = N < Of.size() ? Of[N] : GrowthNode::None;
    if (C == GrowthNode::None || Candidates[C].G.Bounded.empty() ||
        Candidates[C].Group != R.Group)
      continue;
    All[C] += R.rise();
    if (!Caches.of(R.Stack, Infos[Row].BlocksAtCut).empty())
      InCaches[C] += R.rise();
  }
  for (size_t C = 0; C != Candidates.size(); ++C)
    if (InCaches[C] < NearlyAll * All[C])
      Candidates[C].G.Bounded = "";
}

void GrowthFinder::chooseWords() {
  auto Chances = static_cast<double>(std::max<size_t>(Tests, 1));
  std::vector<std::vector<double>> Others, Growing;
  for (const GrowthTotals &Of : SpaceTotals) {
    Others.push_back(Of.Live);
    Growing.emplace_back(Of.Live.size());
  }
  auto Grows = [&](uint32_t Span, ArrayRef<double> Level) {
    for (size_t I = 0; I != Level.size(); ++I) {
      Others[Span][I] -= Level[I];
      Growing[Span][I] += Level[I];
    }
  };
  // One arena holds many objects, whether it grows or not.
  for (const auto &[Group, P] : Arenas)
    if (spanOf(Group) != UINT32_MAX)
      Grows(spanOf(Group), P.Data.Level);
  for (GrowthCandidate &C : Candidates) {
    if (!C.G.IsContainer && (C.Survives || C.IsWeak)) {
      C.G.PValue = std::min(1.0, C.G.PValue * Chances);
      if (C.Survives && C.G.PValue > std::min(C.Alpha, Options.MaxPValue)) {
        C.Survives = false;
        C.IsWeak = true;
      }
    }
  }
  dropOuter();
  for (const GrowthCandidate &C : Candidates)
    if (!C.IsDropped && C.Survives && !C.G.IsArenas)
      Grows(C.G.Span, C.Level);
  setBounded();
  for (GrowthCandidate &C : Candidates)
    if (!C.IsDropped)
      chooseWord(C, Growing[C.G.Span], Others[C.G.Span]);
  followContents();
}

/// Takes the memory of inner blocks from a growth of the blocks around them.
static void takeInside(GrowthCandidate &Outer, double Inside, double Blocks) {
  Growth &G = Outer.G;
  auto Rise = static_cast<double>(G.Rise);
  if (Inside <= 0 || Rise <= 0)
    return;
  double Left = std::max(0.0, 1 - Inside / Rise);
  if (Left < MinLeft) {
    Outer.IsDropped = true;
    return;
  }
  for (double *V : {&G.Rate, &G.Low, &G.High})
    *V *= Left;
  G.Rise = toBytes(Rise * Left);
  G.Bytes = toBytes(static_cast<double>(G.Bytes) * Left);
  auto All = static_cast<double>(G.Blocks);
  G.Blocks = toBytes(std::max(All - Blocks, 1.0));
  G.RiseBlocks = std::min(G.RiseBlocks, G.Blocks);
  for (std::vector<double> *V : {&Outer.Kept, &Outer.Level})
    for (double &Bytes : *V)
      Bytes *= Left;
}

/// Whether Python's objects were recorded.
bool GrowthFinder::hasObjects() const {
  return any_of(T.heaps(), [&](const Heap &H) {
    return T.string(H.Name) == "python.object";
  });
}

/// Drops blocks that inner blocks fill: a byte counts once, in the innermost
/// heap. With Python's objects, their arenas are no finding of their own.
void GrowthFinder::dropOuter() {
  bool HasObjects = hasObjects();
  auto IsBelow = [&](uint32_t Node, uint32_t Top) {
    while (Node > Top)
      Node = T.view().parent(Node);
    return Node == Top;
  };
  DenseSet<uint32_t> Plain = stacksWithoutInner();
  for (GrowthCandidate &Outer : Candidates) {
    Outer.IsDropped |= HasObjects && Outer.G.IsArenas;
    double Inside = 0, Blocks = 0;
    for (const GrowthCandidate &Inner : Candidates) {
      bool IsInner = T.heaps()[Inner.G.Heap - 1].Parent == Outer.G.Heap &&
                     Inner.G.Span == Outer.G.Span && !Inner.IsDropped &&
                     !Inner.IsWeak;
      if (!IsInner || !(IsBelow(Inner.G.Node, Outer.G.Node) ||
                        (IsBelow(Outer.G.Node, Inner.G.Node) &&
                         !Plain.contains(Outer.G.Stack))))
        continue;
      Inside += static_cast<double>(Inner.G.Rise);
      Blocks += static_cast<double>(Inner.G.Blocks);
    }
    takeInside(Outer, Inside, Blocks);
  }
}

/// The stacks of candidates whose blocks are known to have no inner blocks.
DenseSet<uint32_t> GrowthFinder::stacksWithoutInner() const {
  DenseSet<uint32_t> Of, Plain;
  for (const GrowthCandidate &C : Candidates)
    if (any_of(T.heaps(), [&](const Heap &H) { return H.Parent == C.G.Heap; }))
      Of.insert(C.G.Stack);
  if (Of.empty())
    return Plain;
  S.forEachKey([&](SelectedStats::RowId Id, uint32_t, uint32_t Stack) {
    if (!Of.contains(Stack))
      return;
    StackStats R = S.row(Id);
    bool IsKnown = R.LiveBytes || R.HeapPeakBytes;
    if (IsKnown && R.LiveExclusive == R.LiveBytes &&
        (R.LiveBytes || R.SpacePeakBytes == R.HeapPeakBytes))
      Plain.insert(Stack);
  });
  return Plain;
}

/// Whether the stacks part only in their last frames.
static bool areNear(const StackView &V, uint32_t A, uint32_t B) {
  constexpr int Frames = 6;
  SmallVector<uint32_t, Frames> Last;
  for (uint32_t N = V.leaf(A); N && Last.size() != Frames; N = V.parent(N))
    Last.push_back(N);
  uint32_t N = V.leaf(B);
  for (int I = 0; N && I != Frames; ++I, N = V.parent(N))
    if (is_contained(Last, N))
      return true;
  return false;
}

static bool isAbout(uint64_t A, uint64_t B) {
  return AbsoluteDifference(A, B) <= std::max(A, B) / 20;
}

/// Drops findings of blocks that only hold the blocks of another finding, such
/// as malloc's block of a large object of Python. A block of a growing
/// container is largest where it begins, a moment before its content does, so
/// the peaks do not tell (dropEnclosing()).
void GrowthFinder::dropDoubles() {
  auto Holds = [&](const GrowthCandidate &Outer, const GrowthCandidate &In) {
    const Growth &A = Outer.G, &B = In.G;
    // An object's parent is the heap of arenas, and malloc has the large ones.
    bool IsInner = A.Heap && B.Heap && !T.heap(A.Heap).Parent &&
                   T.heap(B.Heap).Parent && spaceOf(A.Heap) == spaceOf(B.Heap);
    return IsInner && !In.IsDropped &&
           Ranges[A.Span].Process == Ranges[B.Span].Process &&
           A.Word == B.Word && isAbout(A.Bytes, B.Bytes) &&
           isAbout(A.Blocks, B.Blocks) && isAbout(A.Rise, B.Rise) &&
           areNear(T.view(), A.Stack, B.Stack);
  };
  for (GrowthCandidate &C : Candidates)
    C.IsDropped |= any_of(
        Candidates, [&](const GrowthCandidate &In) { return Holds(C, In); });
}

/// Drops what is not certain below a finding that is.
void GrowthFinder::dropMinor() {
  auto IsBelowSure = [&](const GrowthCandidate &Weak) {
    return any_of(Candidates, [&](const GrowthCandidate &Of) {
      if (Of.IsDropped || Of.IsWeak || Of.Group != Weak.Group || Of.G.IsArenas)
        return false;
      uint32_t N = Weak.G.Node;
      while (N > Of.G.Node)
        N = T.view().parent(N);
      return N == Of.G.Node;
    });
  };
  for (GrowthCandidate &C : Candidates)
    C.IsDropped |= C.IsWeak && (C.G.Word == GrowthWord::Grew || IsBelowSure(C));
}

/// Collects the findings.
void GrowthFinder::report() {
  for (GrowthCandidate &C : Candidates)
    if (!C.IsDropped)
      Report.Found.push_back(std::move(C.G));
  stable_sort(Report.Found, [](const Growth &A, const Growth &B) {
    return std::pair(A.Word, B.Rise) < std::pair(B.Word, A.Rise);
  });
  Report.Spans = Ranges;
}

} // namespace memkit
