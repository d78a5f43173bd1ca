// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges places, from the leaves of the stack tree to its root.
//
// A place is judged with the memory that no finding below it explains. First by
// survival (Survival.h), then, if that shows nothing, by its live bytes
// (LevelCourse.h): a large rise to the end is a finding, too. What is left is
// judged once more for rises that ended, or were freed.

#include "GrowthFinder.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace memkit {

/// A node with this many findings below it becomes one finding, unless one of
/// them has at least MaxOfOne of the growth.
static constexpr size_t ManyFindings = 4;
static constexpr double MaxOfOne = 0.5;
/// The part of the surviving bytes below a node that must be of stacks with
/// survivors in two intervals or more. Memory allocated once at many places is
/// no leak.
static constexpr double MinRepeated = 0.5;
/// A place with this many independent cohorts is judged alone, and not again at
/// its callers.
static constexpr double EnoughCohorts = 16;
/// Freed at exit: at most this part of the live bytes is left.
static constexpr double LeftAtExit = 0.1;
/// The minimum of a rise, as a part of the highest live bytes of the memory
/// space: of a rise to the end, and of survivors that are not certain.
static constexpr double MinRise = 0.05, MinWeak = 0.005;
/// The minimum of a rise in bytes, and in sampled blocks.
static constexpr double MinRiseBytes = 64 * 1024, MinSamples = 8;
/// The minimum time of a rise, of a process without steps.
static constexpr double MinRiseSeconds = 1;
/// The part of its span that a container needs to grow in.
static constexpr double MinOfContainer = 0.5;
/// A finding goes down to the child with this part of its bytes.
static constexpr double OfChild = 0.95;

/// The bytes of a finding that is worth a word.
double GrowthFinder::materialBytes(uint32_t Group, double Part) const {
  const Heap &H = T.heaps()[heapOf(Group) - 1];
  return std::max({Part * SpaceTotals[spanOf(Group)].highest(), MinRiseBytes,
                   MinSamples * static_cast<double>(H.estimateBytes())});
}

/// The time from the begin of a rise to its end.
double GrowthFinder::secondsOf(uint32_t Group, const LevelRise &Course) const {
  const RangeBins &B = binsOf(Group);
  uint64_t EndNs = head(Group, B.afterBin(Course.To) - 1).EndNs,
           BeginNs = head(Group, B.intervalOf(Course.From)).BeginNs;
  return static_cast<double>(EndNs - BeginNs) / 1e9;
}

/// Whether a rise that ended took long enough to be worth a word.
bool GrowthFinder::isLong(uint32_t Group, const LevelRise &Course) const {
  double Bins = static_cast<double>(Course.To + 1 - Course.From);
  return secondsOf(Group, Course) >= MinEndedSeconds ||
         Bins >=
             MinEndedPart * static_cast<double>(binsOf(Group).bins().size());
}

/// The time without a rise that ends a growth.
static constexpr double MaxQuietSeconds = 2;

/// As MaxQuietSeconds, as a part of the growth.
static double quietPart(const LevelRise &Course) {
  // The next rise of a container that doubles comes after twice the time.
  constexpr double MaxQuietPart = 0.25, TimesGap = 2.2;
  double Gap = static_cast<double>(Course.Gap) /
               static_cast<double>(Course.To + 1 - Course.From);
  return std::max(MaxQuietPart, TimesGap * Gap);
}

/// Whether a rise stopped while the program went on: quiet time counts in
/// steps, or in time in which memory changed.
bool GrowthFinder::hasStopped(uint32_t Group, const LevelRise &Course) const {
  const RangeBins &B = binsOf(Group);
  ArrayRef<double> Units = B.bins().Units;
  double Growth = 0, After = 0;
  for (size_t I = Course.From; I != Units.size(); ++I)
    (I <= Course.To ? Growth : After) += Units[I];
  return After > quietPart(Course) * Growth &&
         (B.span().HasSteps || After * B.span().PerUnit > MaxQuietSeconds);
}

/// Whether a rise began so late that it may be the last phase of a program with
/// steps; without them the first phase is often the imports.
bool GrowthFinder::beganLate(uint32_t Group, const LevelRise &Course) const {
  constexpr double LastPhase = 0.25;
  const RangeBins &B = binsOf(Group);
  double Units = 0;
  for (double U : ArrayRef(B.bins().Units).drop_front(Course.From))
    Units += U;
  return B.span().HasSteps && Units < LastPhase * B.bins().total();
}

