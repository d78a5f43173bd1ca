// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds growth up to the end of the run.

#include "memkit/Analysis/Growth.h"
#include "GrowthRanges.h"
#include "GrowthTree.h"
#include "Model/ArenaStacks.h"
#include "Support/Failure.h"
#include "Support/RunBoth.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <map>
#include <set>

using namespace llvm;

namespace memkit {

namespace {

/// Distance in rows of memory prefetches.
constexpr size_t ChangesAhead = 16;
/// A node with this many findings below it becomes one finding, unless one of
/// them has at least MaxOfOne of the growth.
constexpr size_t ManyFindings = 4;
constexpr double MaxOfOne = 0.5;
/// The part of the surviving bytes below a node that must be of stacks with
/// survivors in two intervals or more. Memory allocated once at many places is
/// no leak.
constexpr double MinRepeated = 0.5;
/// A place with this many independent cohorts is judged alone, and not again at
/// its callers.
constexpr double EnoughCohorts = 16;
/// Freed at exit: at most this part of the live bytes is left.
constexpr double LeftAtExit = 0.1;

/// Sums of values in a file may exceed any memory size.
uint64_t toBytes(double V) {
  return static_cast<uint64_t>(std::clamp(V, 0.0, 0x1p63));
}

/// The data of a node or stack, without the data of findings below it.
struct GrowthPlace {
  SurvivalData Data;
  uint64_t Stacks = 0;
  double Bytes = 0, Blocks = 0, Survive = 0, Repeated = 0, AtExit = 0;
  uint32_t TopStack = 0;
  double Top = -1;

  void add(const GrowthPlace &P) {
    if (Data.Bytes.empty())
      Data = P.Data;
    else if (!P.Data.Bytes.empty())
      Data.add(P.Data);
    Stacks += P.Stacks;
    Bytes += P.Bytes;
    Blocks += P.Blocks;
    Survive += P.Survive;
    Repeated += P.Repeated;
    AtExit += P.AtExit;
    if (P.Top > Top) {
      Top = P.Top;
      TopStack = P.TopStack;
    }
  }
};

/// The values of a row, to be added to a place.
struct GrowthRowValues {
  RowSurvival Data;
  double Bytes = 0, Blocks = 0, Survive = 0, AtExit = 0;
  bool IsRepeated = false; ///< survivors in several bins
  uint32_t Stack = 0;

  /// P has the bins of the row's memory space.
  void addTo(GrowthPlace &P) const {
    Data.addTo(P.Data);
    P.Stacks += Survive > 0;
    P.Bytes += Bytes;
    P.Blocks += Blocks;
    P.Survive += Survive;
    P.Repeated += IsRepeated ? Survive : 0;
    P.AtExit += AtExit;
    if (Survive > P.Top) {
      P.Top = Survive;
      P.TopStack = Stack;
    }
  }
};

/// The live bytes of a place or of arenas, as SurvivalData has them.
struct GrowthLevel {
  const RangeBins *Of = nullptr;
  double Before = 0;
  std::vector<double> Bytes, Blocks;

  explicit GrowthLevel(const RangeBins &B)
      : Of(&B), Bytes(B.bins().size()), Blocks(B.bins().size()) {}
};
} // namespace

class GrowthFinder {
public:
  GrowthFinder(IntervalSeries &Intervals, const SelectedStats &S,
               const GrowthOptions &Options)
      : Intervals(Intervals), S(S), T(S.trace()), Options(Options) {}
  Error readRanges();
  bool hasRanges() const { return !Spans.empty(); }
  void take(size_t Process, size_t Interval, ArrayRef<IntervalChange> Changes);
  Expected<GrowthReport> finish();

private:
  struct HeapLevel {
    double Begin = 0, End = 0;
  };
  /// There may be millions of rows, so a row has no data of its own: the data
  /// is read once more for the rows of chosen nodes.
  struct JudgedRow {
    uint64_t AtCut = 0, BlocksAtCut = 0, AtEnd = 0;
  };
  /// A change of a row before the end of its span.
  struct KeptChange {
    uint32_t Row;
    int32_t Blocks;
    double Bytes;
  };
  /// A finding, and the data from which it was judged.
  struct JudgedGrowth {
    uint32_t Found; ///< in Findings
    GrowthPlace Of;
  };

