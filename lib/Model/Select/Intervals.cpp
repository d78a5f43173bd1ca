// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time.

#include "memkit/Model/Intervals.h"
#include "Model/Replay/IntervalCutter.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Distance in rows of memory prefetches.
static constexpr size_t RowsAhead = 16;

IntervalSeries::~IntervalSeries() = default;

TraceReader &IntervalSeries::reader() const {
  return Made ? *Made : S.trace().reader();
}

/// Whether no interval ended before the end of its process, or nothing
/// happened at all. So short a run has no lifetimes, and lacks none.
bool IntervalSeries::isOfOneInterval() const {
  if (Processes.empty())
    return S.trace().summary().Events == 0;
  return all_of(Processes,
                [](const ProcessIntervals &I) { return I.Heads.size() == 1; });
}

bool IntervalSeries::hasLifetimes() const {
  return isOfOneInterval() ||
         any_of(reader().sections(), [](const SectionInfo &B) {
           return B.Kind == SectionKind::Lifetimes;
         });
}

bool IntervalSeries::hasSteps() const {
  return any_of(Processes,
                [](const ProcessIntervals &I) { return I.hasSteps(); });
}

Expected<std::unique_ptr<IntervalSeries>>
IntervalSeries::create(const SelectedStats &S, bool NeedsLifetimes) {
  if (Error E = S.trace().requireReader("values over time need"))
    return std::move(E);
  std::unique_ptr<IntervalSeries> New(new IntervalSeries(S));
  ArrayRef<SectionInfo> Sections = S.trace().reader().sections();
  auto Has = [&](SectionKind K) {
    return any_of(Sections, [&](const SectionInfo &B) { return B.Kind == K; });
  };
  // A cut trace lacks its last intervals, an old trace lifetimes.
  bool Whole = Has(SectionKind::Intervals) &&
               (!NeedsLifetimes || Has(SectionKind::Lifetimes)) &&
               !S.trace().isReplayed() && !S.selection().needsEvents();
  if (!Whole && !S.trace().madeIntervals().empty() &&
      !S.selection().needsEvents()) {
    if (Error E = New->openMade(S.trace().madeIntervals()))
      return std::move(E);
  } else if (!Whole && Has(SectionKind::Events)) {
    if (Error E = New->makeIntervals())
      return std::move(E);
  }
  if (Error E = New->readHeads())
    return std::move(E);
  return New;
}

/// Writes a trace with only intervals, in memory, as small as the intervals of
/// a recorder.
Error IntervalSeries::makeIntervals() {
  const Trace &T = S.trace();
  StringSink Out(MadeFile);
  auto Writer = TraceWriter::create(Out, T.header());
  if (!Writer)
    return Writer.takeError();
  IntervalCutter Cutter(**Writer);
  ReplayOptions Options;
  Options.Intervals = true;
  const Selection &Sel = S.selection();
  if (Sel.needsAllocationTimes())
    Options.Select = [&](const Allocation &B) { return Sel.hasAllocation(B); };
  Options.BytesCountOnce = !Sel.isOuterView();
  auto Run = Replay::create(T.reader(), std::move(Options), &Cutter);
  if (!Run)
    return Run.takeError();
  Cutter.start(**Run);
  const TimePoint *Last = Sel.times().last();
  if (Error E = runTo(**Run, Last))
    return E;
  if (Error E = Cutter.finish(Last && !Last->IsEnd ? Last->TimeNs
                                                   : (*Run)->endNs() + 1))
    return E;
  if (Error E = (*Run)->stats().lifetimes(
          [&](const Lifetimes &L) { return (*Writer)->write(L); }))
    return E;
  if (Error E = (*Writer)->finish())
    return E;
  return openMade(MadeFile);
}

/// Reads intervals from Bytes, which must outlive the series.
Error IntervalSeries::openMade(StringRef Bytes) {
  auto Reader = TraceReader::create(MemoryBuffer::getMemBuffer(
      Bytes, S.trace().name(), /*Requires...*/ false));
  if (!Reader)
    return Reader.takeError();
  Made = std::move(*Reader);
  return Error::success();
}