/// Whether a rise stopped long before the end of the observed life.
bool GrowthFinder::hasEnded(uint32_t Group, const LevelRise &Course) const {
  const RangeBins &B = binsOf(Group);
  if (B.span().HasSteps)
    return hasStopped(Group, Course);
  uint64_t EndNs = head(Group, B.afterBin(Course.To) - 1).EndNs,
           LifeEndNs = Ranges[spanOf(Group)].LifeEndNs;
  double Quiet =
      static_cast<double>(LifeEndNs - std::min(EndNs, LifeEndNs)) / 1e9;
  return Quiet > std::max(MaxQuietSeconds,
                          quietPart(Course) * secondsOf(Group, Course));
}

/// Sets the times of a growth, and turns rates of active time into rates of
/// time.
void GrowthFinder::setCourse(GrowthCandidate &C, LevelRise Course) const {
  const RangeBins &B = binsOf(C.Group);
  Growth &G = C.G;
  C.Course = Course;
  const IntervalHead &First = head(C.Group, B.intervalOf(Course.From)),
                     &Last = head(C.Group, B.afterBin(Course.To) - 1);
  if (Course.From) {
    G.SinceStep = First.FirstStep;
    G.SinceNs = First.BeginNs;
  }
  G.UntilNs = Last.EndNs;
  G.UntilStep = Last.LastStep;
  if (Course.FreedIn)
    G.FreedNs = head(C.Group, B.afterBin(*Course.FreedIn) - 1).EndNs;
  if (B.span().HasSteps)
    return;
  double Units = 0;
  for (size_t I = Course.From; I <= Course.To; ++I)
    Units += B.bins().Units[I];
  double Time = static_cast<double>(Last.EndNs - First.BeginNs) /
                static_cast<double>(AgeUnitNs);
  double Part = Time > 0 ? std::min(1.0, Units / Time) : 1;
  for (double *Rate : {&G.Rate, &G.Low, &G.High})
    *Rate *= Part;
}

/// Whether blocks were freed that had lived for a quarter of the span.
static bool dropsOld(const SurvivalData &Data, double Total) {
  constexpr double OldPart = 0.25, MinPart = 0.2;
  double Old = 0, Live = 0;
  for (size_t K = 0; K != Data.Freed.size(); ++K)
    if (std::ldexp(1.0, int(K)) >= OldPart * Total)
      Old += Data.Freed[K].Bytes;
  for (double Bytes : Data.Bytes)
    Live += Bytes;
  return Old > MinPart * Live;
}

GrowthCandidate GrowthFinder::makeCandidate(uint32_t Group, uint32_t Node,
                                            const GrowthPlace &P) const {
  GrowthCandidate C;
  C.Group = Group;
  C.Kept = P.Data.Bytes;
  C.Level = P.Data.Level;
  C.DropsOld = dropsOld(P.Data, binsOf(Group).bins().total());
  Growth &G = C.G;
  G.Span = spanOf(Group);
  G.Heap = heapOf(Group);
  G.Node = Node;
  G.Stack = P.TopStack;
  G.Stacks = P.Stacks;
  G.Bytes = toBytes(P.Bytes);
  G.Blocks = toBytes(P.Blocks);
  G.FreedAtExit = P.AtExit < LeftAtExit * P.Bytes;
  if (auto At = HeapTotals.find(Group); At != HeapTotals.end()) {
    G.HeapBegin = toBytes(At->second.Before);
    G.HeapEnd = toBytes(At->second.Live.back());
  }
  return C;
}

static double sumFrom(ArrayRef<double> V, size_t From) {
  double Sum = 0;
  for (double X : V.drop_front(From))
    Sum += X;
  return Sum;
}

/// The last bin up to which nearly all of the bytes came.
static size_t lastBin(ArrayRef<double> Kept, size_t From) {
  constexpr double NearlyAll = 0.98;
  double All = 0, Sum = 0;
  for (size_t I = From; I != Kept.size(); ++I)
    All += Kept[I];
  for (size_t I = From; I != Kept.size(); ++I)
    if ((Sum += Kept[I]) >= NearlyAll * All)
      return I;
  return Kept.size() - 1;
}