  void keep(const IntervalChange &C, double Bytes);
  Error readSurvivors();
  std::optional<uint32_t> judgedRow(size_t Process, uint32_t Heap,
                                    uint32_t Stack) const;
  void readLifetimes(size_t Process, const RowLifetimes &R, uint32_t Row,
                     GrowthRowValues &Out) const;
  void addLifetimes(size_t Process, const SectionLifetimes &L,
                    ArenaStacks &ArenasOf);
  void readNodes();
  void dropEnclosing();
  std::vector<GrowthLevel> makeLevels();
  Error readLevels(MutableArrayRef<GrowthLevel> Levels);
  void setLevels(MutableArrayRef<GrowthLevel> Levels);
  void judge();
  void judgeNode(uint32_t N);
  void merge(uint32_t N);
  void judgeArenas();
  bool add(uint32_t Group, uint32_t Node, const GrowthPlace &P,
           bool MayBeUnsure, double *Cohorts = nullptr);
  void report();
  size_t numHeaps() const { return T.heaps().size(); }
  uint32_t groupOf(size_t Process, uint32_t Heap) const {
    return static_cast<uint32_t>(Process * numHeaps()) + Heap - 1;
  }
  uint32_t spanOf(uint32_t Group) const { return RangeOfGroup[Group]; }
  uint32_t spaceOf(uint32_t Heap) const {
    const memkit::Heap &H = T.heaps()[Heap - 1];
    return H.Flags & HF_OutsideTotals ? 0 : H.Space + 1;
  }

