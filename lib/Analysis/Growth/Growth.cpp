// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds growth up to the end of the run: reads intervals and lifetimes.

#include "memkit/Analysis/Growth.h"
#include "GrowthFinder.h"
#include "Support/Failure.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace llvm;

namespace memkit {

/// Distance in rows of memory prefetches.
static constexpr size_t ChangesAhead = 16;
/// A row whose memory was freed is looked at if it once had this part of the
/// highest live bytes of its memory space.
static constexpr double LargeFreed = 0.02;

bool GrowthReport::has(GrowthWord Word) const {
  return any_of(Found, [&](const Growth &G) { return G.Word == Word; });
}

void GrowthPlace::add(const GrowthPlace &P) {
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

void GrowthRowValues::addTo(GrowthPlace &P) const {
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

static void addBins(std::vector<double> &To, ArrayRef<double> From,
                    function_ref<double(double, double)> Join) {
  To.resize(std::max(To.size(), From.size()));
  for (size_t I = 0; I != From.size(); ++I)
    To[I] = Join(To[I], From[I]);
}

void GrowthTotals::takeLarger(const GrowthTotals &Other) {
  auto Larger = [](double A, double B) { return std::max(A, B); };
  Before = std::max(Before, Other.Before);
  addBins(Live, Other.Live, Larger);
  addBins(Allocated, Other.Allocated, Larger);
}

void GrowthTotals::add(const GrowthTotals &Other) {
  auto Plus = [](double A, double B) { return A + B; };
  Before += Other.Before;
  addBins(Live, Other.Live, Plus);
  addBins(Allocated, Other.Allocated, Plus);
}

/// Finds the processes whose recording was off at first, or off to the end, and
/// those whose first steps were a framework's.
Error GrowthFinder::readSwitches() {
  if (!T.hasReader())
    return Error::success();
  return T.forEachMark([&](const Mark &M) {
    if (M.Kind == MarkKind::Step && !M.Values.empty()) {
      Recorded[M.Process].OwnStepsNs = M.TimeNs;
    } else if (M.Kind == MarkKind::RecordOff) {
      Recorded[M.Process].UntilNs = M.TimeNs;
    } else if (M.Kind == MarkKind::RecordOn) {
      RecordedTime &Of = Recorded[M.Process];
      if (Of.UntilNs == UINT64_MAX && !Of.FromNs)
        Of.FromNs = M.TimeNs;
      Of.UntilNs = UINT64_MAX;
    }
  });
}

/// The end of the observed life of a process.
uint64_t GrowthFinder::lifeEnd(const ProcessIntervals &I,
                               const RangeBins &Span) const {
  if (Span.span().EndsEarly) // the begin of the shutdown
    return std::max(I.Heads[Span.end()].BeginNs, Span.span().EndNs);
  uint64_t LastNs = I.Heads.back().EndNs;
  if (const TimePoint *At = S.selection().times().last(); At && !At->IsEnd)
    return std::max(LastNs, At->TimeNs);
  const ProcessStats *Of = T.processStats(I.Process);
  return std::max(LastNs, Of && Of->Ended ? Of->EndNs : T.endNs());
}

/// Makes the bins of each memory space of the analysed processes.
Error GrowthFinder::readRanges() {
  size_t Groups = Intervals.processes().size() * numHeaps();
  constexpr size_t MaxGroups = size_t(1) << 24;
  if (Groups > MaxGroups)
    return makeError(T.name() + ": " + Twine(Intervals.processes().size()) +
                     " processes with " + Twine(numHeaps()) +
                     " heaps are too many to judge growth; select fewer");
  RangeOfGroup.assign(Groups, UINT32_MAX);
  if (Error E = readSwitches())
    return E;
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
      RecordedTime Of = Recorded.lookup(I.Process);
      std::optional<RangeBins> Span =
          RangeBins::create(I, Space, Cut, Options, Of, Has);
      Max = std::max(Max, Has);
      Value = UINT32_MAX;
      if (!Span)
        continue;
      Value = static_cast<uint32_t>(Spans.size());
      Ranges.push_back(Span->span());
      GrowthRange &Range = Ranges.back();
      // The interval of a switch may end a little later.
      Range.LifeEndNs =
          std::max(Range.EndNs, std::min(lifeEnd(I, *Span), Of.UntilNs));
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
  GrowthTotals *OfLast = nullptr;
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
    if (Group != std::exchange(Last, Group)) {
      OfLast = &HeapTotals[Group];
      OfLast->Live.resize(B.bins().size());
      OfLast->Allocated.resize(B.bins().size());
    }
    double Bytes =
        static_cast<double>(C.Bytes) - static_cast<double>(C.BytesBefore);
    // What lived before the recording counts from the begin.
    if (Interval < B.begin() || Old.livedBefore(C.Stack)) {
      I.AtBegin = I.Highest = C.Bytes;
      OfLast->Before += Bytes;
    } else {
      I.Highest = std::max(I.Highest, C.Bytes);
      size_t Bin = B.binOf(Interval);
      OfLast->Live[Bin] += Bytes;
      addAllocated(C, Bin, I, *OfLast);
    }
    if (KeepsAll)
      keep(C, Bytes);
  }
  KeptIntervals.push_back({Interval, Kept.size()});
}

/// Adds the allocated bytes of a change. They count since the row's previous
/// change, so they are spread over the bins since.
void GrowthFinder::addAllocated(const IntervalChange &C, size_t Bin,
                                JudgedRow &I, GrowthTotals &To) {
  size_t From = I.AfterBin ? std::min<size_t>(I.AfterBin, Bin) : Bin;
  double Part = static_cast<double>(C.AllocatedBytes) /
                static_cast<double>(Bin + 1 - From);
  for (size_t B = From; B <= Bin; ++B)
    To.Allocated[B] += Part;
  I.AfterBin = static_cast<uint32_t>(Bin + 1);
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
  const JudgedRow &I = Infos[Row];
  B.read(Intervals.processes()[Process], R, I.AtBegin, Out.Data);
  size_t Bins = 0;
  Out.Survive = 0;
  for (uint32_t Bin : Out.Data.Bins) {
    double Bytes = Out.Data.Bytes[Bin];
    Out.Survive += Bytes;
    Bins += Bytes > 0;
  }
  Out.IsRepeated = Bins > 1;
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
    Rows[*Row].Gained = toBytes(V.Survive);
    if (Old.livedBefore(R.Stack)) {
      Rows[*Row].Group = GrowthRow::NoGroup;
      return;
    }
    if (!ArenasOf.isArena(R.Stack))
      return;
    Rows[*Row].Group = GrowthRow::NoGroup;
    // An import needs its arenas once.
    if (!ArenasOf.isInImport(R.Stack)) {
      uint32_t Group = groupOf(Process, R.Heap);
      ArenaRows.push_back({*Row, Group});
      Report.Arenas.push_back({Group, R.Stack, toBytes(V.Survive)});
      auto [At, New] = Arenas.try_emplace(Group);
      if (New)
        At->second.Data = SurvivalData(Spans[spanOf(Group)]->bins().size());
      V.addTo(At->second);
    }
  });
}