/// The bins in which survivors came, or a container grew.
static LevelRise courseOf(const SurvivalData &D, const SurvivalResult &R) {
  // A container that has stopped is none: its next rise is not yet due.
  size_t Last = R.IsContainer ? D.Level.size() - 1 : lastBin(D.Bytes, R.Since);
  LevelRise Out{R.Since, Last, R.Bytes, 0, std::nullopt};
  size_t Gap = 0;
  for (size_t I = Out.From; I <= Out.To && !R.IsContainer; ++I) {
    Gap = D.Bytes[I] > 0 ? 0 : Gap + 1;
    Out.Gap = std::max(Out.Gap, Gap);
  }
  return Out;
}

/// Tests a place for survivors; adds a candidate if they grow, or may grow.
/// True: the place is explained.
bool GrowthFinder::addSurvivors(uint32_t Group, uint32_t Node, GrowthPlace &P,
                                bool MayBeWeak, double *Cohorts) {
  const RangeBins &B = binsOf(Group);
  auto Sample =
      static_cast<double>(T.heaps()[heapOf(Group) - 1].estimateBytes());
  P.Data.OfSeveral = P.Stacks > 1;
  SurvivalResult R = judgeSurvival(B.bins(), P.Data, Sample);
  Tests += R.Counts;
  if (Cohorts)
    *Cohorts = R.Cohorts;
  bool Grows = R.Verdict == Survival::Leak,
       IsWeak = R.Verdict == Survival::Unsure && MayBeWeak;
  if (!Grows && !IsWeak)
    return false;
  LevelRise Course = courseOf(P.Data, R);
  if (R.IsContainer) {
    double Units = 0;
    for (size_t I = Course.From; I <= Course.To; ++I)
      Units += B.bins().Units[I];
    if (Units < MinOfContainer * B.bins().total())
      return false;
  }
  if (IsWeak && R.Bytes < materialBytes(Group, MinWeak))
    return false;
  GrowthCandidate C = makeCandidate(Group, Node, P);
  const GrowthRange &Span = B.span();
  C.Survives = Grows;
  C.IsWeak = IsWeak;
  C.Alpha = R.Alpha;
  C.G.Rise = toBytes(R.Bytes);
  C.G.RiseBlocks = C.G.Blocks;
  if (!R.IsContainer)
    C.G.RiseBlocks = toBytes(std::round(sumFrom(P.Data.Blocks, R.Since)));
  C.G.Rate = R.Rate / Span.PerUnit;
  C.G.Low = R.Low / Span.PerUnit;
  C.G.High = R.High / Span.PerUnit;
  C.G.PValue = R.PValue;
  C.G.Age = R.Age * Span.PerUnit;
  C.G.IsContainer = R.IsContainer;
  setCourse(C, Course);
  Candidates.push_back(std::move(C));
  return Grows;
}

/// Tests the live bytes of a place for a large rise. MayHaveEnded: also for one
/// that stopped long before the end, or was freed. True: the place is
/// explained.
bool GrowthFinder::addRise(uint32_t Group, uint32_t Node, const GrowthPlace &P,
                           bool MayHaveEnded) {
  if (P.empty())
    return false;
  const RangeBins &B = binsOf(Group);
  std::optional<LevelRise> Rise = riseToEnd(P.Data.Level, P.Data.LevelBefore);
  if (!Rise && MayHaveEnded)
    Rise = freedRise(P.Data.Level, P.Data.LevelBefore);
  if (!Rise || (!MayHaveEnded && hasEnded(Group, *Rise)) ||
      Rise->Bytes < materialBytes(Group, MayHaveEnded ? MinEnded : MinRise))
    return false;
  if (!B.span().HasSteps && secondsOf(Group, *Rise) < MinRiseSeconds)
    return false;
  GrowthCandidate C = makeCandidate(Group, Node, P);
  C.G.Rise = toBytes(Rise->Bytes);
  C.G.Bytes = toBytes(P.Data.Level.back());
  C.G.Blocks = C.G.RiseBlocks =
      toBytes(std::max(P.Data.LevelBlocks.back(), 1.0));
  if (MayHaveEnded && !isLong(Group, *Rise))
    return false;
  std::vector<double> Risen;
  for (size_t I = Rise->From; I <= Rise->To; ++I)
    Risen.push_back(P.Data.Level[I] -
                    (I ? P.Data.Level[I - 1] : P.Data.LevelBefore));
  RateEstimate E = estimateRate(
      Risen, ArrayRef(B.bins().Units).slice(Rise->From, Risen.size()));
  C.G.Rate = E.Rate / B.span().PerUnit;
  C.G.Low = E.Low / B.span().PerUnit;
  C.G.High = E.High / B.span().PerUnit;
  setCourse(C, *Rise);
  Candidates.push_back(std::move(C));
  return true;
}