  IntervalSeries &Intervals;
  const SelectedStats &S;
  const Trace &T;
  GrowthOptions Options;
  std::vector<std::optional<RangeBins>> Spans; ///< by process and memory space
  std::vector<uint32_t> RangeOfGroup; ///< UINT32_MAX if the group has no span
  std::vector<GrowthRow> Rows;        ///< by row of IntervalSeries
  std::vector<JudgedRow> Infos;       ///< by row of IntervalSeries
  std::vector<KeptChange> Kept;       ///< empty unless KeepsAll
  /// The intervals of Kept: each with the end of its part of Kept.
  std::vector<std::pair<size_t, size_t>> KeptIntervals;
  bool KeepsAll = true;
  GrowthNodes Nodes;
  std::vector<GrowthPlace> Places; ///< by node
  /// By row: the node, for arenas a number after the nodes, or None.
  std::vector<uint32_t> LevelOfRow;
  std::vector<std::vector<JudgedGrowth>> Below;
  std::map<uint32_t, GrowthPlace> Arenas;               ///< by group
  std::vector<std::pair<uint32_t, uint32_t>> ArenaRows; ///< rows and groups
  DenseMap<uint32_t, HeapLevel> HeapLevels;             ///< by group
  struct GrowthCandidate {
    Growth G;
    double Alpha = 0;
    bool Dropped = false;
  };
  std::vector<GrowthCandidate> Findings;
  size_t Tests = 0; ///< number of places that could become findings
  GrowthReport Report;
};

/// Makes the bins of each memory space of the analysed processes.
Error GrowthFinder::readRanges() {
  size_t Groups = Intervals.processes().size() * numHeaps();
  constexpr size_t MaxGroups = size_t(1) << 24;
  if (Groups > MaxGroups)
    return makeError(T.name() + ": " + Twine(Intervals.processes().size()) +
                     " processes with " + Twine(numHeaps()) +
                     " heaps are too many to judge growth; select fewer");
  RangeOfGroup.assign(Groups, UINT32_MAX);
  std::vector<std::vector<LifetimeCut>> Cuts(Intervals.processes().size());
  if (Error E = Intervals.forEachLifetimes(
          [&](size_t Process, const SectionLifetimes &L) {
            append_range(Cuts[Process], L.cuts());
          }))
    return E;
  std::set<uint32_t> UsedSpaces;
  for (uint32_t Heap = 1; Heap <= numHeaps(); ++Heap)
    UsedSpaces.insert(spaceOf(Heap));
  size_t Slots = 0;
  for (size_t Process = 0; Process != Cuts.size(); ++Process) {
    const ProcessIntervals &I = Intervals.processes()[Process];
    if (T.wasReplaced(I.Process))
      continue;
    // By space: the intervals before its cut, then its span or UINT32_MAX.
    std::map<uint32_t, uint32_t> RangeOfSpace;
    size_t Max = 0, Had = Spans.size();
    for (LifetimeCut C : Cuts[Process])
      if (UsedSpaces.count(C.Space))
        RangeOfSpace[C.Space] = C.Intervals;
    for (auto &[Space, Value] : RangeOfSpace) {
      size_t Has = 0, Cut = I.headsBefore(Value);
      Slots += Cut;
      if (Slots > MaxGroups)
        return makeError(T.name() + ": too many memory spaces to judge growth; "
                                    "select fewer processes or heaps");
      std::optional<RangeBins> Span =
          RangeBins::create(I, Space, Cut, Options, Has);
      Max = std::max(Max, Has);
      Value = UINT32_MAX;
      if (!Span)
        continue;
      Value = static_cast<uint32_t>(Spans.size());
      Spans.push_back(std::move(Span));
    }
    for (uint32_t Heap = 1; Heap <= numHeaps(); ++Heap)
      if (auto At = RangeOfSpace.find(spaceOf(Heap)); At != RangeOfSpace.end())
        RangeOfGroup[groupOf(Process, Heap)] = At->second;
    if (Spans.size() != Had)
      continue;
    Report.TooShort += 1;
    Report.MaxIntervals = std::max(Report.MaxIntervals, Max);
  }
  return Error::success();
}

/// Notes the values of rows at the cut and at the end, and those of heaps.
void GrowthFinder::take(size_t Process, size_t Interval,
                        ArrayRef<IntervalChange> Changes) {
  if (!hasRanges())
    return;
  if (Rows.size() < Intervals.numRows()) {
    // Unused room costs nothing.
    Rows.reserve(S.numRows());
    Infos.reserve(S.numRows());
    Rows.resize(Intervals.numRows());
    Infos.resize(Intervals.numRows());
  }
  if (KeepsAll)
    Kept.reserve(std::min(Options.MaxChanges, S.numRows() * 8));
  uint32_t Last = UINT32_MAX; // group
  HeapLevel *OfLast = nullptr;
  for (size_t At = 0; At != Changes.size(); ++At) {
    if (At + ChangesAhead < Changes.size()) {
      uint32_t Next = Changes[At + ChangesAhead].Row;
      __builtin_prefetch(&Rows[Next], /*Write=*/1);
      __builtin_prefetch(&Infos[Next], /*Write=*/1);
    }
    const IntervalChange &C = Changes[At];
    uint32_t Group = groupOf(Process, C.Heap);
    uint32_t Span = spanOf(Group);
    if (Span == UINT32_MAX)
      continue;
    const RangeBins &B = *Spans[Span];
    GrowthRow &R = Rows[C.Row];
    JudgedRow &I = Infos[C.Row];
    R.Group = Group;
    R.Stack = C.Stack;
    I.AtEnd = C.Bytes;
    if (Interval >= B.end())
      continue;
    I.AtCut = C.Bytes;
    I.BlocksAtCut = C.Blocks;
    R.Moved = true;
    if (Group != std::exchange(Last, Group))
      OfLast = &HeapLevels[Group];
    double Bytes =
        static_cast<double>(C.Bytes) - static_cast<double>(C.BytesBefore);
    (Interval < B.begin() ? OfLast->Begin : OfLast->End) += Bytes;
    if (KeepsAll)
      keep(C, Bytes);
  }
  KeptIntervals.push_back({Interval, Kept.size()});
}

/// Keeps a change, or from the first that does not fit on none.
void GrowthFinder::keep(const IntervalChange &C, double Bytes) {
  auto Blocks = static_cast<int64_t>(C.Blocks - C.BlocksBefore);
  KeepsAll = Kept.size() != Options.MaxChanges && isInt<32>(Blocks) &&
             isUInt<53>(C.Blocks) && isUInt<53>(C.BlocksBefore);
  if (KeepsAll)
    Kept.push_back({C.Row, static_cast<int32_t>(Blocks), Bytes});
  else
    Kept = {};
}

/// Reads which bytes of the rows survive.
Error GrowthFinder::readSurvivors() {
  ArenaStacks ArenasOf(S);
  return Intervals.forEachLifetimes(
      [&](size_t Process, const SectionLifetimes &L) {
        addLifetimes(Process, L, ArenasOf);
      });
}

/// The row of a stack and heap that has a span.
std::optional<uint32_t> GrowthFinder::judgedRow(size_t Process, uint32_t Heap,
                                                uint32_t Stack) const {
  if (spanOf(groupOf(Process, Heap)) == UINT32_MAX)
    return std::nullopt;
  std::optional<uint32_t> Row = Intervals.findRow(Process, Heap, Stack);
  if (!Row || *Row >= Infos.size())
    return std::nullopt;
  return Row;
}

/// Reads the lifetimes of a judged row.
void GrowthFinder::readLifetimes(size_t Process, const RowLifetimes &R,
                                 uint32_t Row, GrowthRowValues &Out) const {
  const RangeBins &B = *Spans[spanOf(groupOf(Process, R.Heap))];
  B.read(Intervals.processes()[Process], R, Out.Data);
  size_t Bins = 0;
  Out.Survive = 0;
  for (uint32_t Bin : Out.Data.Bins) {
    double Bytes = Out.Data.Bytes[Bin];
    Out.Survive += Bytes;
    Bins += Bytes > 0;
  }
  Out.IsRepeated = Bins > 1;
  const JudgedRow &I = Infos[Row];
  Out.Bytes = static_cast<double>(I.AtCut);
  Out.Blocks = static_cast<double>(I.BlocksAtCut);
  Out.AtExit = static_cast<double>(I.AtEnd);
  Out.Stack = R.Stack;
}

void GrowthFinder::addLifetimes(size_t Process, const SectionLifetimes &L,
                                ArenaStacks &ArenasOf) {
  GrowthRowValues V;
  L.forEachRow([&](const RowLifetimes &R) {
    std::optional<uint32_t> Row = judgedRow(Process, R.Heap, R.Stack);
    if (!Row)
      return;
    readLifetimes(Process, R, *Row, V);
    Rows[*Row].AtEnd = toBytes(V.Survive);
    // An import needs its arenas once.
    if (ArenasOf.isArena(R.Stack) && !ArenasOf.isInImport(R.Stack)) {
      uint32_t Group = groupOf(Process, R.Heap);
      ArenaRows.push_back({*Row, Group});
      auto [At, New] = Arenas.try_emplace(Group);
      if (New)
        At->second.Data = SurvivalData(Spans[spanOf(Group)]->bins().size());
      V.addTo(At->second);
      Rows[*Row].Group = GrowthRow::NoGroup;
    }
  });
}

/// Adds the data of the rows to the chosen nodes.
void GrowthFinder::readNodes() {
  Places.resize(Nodes.Nodes.size());
  for (size_t N = 0; N != Places.size(); ++N) {
    // setLevels() sets the levels.
    size_t Bins = Spans[spanOf(Nodes.Nodes[N].Group)]->bins().size();
    Places[N].Data.Bytes.resize(Bins);
    Places[N].Data.Blocks.resize(Bins);
  }
  GrowthRowValues V;
  // The lifetimes are in memory since readRanges().
  cantFail(Intervals.forEachLifetimes(
      [&](size_t Process, const SectionLifetimes &L) {
        L.forEachRow([&](const RowLifetimes &R) {
          std::optional<uint32_t> Row = judgedRow(Process, R.Heap, R.Stack);
          if (!Row || LevelOfRow[*Row] >= Places.size())
            return;
          readLifetimes(Process, R, *Row, V);
          V.addTo(Places[LevelOfRow[*Row]]);
        });
      }));
}

/// Removes rows whose blocks are mostly filled by blocks of inner heaps: the
/// inner heaps have the findings.
void GrowthFinder::dropEnclosing() {
  BitVector Encloses(numHeaps() + 1);
  for (const Heap &H : T.heaps())
    Encloses[H.Parent] = true;
  Encloses[0] = false;
  if (S.selection().isOuterView() || Encloses.none())
    return;
  std::vector<uint32_t> PlaceOfProcess(T.processes().size() + 1, UINT32_MAX);
  for (size_t I = 0; I != Intervals.processes().size(); ++I)
    PlaceOfProcess[Intervals.processes()[I].Process] = static_cast<uint32_t>(I);
  S.forEachKey([&](SelectedStats::RowId Id, uint32_t Heap, uint32_t Stack) {
    uint32_t Process = PlaceOfProcess[S.processOf(Id)];
    if (!Encloses[Heap] || Process == UINT32_MAX)
      return;
    std::optional<uint32_t> At = judgedRow(Process, Heap, Stack);
    if (!At)
      return;
    StackStats R = S.row(Id);
    // At the exit a program frees its tensors, and a caching allocator keeps
    // the segments around them: the peak tells what filled the segments.
    bool IsFilledAtEnd = R.LiveExclusive < R.LiveBytes / 2;
    bool IsFilledAtPeak = R.SpacePeakBytes < R.HeapPeakBytes / 2;
    if (IsFilledAtEnd || IsFilledAtPeak)
      Rows[*At].Group = GrowthRow::NoGroup;
  });
}

/// Makes the levels of the chosen nodes, then of arenas, and LevelOfRow.
std::vector<GrowthLevel> GrowthFinder::makeLevels() {
  std::vector<GrowthLevel> Levels;
  Levels.reserve(Nodes.Nodes.size() + Arenas.size());
  for (const GrowthNode &N : Nodes.Nodes)
    Levels.emplace_back(*Spans[spanOf(N.Group)]);
  DenseMap<uint32_t, uint32_t> OfArenas; // by group
  for (auto &[Group, P] : Arenas) {
    OfArenas[Group] = Levels.size();
    Levels.emplace_back(*Spans[spanOf(Group)]);
  }
  LevelOfRow = std::move(Nodes.OfRow);
  for (auto [Row, Group] : ArenaRows)
    LevelOfRow[Row] = OfArenas[Group];
  return Levels;
}

/// Computes the live bytes at the end of each bin.
Error GrowthFinder::readLevels(MutableArrayRef<GrowthLevel> Levels) {
  auto Add = [&](size_t Interval, uint32_t Row, double Bytes, double Blocks) {
    uint32_t At = LevelOfRow[Row];
    if (At == GrowthNode::None || Interval >= Levels[At].Of->end())
      return;
    GrowthLevel &L = Levels[At];
    if (Interval < L.Of->begin()) {
      L.Before += Bytes;
      return;
    }
    size_t Bin = L.Of->binOf(Interval);
    L.Bytes[Bin] += Bytes;
    L.Blocks[Bin] += Blocks;
  };
  auto Take = [&](size_t, size_t Interval, ArrayRef<IntervalChange> Changes) {
    for (const IntervalChange &C : Changes)
      Add(Interval, C.Row,
          static_cast<double>(C.Bytes) - static_cast<double>(C.BytesBefore),
          static_cast<double>(C.Blocks) - static_cast<double>(C.BlocksBefore));
    return Error::success();
  };
  if (!KeepsAll)
    if (Error E = Intervals.forEach(Take))
      return E;
  size_t Next = 0;
  for (auto [Interval, End] : KeptIntervals)
    for (; KeepsAll && Next != End; ++Next)
      Add(Interval, Kept[Next].Row, Kept[Next].Bytes, Kept[Next].Blocks);
  // Turns differences into levels.
  for (GrowthLevel &L : Levels) {
    double Bytes = L.Before, Blocks = 0;
    for (size_t I = 0; I != L.Bytes.size(); ++I) {
      L.Bytes[I] = Bytes += L.Bytes[I];
      L.Blocks[I] = Blocks += L.Blocks[I];
    }
  }
  return Error::success();
}

void GrowthFinder::setLevels(MutableArrayRef<GrowthLevel> Levels) {
  auto Set = [](SurvivalData &D, GrowthLevel &L) {
    D.LevelBefore = L.Before;
    D.Level = std::move(L.Bytes);
    D.LevelBlocks = std::move(L.Blocks);
  };
  size_t Next = 0;
  for (GrowthPlace &P : Places)
    Set(P.Data, Levels[Next++]);
  for (auto &[Group, P] : Arenas)
    Set(P.Data, Levels[Next++]);
}

/// Tests a place; adds a finding if the place grows, or may grow.
bool GrowthFinder::add(uint32_t Group, uint32_t Node, const GrowthPlace &P,
                       bool MayBeUnsure, double *Cohorts) {
  const RangeBins &B = *Spans[spanOf(Group)];
  uint32_t Heap = Group % numHeaps() + 1;
  auto Sample = static_cast<double>(T.heaps()[Heap - 1].estimateBytes());
  SurvivalResult R = judgeSurvival(B.bins(), P.Data, Sample);
  Tests += R.Counts;
  if (Cohorts)
    *Cohorts = R.Cohorts;
  bool Leaks = R.Verdict == Survival::Leak;
  if (!Leaks && (!MayBeUnsure || R.Verdict != Survival::Unsure))
    return false;
  const GrowthRange &Span = B.span();
  GrowthCandidate &F = Findings.emplace_back();
  F.Alpha = R.Alpha;
  Growth &G = F.G;
  G.Span = spanOf(Group);
  G.Heap = Heap;
  G.Node = Node;
  G.Stack = P.TopStack;
  G.Stacks = P.Stacks;
  G.Bytes = toBytes(P.Bytes);
  G.Blocks = toBytes(P.Blocks);
  G.Rise = toBytes(R.Bytes);
  G.Rate = R.Rate / Span.PerUnit;
  G.Low = R.Low / Span.PerUnit;
  G.High = R.High / Span.PerUnit;
  G.PValue = R.PValue;
  G.Age = R.Age * Span.PerUnit;
  G.Verdict = R.Verdict;
  G.IsContainer = R.IsContainer;
  const HeapLevel &L = HeapLevels[Group];
  G.HeapBegin = toBytes(L.Begin);
  G.HeapEnd = toBytes(L.End);
  G.FreedAtExit = P.AtExit < LeftAtExit * P.Bytes;
  if (R.Since) {
    uint32_t Process = Group / numHeaps();
    const IntervalHead &H =
        Intervals.processes()[Process].Heads[B.intervalOf(R.Since)];
    G.SinceStep = H.FirstStep;
    G.SinceNs = H.BeginNs;
  }
  return Leaks;
}

/// Replaces many findings below a node by one finding of the node, if none of
/// them has most of the growth.
void GrowthFinder::merge(uint32_t N) {
  const GrowthNode &Node = Nodes.Nodes[N];
  if (Below[N].size() < ManyFindings || Node.Node == 0)
    return;
  double Sum = 0, Max = 0;
  for (const JudgedGrowth &K : Below[N]) {
    const Growth &G = Findings[K.Found].G;
    Sum += G.Rate;
    Max = std::max(Max, G.Rate);
  }
  if (Max >= MaxOfOne * Sum)
    return;
  GrowthPlace All = Places[N];
  for (const JudgedGrowth &K : Below[N])
    All.add(K.Of);
  if (!add(Node.Group, Node.Node, All, /*MayBeUnsure=*/false))
    return;
  for (const JudgedGrowth &K : Below[N])
    Findings[K.Found].Dropped = true;
  Below[N].clear();
  Below[N].push_back({static_cast<uint32_t>(Findings.size() - 1), All});
  Places[N] = GrowthPlace();
}

void GrowthFinder::judgeNode(uint32_t N) {
  const GrowthNode &Node = Nodes.Nodes[N];
  GrowthPlace &P = Places[N];
  bool IsStack = Node.HasRows;
  // A node with several stacks below needs stacks with repeated survivors.
  bool MayLeak = P.Stacks == 1 || P.Repeated >= MinRepeated * P.Survive;
  double Cohorts = 0;
  if (!P.Data.Bytes.empty() && MayLeak &&
      add(Node.Group, Node.Node, P, /*MayBeUnsure=*/IsStack, &Cohorts)) {
    Below[N].push_back({static_cast<uint32_t>(Findings.size() - 1), P});
    P = GrowthPlace();
  } else if (Cohorts >= EnoughCohorts) {
    P = GrowthPlace();
  }
  merge(N);
  if (Node.Parent == GrowthNode::None)
    return;
  Places[Node.Parent].add(P);
  P = GrowthPlace();
  std::vector<JudgedGrowth> &Up = Below[Node.Parent];
  std::move(Below[N].begin(), Below[N].end(), std::back_inserter(Up));
  Below[N].clear();
}

void GrowthFinder::judgeArenas() {
  for (auto &[Group, P] : Arenas)
    if (spanOf(Group) != UINT32_MAX && add(Group, 0, P, /*MayBeUnsure=*/false))
      Findings.back().G.IsArenas = true;
}

void GrowthFinder::judge() {
  Below.resize(Nodes.Nodes.size());
  for (uint32_t N = Nodes.Nodes.size(); N-- != 0;)
    judgeNode(N);
  judgeArenas();
}

/// Drops findings that are likely by chance among many tests, and findings
/// contained in others.
void GrowthFinder::report() {
  auto Chances = static_cast<double>(std::max<size_t>(Tests, 1));
  for (GrowthCandidate &F : Findings) {
    if (F.Dropped)
      continue;
    Growth &G = F.G;
    if (!G.IsContainer) {
      G.PValue = std::min(1.0, G.PValue * Chances);
      if (G.Verdict == Survival::Leak && G.PValue > F.Alpha)
        G.Verdict = Survival::Unsure;
    }
    (G.Verdict == Survival::Leak ? Report.Found : Report.Unsure).push_back(G);
  }
  auto Largest = [](const Growth &A, const Growth &B) {
    return A.Rise > B.Rise;
  };
  // A place below a found caller is reported only with the caller.
  erase_if(Report.Unsure, [&](const Growth &U) {
    return any_of(Report.Found, [&](const Growth &F) {
      uint32_t N = U.Node;
      while (N && N != F.Node)
        N = T.view().parent(N);
      return F.Span == U.Span && F.Heap == U.Heap && !F.IsArenas && N == F.Node;
    });
  });
  stable_sort(Report.Found, Largest);
  stable_sort(Report.Unsure, Largest);
  for (const std::optional<RangeBins> &B : Spans)
    Report.Spans.push_back(B->span());
}

Expected<GrowthReport> GrowthFinder::finish() {
  if (Spans.empty())
    return std::move(Report);
  for (auto &Level : HeapLevels)
    Level.second.End += Level.second.Begin;
  if (Error E = readSurvivors())
    return std::move(E);
  dropEnclosing();
  Nodes = chooseGrowthNodes(T.view(), RangeOfGroup.size(), Rows,
                            Options.MinBytes, Options.MaxSeries);
  Report.Series = Nodes.Nodes.size();
  Report.LeftOut = Nodes.LeftOut;
  std::vector<GrowthLevel> Levels = makeLevels();
  Error Failed = Error::success();
  // Only the levels may need the file.
  runBoth([&] { Failed = joinErrors(std::move(Failed), readLevels(Levels)); },
          [&] { readNodes(); });
  if (Failed)
    return std::move(Failed);
  setLevels(Levels);
  judge();
  report();
  return std::move(Report);
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

GrowthSearch::GrowthSearch(IntervalSeries &Intervals, const SelectedStats &S,
                           const GrowthOptions &Options)
    : Finder(std::make_unique<GrowthFinder>(Intervals, S, Options)) {}
GrowthSearch::~GrowthSearch() = default;

Error GrowthSearch::start() { return Finder->readRanges(); }
void GrowthSearch::take(size_t Process, size_t Interval,
                        ArrayRef<IntervalChange> Changes) {
  Finder->take(Process, Interval, Changes);
}
Expected<GrowthReport> GrowthSearch::finish() { return Finder->finish(); }

Expected<GrowthReport> findGrowth(IntervalSeries &Intervals,
                                  const SelectedStats &S,
                                  const GrowthOptions &Options) {
  GrowthFinder Finder(Intervals, S, Options);
  if (Error E = Finder.readRanges())
    return std::move(E);
  if (Finder.hasRanges()) {
    if (Error E = Intervals.forEach([&](size_t Process, size_t Interval,
                                        ArrayRef<IntervalChange> Changes) {
          Finder.take(Process, Interval, Changes);
          return Error::success();
        }))
      return std::move(E);
  }
  return Finder.finish();
}

Expected<GrowthReport> findGrowth(const SelectedStats &S) {
  auto Intervals = IntervalSeries::create(S);
  if (!Intervals)
    return Intervals.takeError();
  return findGrowth(**Intervals, S, GrowthOptions());
}

} // namespace memkit