/// Rows whose memory was freed gained, too, if the memory was large.
void GrowthFinder::addFreedRows() {
  for (size_t Row = 0; Row != Rows.size(); ++Row) {
    GrowthRow &R = Rows[Row];
    const JudgedRow &I = Infos[Row];
    if (R.Group == GrowthRow::NoGroup || !R.Moved)
      continue;
    uint64_t Gained = I.Highest - std::min(I.AtBegin, I.Highest);
    double Min = LargeFreed * SpaceTotals[spanOf(R.Group)].highest();
    if (Gained > R.Gained && static_cast<double>(Gained) >= Min)
      R.Gained = Gained;
  }
}

/// The live and allocated bytes of a heap and the heaps inside. A block of an
/// inner heap may lie in a block of the outer heap, so no byte counts twice.
GrowthTotals GrowthFinder::sumOf(size_t Process, uint32_t Heap) const {
  GrowthTotals Out, Inside;
  if (auto At = HeapTotals.find(groupOf(Process, Heap)); At != HeapTotals.end())
    Out = At->second;
  for (uint32_t Inner = 1; Inner <= numHeaps(); ++Inner)
    if (T.heaps()[Inner - 1].Parent == Heap && Inner != Heap &&
        spaceOf(Inner) == spaceOf(Heap))
      Inside.add(sumOf(Process, Inner));
  Out.takeLarger(Inside);
  return Out;
}