/// Whether two growths of a span have about the same begin and end.
bool GrowthFinder::haveSameCourse(const GrowthCandidate &A,
                                  const GrowthCandidate &B) const {
  constexpr double MaxApart = 0.15;
  double Max = MaxApart * static_cast<double>(binsOf(A.Group).bins().size());
  auto Apart = [](size_t X, size_t Y) {
    return static_cast<double>(std::max(X, Y) - std::min(X, Y));
  };
  return Apart(A.Course.From, B.Course.From) <= Max &&
         Apart(A.Course.To, B.Course.To) <= Max;
}

/// Replaces rises below a node by the rise of the node, if the node's rest
/// belongs to the same rise, or if the rises below are parts of one.
void GrowthFinder::joinRises(uint32_t N, FromBelow &B) {
  constexpr double MinRest = 0.05, MaxPart = 0.6;
  const GrowthNode &Node = Nodes.Nodes[N];
  if (B.Findings.empty() || Node.Node == 0 ||
      any_of(B.Findings, [&](const JudgedGrowth &K) {
        return Candidates[K.Found].Survives;
      }))
    return;
  GrowthPlace All = B.Rest;
  All.add(B.Alone);
  double Below = 0, Most = 0;
  for (const JudgedGrowth &K : B.Findings) {
    All.add(K.Of);
    auto Rise = static_cast<double>(Candidates[K.Found].G.Rise);
    Below += Rise;
    Most = std::max(Most, Rise);
  }
  std::optional<LevelRise> Rise =
      riseToEnd(All.Data.Level, All.Data.LevelBefore);
  if (!Rise || (Rise->Bytes - Below < MinRest * Rise->Bytes &&
                (B.Findings.size() < 2 || Most > MaxPart * Below)))
    return;
  if (!addRise(Node.Group, Node.Node, All, /*MayHaveEnded=*/false))
    return;
  if (!all_of(B.Findings, [&](const JudgedGrowth &K) {
        return haveSameCourse(Candidates[K.Found], Candidates.back());
      })) {
    Candidates.pop_back();
    return;
  }
  takeFindings(N, B, std::move(All));
  B.Alone = GrowthPlace();
}

/// Makes the last candidate the only finding at and below a node.
void GrowthFinder::takeFindings(uint32_t N, FromBelow &B, GrowthPlace All) {
  Candidates.back().Place = N;
  for (const JudgedGrowth &K : B.Findings)
    Candidates[K.Found].IsDropped = true;
  B.Findings.clear();
  B.Findings.push_back(
      {static_cast<uint32_t>(Candidates.size() - 1), std::move(All)});
  B.Rest = GrowthPlace();
}

/// Replaces many findings below a node by one finding of the node, if none of
/// them has most of the growth.
void GrowthFinder::merge(uint32_t N, FromBelow &B) {
  const GrowthNode &Node = Nodes.Nodes[N];
  if (B.Findings.size() < ManyFindings || Node.Node == 0)
    return;
  double Sum = 0, Max = 0;
  for (const JudgedGrowth &K : B.Findings) {
    const Growth &G = Candidates[K.Found].G;
    Sum += G.Rate;
    Max = std::max(Max, G.Rate);
  }
  if (Max >= MaxOfOne * Sum)
    return;
  GrowthPlace All = B.Rest;
  for (const JudgedGrowth &K : B.Findings)
    All.add(K.Of);
  if (!addSurvivors(Node.Group, Node.Node, All, /*MayBeWeak=*/false) &&
      !addRise(Node.Group, Node.Node, All, /*MayHaveEnded=*/false))
    return;
  takeFindings(N, B, std::move(All));
}