size_t ProcessIntervals::headsBefore(uint64_t Index) const {
  // Few intervals are left out, and indices never fall.
  if (!Heads.empty() && Index >= Heads.front().Index) {
    uint64_t Guess = Index - Heads.front().Index;
    if (Guess < Heads.size() && Heads[Guess].Index == Index)
      return Guess;
  }
  auto At = lower_bound(Heads, Index, [](const IntervalHead &H, uint64_t I) {
    return H.Index < I;
  });
  return At - Heads.begin();
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// An interval with many rows comes in several parts with equal index.
static bool goesOn(bool Any, uint64_t Index, const Interval &S) {
  return Any && S.Index == Index;
}

Error IntervalSeries::addHeads(const SectionInfo &B, const Intervals &Section) {
  const Trace &T = S.trace();
  auto Wrong = [&](const Twine &What) {
    return makeTraceError(T.name(), B.Offset, What);
  };
  if (Section.Process == 0 || Section.Process > T.processes().size())
    return Wrong("intervals of process " + Twine(Section.Process) + " of " +
                 Twine(T.processes().size()));
  if (!S.selection().hasProcess(Section.Process) || Section.Rows.empty())
    return Error::success();
  uint32_t &Place = PlaceOf[Section.Process];
  if (!Place) {
    Processes.push_back({Section.Process, {}});
    Cursors.emplace_back();
    Place = Processes.size();
  }
  ProcessIntervals &I = Processes[Place - 1];
  IntervalCursor &C = Cursors[Place - 1];
  for (const Interval &Part : Section.Rows) {
    if (goesOn(C.Any, C.Index, Part))
      continue;
    if (Part.EndNs < Part.BeginNs ||
        (C.Any && (Part.Index < C.Index || Part.EndNs < I.Heads.back().EndNs)))
      return Wrong("interval " + Twine(Part.Index) + " of process " +
                   Twine(Section.Process) + " is out of order");
    C = {I.Heads.size(), Part.Index, true};
    I.Heads.push_back({Part.Index, Part.FirstStep, Part.LastStep, Part.BeginNs,
                       Part.EndNs, Part.Detail});
  }
  return Error::success();
}

Error IntervalSeries::readHeads() {
  PlaceOf.assign(S.trace().processes().size() + 1, 0);
  Intervals Section;
  for (const SectionInfo &B : reader().sections()) {
    if (B.Kind != SectionKind::Intervals)
      continue;
    if (Error E = reader().readHeads(B, Section))
      return E;
    if (Error E = addHeads(B, Section))
      return E;
  }
  sort(Processes, [](const ProcessIntervals &A, const ProcessIntervals &B) {
    return A.Process < B.Process;
  });
  for (size_t Place = 0; Place != Processes.size(); ++Place)
    PlaceOf[Processes[Place].Process] = Place + 1;
  FirstRows.resize(Processes.size());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

uint32_t IntervalSeries::rowOf(uint32_t Place, const IntervalRow &R) {
  RowCache &First = *FirstRows[Place];
  if (uint32_t Known = First.find(R.Stack, R.Heap))
    return Known - 1;
  if (First.isEmpty(R.Stack)) {
    Values.emplace_back();
    First.set(R.Stack, R.Heap, Values.size());
    return Values.size() - 1;
  }
  uint64_t Key = uint64_t(Place) << 32 | R.Stack;
  auto [At, New] = OtherRows.try_emplace({Key, R.Heap}, Values.size());
  if (New)
    Values.emplace_back();
  return At->second;
}

std::optional<uint32_t> IntervalSeries::findRow(size_t Process, uint32_t Heap,
                                                uint32_t Stack) const {
  const std::unique_ptr<RowCache> &First = FirstRows[Process];
  if (!First)
    return std::nullopt;
  if (uint32_t Known = First->find(Stack, Heap))
    return Known - 1;
  auto At = OtherRows.find({uint64_t(Process) << 32 | Stack, Heap});
  if (At == OtherRows.end())
    return std::nullopt;
  return At->second;
}

Error IntervalSeries::giveInterval(const SectionInfo &B, uint32_t Place,
                                   const Interval &Part, Taker Take) {
  const Selection &Sel = S.selection();
  const Trace &T = S.trace();
  RowCache &First = *FirstRows[Place];
  Changes.clear();
  for (size_t I = 0; I != Part.Rows.size(); ++I) {
    const IntervalRow &R = Part.Rows[I];
    if (R.Heap == 0 || R.Heap > T.heaps().size() || R.Stack > T.numStacks())
      return makeTraceError(T.name(), B.Offset,
                            "an interval with heap " + Twine(R.Heap) + " of " +
                                Twine(T.heaps().size()) + ", stack " +
                                Twine(R.Stack) + " of " + Twine(T.numStacks()));
    if (I + RowsAhead < Part.Rows.size())
      First.prefetch(std::min(Part.Rows[I + RowsAhead].Stack, T.numStacks()));
    if (!Sel.hasHeap(R.Heap) || !Sel.hasStack(R.Stack))
      continue;
    uint32_t Row = rowOf(Place, R);
    Changes.push_back({Row, R.Heap, R.Stack, R.LiveBlocks, R.LiveBytes, 0, 0,
                       R.Allocations, R.AllocatedBytes, R.Temporaries});
  }
  for (size_t I = 0; I != Changes.size(); ++I) {
    if (I + RowsAhead < Changes.size())
      __builtin_prefetch(&Values[Changes[I + RowsAhead].Row]);
    IntervalChange &C = Changes[I];
    LiveValue &V = Values[C.Row];
    C.BlocksBefore = V.Blocks;
    C.BytesBefore = V.Bytes;
    V = {C.Blocks, C.Bytes};
  }
  return Changes.empty() ? Error::success()
                         : Take(Place, Cursors[Place].Interval, Changes);
}

SectionLifetimes::SectionLifetimes(const Lifetimes &L,
                                   function_ref<bool(const LifetimeRow &)> Has)
    : Cuts(L.Cuts) {
  size_t NumCohorts = 0, NumFrees = 0;
  for (const LifetimeRow &R : L.Rows) {
    NumCohorts += R.Cohorts.size();
    NumFrees += R.Frees.size();
  }
  Rows.reserve(L.Rows.size());
  Cohorts.reserve(NumCohorts);
  Frees.reserve(NumFrees);
  for (const LifetimeRow &R : L.Rows) {
    if (!Has(R))
      continue;
    Rows.push_back({R.Heap, R.Stack, static_cast<uint32_t>(R.Cohorts.size()),
                    static_cast<uint32_t>(R.Frees.size())});
    append_range(Cohorts, R.Cohorts);
    append_range(Frees, R.Frees);
  }
}

/// Checks the ids of a section of lifetimes.
Error IntervalSeries::checkLifetimes(const SectionInfo &B,
                                     const Lifetimes &L) const {
  const Trace &T = S.trace();
  if (L.Process == 0 || L.Process > T.processes().size())
    return makeTraceError(T.name(), B.Offset,
                          "lifetimes of process " + Twine(L.Process) + " of " +
                              Twine(T.processes().size()));
  if (!PlaceOf[L.Process])
    return Error::success();
  for (const LifetimeRow &R : L.Rows)
    if (R.Heap == 0 || R.Heap > T.heaps().size() || R.Stack > T.numStacks())
      return makeTraceError(T.name(), B.Offset,
                            "lifetimes with heap " + Twine(R.Heap) + " of " +
                                Twine(T.heaps().size()) + ", stack " +
                                Twine(R.Stack) + " of " + Twine(T.numStacks()));
  return Error::success();
}

Error IntervalSeries::readLifetimes() {
  const Selection &Sel = S.selection();
  auto Has = [&](const LifetimeRow &R) {
    return Sel.hasHeap(R.Heap) && Sel.hasStack(R.Stack);
  };
  // The last complete set of each process counts.
  std::vector<std::vector<SectionLifetimes>> Sets(Processes.size()),
      Open(Processes.size());
  Lifetimes L;
  for (const SectionInfo &B : reader().sections()) {
    if (B.Kind != SectionKind::Lifetimes)
      continue;
    if (Error E = reader().read(B, L))
      return E;
    if (Error E = checkLifetimes(B, L))
      return E;
    if (!PlaceOf[L.Process])
      continue;
    size_t Place = PlaceOf[L.Process] - 1;
    Open[Place].emplace_back(L, Has);
    if (L.Last)
      Sets[Place] = std::exchange(Open[Place], {});
  }
  Kept = std::move(Sets);
  return Error::success();
}

Error IntervalSeries::forEachLifetimes(
    function_ref<void(size_t, const SectionLifetimes &)> Take) {
  if (!Kept)
    if (Error E = readLifetimes())
      return E;
  for (size_t Place = 0; Place != Kept->size(); ++Place)
    for (const SectionLifetimes &L : (*Kept)[Place])
      Take(Place, L);
  return Error::success();
}

Error IntervalSeries::forEach(Taker Take) {
  std::fill(Values.begin(), Values.end(), LiveValue());
  // Unused room costs nothing.
  Values.reserve(S.numRows());
  Cursors.assign(Processes.size(), {});
  for (std::unique_ptr<RowCache> &First : FirstRows)
    if (!First) {
      First = std::make_unique<RowCache>(S.trace().numStacks());
      First->open();
    }
  Intervals Section;
  for (const SectionInfo &B : reader().sections()) {
    if (B.Kind != SectionKind::Intervals)
      continue;
    if (Error E = reader().read(B, Section))
      return E;
    // The process id was checked with the heads.
    if (!PlaceOf[Section.Process])
      continue;
    uint32_t Place = PlaceOf[Section.Process] - 1;
    IntervalCursor &C = Cursors[Place];
    for (const Interval &Part : Section.Rows) {
      if (!goesOn(C.Any, C.Index, Part))
        C = {C.Any ? C.Interval + 1 : 0, Part.Index, true};
      if (Error E = giveInterval(B, Place, Part, Take))
        return E;
    }
  }
  return Error::success();
}

} // namespace memkit