/// Sums the heaps of each memory space.
void GrowthFinder::sumSpaces() {
  for (auto &[Group, Of] : HeapTotals) {
    double Live = Of.Before;
    for (double &V : Of.Live)
      V = Live += V;
  }
  SpaceTotals.resize(Spans.size());
  for (size_t Process = 0; Process != Intervals.processes().size(); ++Process)
    for (uint32_t Heap = 1; Heap <= numHeaps(); ++Heap) {
      uint32_t Span = spanOf(groupOf(Process, Heap));
      uint32_t Outer = T.heaps()[Heap - 1].Parent;
      if (Span != UINT32_MAX &&
          (!Outer || spaceOf(Outer) != spaceOf(Heap) || Outer == Heap))
        SpaceTotals[Span].add(sumOf(Process, Heap));
    }
  for (size_t Span = 0; Span != Spans.size(); ++Span) {
    SpaceTotals[Span].Live.resize(Spans[Span]->bins().size());
    SpaceTotals[Span].Allocated.resize(Spans[Span]->bins().size());
  }
}

/// Gives the rows that end at a node a node of their own, so that
/// judgeOwnRows() can judge them without the rows that end below it.
void GrowthFinder::partOwnRows() {
  NumJudged = uint32_t(Nodes.Nodes.size());
  auto IsOwn = [&](size_t Row) {
    return T.view().leaf(Rows[Row].Stack) == Nodes.Nodes[Nodes.OfRow[Row]].Node;
  };
  BitVector HasBelow(NumJudged);
  for (size_t Row = 0; Row != Nodes.OfRow.size(); ++Row)
    if (Nodes.OfRow[Row] != GrowthNode::None && !IsOwn(Row))
      HasBelow.set(Nodes.OfRow[Row]);
  for (uint32_t N = 0; N != NumJudged; ++N)
    if (uint32_t Parent = Nodes.Nodes[N].Parent; Parent != GrowthNode::None)
      HasBelow.set(Parent);
  for (uint32_t N : HasBelow.set_bits())
    if (GrowthNode Own = Nodes.Nodes[N]; Own.HasRows && Own.Node != 0) {
      OwnRows[N] = uint32_t(Nodes.Nodes.size());
      Own.Parent = N;
      Nodes.Nodes.push_back(Own);
    }
  for (size_t Row = 0; Row != Nodes.OfRow.size(); ++Row)
    if (Nodes.OfRow[Row] != GrowthNode::None && IsOwn(Row))
      if (auto At = OwnRows.find(Nodes.OfRow[Row]); At != OwnRows.end())
        Nodes.OfRow[Row] = At->second;
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

Expected<GrowthReport> GrowthFinder::finish() {
  if (Spans.empty())
    return std::move(Report);
  sumSpaces();
  if (Error E = readSurvivors())
    return std::move(E);
  dropEnclosing();
  addFreedRows();
  Nodes = chooseGrowthNodes(T.view(), RangeOfGroup.size(), Rows,
                            Options.MinBytes, Options.MaxSeries);
  Report.Series = Nodes.Nodes.size();
  Report.LeftOut = Nodes.LeftOut;
  Report.LeftOutBytes = toBytes(Nodes.LeftOutBelow);
  partOwnRows();
  std::vector<GrowthLevel> Levels = makeLevels();
  Error Failed = Error::success();
  // Only the levels may need the file.
  runBoth([&] { Failed = joinErrors(std::move(Failed), readLevels(Levels)); },
          [&] { readNodes(); });
  if (Failed)
    return std::move(Failed);
  setLevels(Levels);
  judge();
  chooseWords();
  dropDoubles();
  dropMinor();
  readParts();
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