/// Judges the rows that end at a node without Rest, those from below, which may
/// hide a container: a line may grow one, and hand out other blocks. True: B
/// has the finding, and the rest.
bool GrowthFinder::judgeOwnRows(uint32_t N, FromBelow &B, GrowthPlace Rest) {
  auto At = OwnRows.find(N);
  if (At == OwnRows.end())
    return false;
  const GrowthNode &Node = Nodes.Nodes[N];
  GrowthPlace Own = Places[At->second];
  size_t Had = Candidates.size();
  if (!addSurvivors(Node.Group, Node.Node, Own, /*MayBeWeak=*/false))
    return false;
  Candidates.back().Place = At->second;
  // What all rows may be together is known better now.
  if (Had && Candidates[Had - 1].IsWeak &&
      Candidates[Had - 1].G.Node == Node.Node &&
      Candidates[Had - 1].Group == Node.Group)
    Candidates[Had - 1].IsDropped = true;
  B.Findings.push_back({uint32_t(Had), std::move(Own)});
  B.Rest = std::move(Rest);
  return true;
}

void GrowthFinder::judgeNode(uint32_t N) {
  const GrowthNode &Node = Nodes.Nodes[N];
  FromBelow &B = Below[N];
  B.Rest.add(Places[N]);
  GrowthPlace FromOthers;
  if (auto At = OwnRows.find(N); At != OwnRows.end()) {
    FromOthers = B.Rest;
    B.Rest.add(Places[At->second]);
  }
  GrowthPlace &P = B.Rest;
  // A node with several stacks below needs stacks with repeated survivors.
  bool MayLeak = P.Stacks == 1 || P.Repeated >= MinRepeated * P.Survive;
  double Cohorts = 0;
  size_t Had = Candidates.size();
  bool IsExplained = !P.empty() && MayLeak &&
                     addSurvivors(Node.Group, Node.Node, P,
                                  /*MayBeWeak=*/Node.HasRows, &Cohorts);
  if (!IsExplained && !judgeOwnRows(N, B, std::move(FromOthers))) {
    if (Cohorts >= EnoughCohorts)
      B.Alone.add(std::exchange(P, GrowthPlace()));
    GrowthPlace All = P;
    All.add(B.Alone);
    if (addRise(Node.Group, Node.Node, All, /*MayHaveEnded=*/false)) {
      IsExplained = true;
      P = std::move(All);
      B.Alone = GrowthPlace();
    }
  }
  for (GrowthCandidate &C : MutableArrayRef(Candidates).drop_front(Had))
    if (C.Place == GrowthNode::None)
      C.Place = N;
  if (IsExplained)
    B.Findings.push_back({static_cast<uint32_t>(Candidates.size() - 1),
                          std::exchange(P, GrowthPlace())});
  merge(N, B);
  joinRises(N, B);
  if (Node.Parent != GrowthNode::None) {
    FromBelow &Up = Below[Node.Parent];
    Up.Rest.add(B.Rest);
    Up.Alone.add(B.Alone);
    std::move(B.Findings.begin(), B.Findings.end(),
              std::back_inserter(Up.Findings));
  }
  B = FromBelow();
}

/// What is not certain explains no memory, so the nodes above may say the same
/// again. Keeps the lowest node that has nearly all of it; the parts of a
/// larger one go.
void GrowthFinder::dropNested() {
  constexpr double NearlyAll = 0.9;
  std::vector<uint32_t> WeakOf(Nodes.Nodes.size(), GrowthNode::None);
  for (uint32_t C = 0; C != Candidates.size(); ++C)
    if (Candidates[C].IsWeak && Candidates[C].Place != GrowthNode::None)
      WeakOf[Candidates[C].Place] = C;
  // The nodes below have the higher numbers.
  for (uint32_t N = WeakOf.size(); N-- != 0;) {
    if (WeakOf[N] == GrowthNode::None)
      continue;
    GrowthCandidate &C = Candidates[WeakOf[N]];
    for (uint32_t Up = Nodes.Nodes[N].Parent;
         Up != GrowthNode::None && !C.IsDropped; Up = Nodes.Nodes[Up].Parent) {
      if (WeakOf[Up] == GrowthNode::None)
        continue;
      GrowthCandidate &Outer = Candidates[WeakOf[Up]];
      if (Outer.IsDropped)
        continue;
      bool HasAll = static_cast<double>(C.G.Rise) >=
                    NearlyAll * static_cast<double>(Outer.G.Rise);
      (HasAll ? Outer : C).IsDropped = true;
    }
  }
}

/// By node: the candidate that explains the memory of its rows, or None.
std::vector<uint32_t> GrowthFinder::findingsOfNodes() const {
  std::vector<uint32_t> Of(Nodes.Nodes.size(), GrowthNode::None);
  for (uint32_t C = 0; C != Candidates.size(); ++C)
    if (Candidates[C].Place != GrowthNode::None && !Candidates[C].IsDropped &&
        !Candidates[C].IsWeak)
      Of[Candidates[C].Place] = C;
  for (uint32_t N = 0; N != Of.size(); ++N)
    if (uint32_t Parent = Nodes.Nodes[N].Parent;
        Of[N] == GrowthNode::None && Parent != GrowthNode::None)
      Of[N] = Of[Parent];
  return Of;
}

/// Looks for rises that ended, in the memory that no finding explains.
void GrowthFinder::judgeFreed() {
  std::vector<uint32_t> Of = findingsOfNodes();
  std::vector<GrowthPlace> Rest(Nodes.Nodes.size());
  for (uint32_t N = Nodes.Nodes.size(); N-- != 0;) {
    const GrowthNode &Node = Nodes.Nodes[N];
    if (Of[N] == GrowthNode::None)
      Rest[N].add(Places[N]);
    // The root has the rest of all places.
    if (Node.Node != 0 && N < NumJudged &&
        addRise(Node.Group, Node.Node, Rest[N], /*MayHaveEnded=*/true))
      Candidates.back().Place = N;
    else if (Node.Parent != GrowthNode::None)
      Rest[Node.Parent].add(Rest[N]);
    Rest[N] = GrowthPlace();
  }
}

/// The arenas of the oldest interpreters; the list of them is far smaller.
static constexpr uint64_t MinArenaBytes = 256 << 10;

/// What of a place came in the last half of the measured time and lives on.
double GrowthFinder::keptLate(uint32_t Group, const GrowthPlace &P) const {
  const SurvivalBins &Bins = binsOf(Group).bins();
  double Left = Bins.total() / 2, Kept = 0;
  for (size_t I = Bins.size(); I-- != 0 && Left > 0; Left -= Bins.Units[I])
    Kept += P.Data.Bytes[I];
  return Kept;
}

void GrowthFinder::judgeArenas() {
  for (auto &[Group, P] : Arenas) {
    if (spanOf(Group) == UINT32_MAX)
      continue;
    if (addSurvivors(Group, 0, P, /*MayBeWeak=*/false) ||
        addRise(Group, 0, P, /*MayHaveEnded=*/true)) {
      Candidates.back().G.IsArenas = true;
      Candidates.back().G.ArenaGroup = Group;
    } else if (uint64_t Late = toBytes(keptLate(Group, P));
               Late >= MinArenaBytes && !hasObjects()) {
      Report.FewArenaBytes += Late;
    }
  }
}

/// Moves findings down while one child has nearly all of their bytes.
void GrowthFinder::descend() {
  std::vector<uint32_t> Of = findingsOfNodes();
  std::vector<DenseMap<uint32_t, double>> Bytes(Candidates.size());
  std::vector<double> All(Candidates.size());
  const StackView &V = T.view();
  for (const GrowthRow &R : Rows) {
    size_t Row = &R - Rows.data();
    uint32_t N = LevelOfRow[Row];
    if (N >= Of.size() || Of[N] == GrowthNode::None || !R.Gained)
      continue;
    uint32_t C = Of[N], Top = Candidates[C].G.Node;
    if (Candidates[C].G.Stacks < 2 || Candidates[C].Group != R.Group)
      continue;
    All[C] += R.rise();
    for (uint32_t At = V.leaf(R.Stack); At && At != Top; At = V.parent(At))
      Bytes[C][At] += R.rise();
  }
  for (size_t C = 0; C != Candidates.size(); ++C) {
    Growth &G = Candidates[C].G;
    // The lowest node with nearly all bytes has the highest number.
    for (auto [Node, Of] : Bytes[C])
      if (Of >= OfChild * All[C])
        G.Node = std::max(G.Node, Node);
  }
}

void GrowthFinder::judge() {
  Below.resize(Nodes.Nodes.size());
  for (uint32_t N = NumJudged; N-- != 0;)
    judgeNode(N);
  dropNested();
  judgeFreed();
  descend();
  judgeArenas();
}

} // namespace memkit
