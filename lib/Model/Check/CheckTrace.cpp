// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the consistency of a trace.

#include "CheckSummary.h"
#include "memkit/Model/BlockCategories.h"
#include "memkit/Model/Check.h"
#include "memkit/Model/Replay.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <map>
#include <tuple>

using namespace memkit;
using llvm::Error;
using llvm::formatv;

void CheckResult::add(std::string Difference) {
  if (Differences.size() < MaxDifferences)
    Differences.push_back(std::move(Difference));
  else
    MoreDifferences += 1;
}

namespace {

/// Stops the replay at each interval and snapshot of the file, and compares.
class TraceChecker : public ReplayObserver {
public:
  TraceChecker(TraceReader &R, CheckResult &Out) : R(R), Out(Out) {}

  Error findStops(const IdLimits &Limits);
  void start(Replay &To) { Run = &To; }
  /// Compares intervals and snapshots after the last event.
  Error finish();

  uint64_t nextTimeStop() override {
    return NextInterval < IntervalStops.size()
               ? IntervalStops[NextInterval].EndNs
               : UINT64_MAX;
  }
  Error timeStop(uint64_t TimeNs, uint64_t NextNs) override;
  uint64_t nextEventStop(uint32_t Process) override;
  Error eventStop(uint32_t Process, uint64_t TimeNs) override;

private:
  struct IntervalStop {
    uint64_t EndNs = 0;
    uint32_t Process = 0;
    uint32_t Row = 0;
    uint64_t Index = 0;
    const SectionInfo *Section = nullptr;
  };
  struct SnapshotStop {
    uint64_t Events = 0;
    std::vector<const SectionInfo *> Parts;
    bool Whole = false;
  };

  Error findIntervals(const SectionInfo &B, const IdLimits &Limits);
  Error findEnds(const SectionInfo &B);
  Error findSnapshot(const SectionInfo &B, const IdLimits &Limits);
  void dropUnfinished();
  llvm::Expected<Interval> readInterval(llvm::ArrayRef<IntervalStop> Parts);
  Error compareInterval(llvm::ArrayRef<IntervalStop> Parts);
  /// Reads a part of a snapshot, with its blocks, into Part.
  Error readPart(const SectionInfo &B);
  Error compareSnapshot(uint32_t Process, const SnapshotStop &K,
                        uint64_t TimeNs);
  void addBlock(uint32_t Process, const Snapshot &K, const LiveBlock &Stored,
                const LiveBlock *Is);

  TraceReader &R;
  CheckResult &Out;
  Replay *Run = nullptr;
  std::vector<IntervalStop> IntervalStops; ///< by time
  size_t NextInterval = 0;
  std::map<uint32_t, uint64_t> EndNs; ///< by process that ended
  std::map<uint32_t, std::vector<SnapshotStop>> SnapshotStops;
  std::map<uint32_t, size_t> NextSnapshot;
  /// The last section of intervals read, of each process.
  std::map<uint32_t, std::pair<const SectionInfo *, Intervals>> Cache;
  Snapshot Part;
};

Error TraceChecker::findStops(const IdLimits &Limits) {
  for (const SectionInfo &B : R.sections()) {
    Error E = B.Kind == SectionKind::Intervals  ? findIntervals(B, Limits)
              : B.Kind == SectionKind::Marks    ? findEnds(B)
              : B.Kind == SectionKind::Snapshot ? findSnapshot(B, Limits)
                                                : Error::success();
    if (E)
      return E;
  }
  auto Earlier = [](const IntervalStop &X, const IntervalStop &Y) {
    return std::tie(X.EndNs, X.Process, X.Index) <
           std::tie(Y.EndNs, Y.Process, Y.Index);
  };
  std::stable_sort(IntervalStops.begin(), IntervalStops.end(), Earlier);
  if (!R.complete() || isBeingRecorded(R.name()))
    dropUnfinished();
  for (auto &[Process, Stops] : SnapshotStops)
    std::stable_sort(Stops.begin(), Stops.end(),
                     [](const SnapshotStop &X, const SnapshotStop &Y) {
                       return X.Events < Y.Events;
                     });
  return Error::success();
}

Error TraceChecker::findIntervals(const SectionInfo &B,
                                  const IdLimits &Limits) {
  Intervals S;
  if (Error E = R.read(B, S))
    return E;
  if (std::string P = Limits.check(S); !P.empty())
    return makeTraceError(R.name(), B.Offset, P);
  for (uint32_t Row = 0; Row < S.Rows.size(); ++Row)
    IntervalStops.push_back(
        {S.Rows[Row].EndNs, S.Process, Row, S.Rows[Row].Index, &B});
  return Error::success();
}

Error TraceChecker::findEnds(const SectionInfo &B) {
  Marks S;
  if (Error E = R.read(B, S))
    return E;
  for (const Mark &M : S.Rows)
    if (M.Kind == MarkKind::ProcessEnd)
      EndNs.try_emplace(M.Process, M.TimeNs);
  return Error::success();
}

Error TraceChecker::findSnapshot(const SectionInfo &B, const IdLimits &Limits) {
  if (Error E = R.readHead(B, Part))
    return E;
  if (std::string P = Limits.check(Part); !P.empty())
    return makeTraceError(R.name(), B.Offset, P);
  std::vector<SnapshotStop> &Stops = SnapshotStops[Part.Process];
  if (Part.Part == 0)
    Stops.push_back({Part.Events, {}, false});
  if (Stops.empty() || Stops.back().Events != Part.Events ||
      Stops.back().Parts.size() != Part.Part || Stops.back().Whole) {
    Out.add(
        formatv("snapshot at offset {0}: part {1} follows no part before it",
                B.Offset, Part.Part));
    return Error::success();
  }
  Stops.back().Parts.push_back(&B);
  Stops.back().Whole = Part.Last;
  return Error::success();
}

/// Leaves out snapshots whose last part the recorder had yet to write when the
/// trace was cut off, or read. Stops: in the order of the file.
void TraceChecker::dropUnfinished() {
  for (auto &[Process, Stops] : SnapshotStops) {
    if (Stops.empty() || Stops.back().Whole)
      continue;
    Out.Notes.push_back(formatv("process {0}, snapshot after {1} events: its "
                                "end was not written yet, not compared",
                                Process, Stops.back().Events));
    Stops.pop_back();
  }
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

Error TraceChecker::timeStop(uint64_t TimeNs, uint64_t) {
  while (NextInterval < IntervalStops.size() &&
         IntervalStops[NextInterval].EndNs <= TimeNs) {
    // An interval with more rows than fit one section continues in further
    // sections.
    const IntervalStop &First = IntervalStops[NextInterval];
    size_t End = NextInterval + 1;
    while (End < IntervalStops.size() &&
           IntervalStops[End].Process == First.Process &&
           IntervalStops[End].Index == First.Index)
      ++End;
    auto Parts =
        llvm::ArrayRef(IntervalStops).slice(NextInterval, End - NextInterval);
    NextInterval = End;
    if (Error E = compareInterval(Parts))
      return E;
  }
  return Error::success();
}

llvm::Expected<Interval>
TraceChecker::readInterval(llvm::ArrayRef<IntervalStop> Parts) {
  Interval Whole;
  for (const IntervalStop &At : Parts) {
    auto &[Section, Read] = Cache[At.Process];
    if (Section != At.Section) {
      if (Error E = R.read(*At.Section, Read))
        return E;
      Section = At.Section;
    }
    const Interval &S = Read.Rows[At.Row];
    std::vector<IntervalRow> Rows = std::move(Whole.Rows);
    Whole = S;
    Whole.Rows.insert(Whole.Rows.begin(), Rows.begin(), Rows.end());
  }
  return Whole;
}

static std::string sumsOf(const IntervalRow &R) {
  return formatv("{0} blocks, {1} bytes ({2} blocks, {3} bytes allocated, {4} "
                 "temporaries)",
                 R.LiveBlocks, R.LiveBytes, R.Allocations, R.AllocatedBytes,
                 R.Temporaries)
      .str();
}

Error TraceChecker::compareInterval(llvm::ArrayRef<IntervalStop> Parts) {
  const IntervalStop &At = Parts.front();
  llvm::Expected<Interval> Joined = readInterval(Parts);
  if (!Joined)
    return Joined.takeError();
  Interval &Stored = *Joined;
  Interval Is;
  bool HasDetail = Stored.Detail != IntervalDetail::None;
  if (auto End = EndNs.find(At.Process);
      End != EndNs.end() && End->second <= At.EndNs)
    Run->stats().expectLastCut(At.Process);
  Run->stats().cutInterval(
      At.Process, At.EndNs, Run->nextAllocationId(At.Process),
      HasDetail ? Stored.Detail : IntervalDetail::Changed, Is);
  if (!HasDetail)
    for (IntervalRow &R : Is.Rows)
      R.Allocations = R.AllocatedBytes = R.Temporaries = 0;
  Out.Intervals += 1;
  std::string Name =
      formatv("process {0}, interval {1}: ", At.Process, Stored.Index).str();
  auto Compare = [&](const char *What, uint64_t A, uint64_t B) {
    if (A != B)
      Out.add(Name + formatv("{0} {1}, events give {2}", What, A, B).str());
  };
  Compare("number", Stored.Index, Is.Index);
  Compare("first step", Stored.FirstStep, Is.FirstStep);
  Compare("last step", Stored.LastStep, Is.LastStep);
  Compare("begin", Stored.BeginNs, Is.BeginNs);
  auto Key = [](const IntervalRow &X) {
    return std::make_pair(X.Heap, X.Stack);
  };
  auto Less = [&](const IntervalRow &X, const IntervalRow &Y) {
    return Key(X) < Key(Y);
  };
  if (!std::is_sorted(Stored.Rows.begin(), Stored.Rows.end(), Less))
    std::sort(Stored.Rows.begin(), Stored.Rows.end(), Less);
  auto A = Stored.Rows.begin(), AEnd = Stored.Rows.end();
  auto B = Is.Rows.begin(), BEnd = Is.Rows.end();
  while (A != AEnd || B != BEnd) {
    bool OnlyFile = B == BEnd || (A != AEnd && Less(*A, *B));
    bool OnlyEvents = A == AEnd || (B != BEnd && Less(*B, *A));
    const IntervalRow &Row = OnlyEvents ? *B : *A;
    auto Where = [&] {
      return formatv("{0}heap {1}, stack {2}: ", Name, Row.Heap, Row.Stack)
          .str();
    };
    if (OnlyFile)
      Out.add(Where() + "in the file, unchanged by the events");
    else if (OnlyEvents)
      Out.add(Where() + "changed by the events, not in the file");
    else if (!(*A == *B))
      Out.add(Where() +
              formatv("{0}, events give {1}", sumsOf(*A), sumsOf(*B)).str());
    if (!OnlyEvents)
      ++A;
    if (!OnlyFile)
      ++B;
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Snapshots
//===----------------------------------------------------------------------===//

uint64_t TraceChecker::nextEventStop(uint32_t Process) {
  auto Stops = SnapshotStops.find(Process);
  if (Stops == SnapshotStops.end())
    return UINT64_MAX;
  size_t &Next = NextSnapshot[Process];
  const std::vector<SnapshotStop> &List = Stops->second;
  // Before the first event no block lives; finish() reports blocks of such
  // snapshots.
  while (Next < List.size() && List[Next].Events == 0)
    ++Next;
  return Next < List.size() ? List[Next].Events : UINT64_MAX;
}

Error TraceChecker::eventStop(uint32_t Process, uint64_t TimeNs) {
  const std::vector<SnapshotStop> &List = SnapshotStops[Process];
  size_t &Next = NextSnapshot[Process];
  uint64_t Events = List[Next].Events;
  while (Next < List.size() && List[Next].Events == Events)
    if (Error E = compareSnapshot(Process, List[Next++], TimeNs))
      return E;
  return Error::success();
}

Error TraceChecker::readPart(const SectionInfo &B) {
  if (Error E = R.read(B, Part))
    return E;
  if (std::string P = Run->limits().check(Part); !P.empty())
    return makeTraceError(R.name(), B.Offset, P);
  return Error::success();
}

Error TraceChecker::compareSnapshot(uint32_t Process, const SnapshotStop &K,
                                    uint64_t TimeNs) {
  Out.Snapshots += 1;
  std::string Name =
      formatv("process {0}, snapshot after {1} events: ", Process, K.Events)
          .str();
  if (!K.Whole)
    Out.add(Name + "its last part is missing");
  uint64_t Count = 0, Lowest = 0;
  for (const SectionInfo *B : K.Parts) {
    if (Error E = readPart(*B))
      return E;
    if (Part.Part == 0 &&
        Part.NextAllocationId != Run->nextAllocationId(Process))
      Out.add(Name + formatv("next block {0}, events give {1}",
                             Part.NextAllocationId,
                             Run->nextAllocationId(Process))
                         .str());
    if (Part.Part == 0 && Part.TimeNs < TimeNs)
      Out.add(Name + formatv("at {0} ns, its last event is at {1} ns",
                             Part.TimeNs, TimeNs)
                         .str());
    Count += Part.Blocks.size();
    auto Compare = [&](const LiveBlock &Stored, const LiveBlock *Is) {
      if (Stored.AllocationId < Lowest)
        Out.add(
            Name +
            formatv("block {0} is out of order", Stored.AllocationId).str());
      Lowest = Stored.AllocationId + 1;
      if (Is && Stored == *Is)
        return;
      LiveBlock Same = Is ? *Is : LiveBlock();
      // A snapshot need not name an enclosing block that was freed.
      if (!Stored.Enclosing && Same.Enclosing &&
          !Run->lives(Process, Same.Enclosing - 1))
        Same.Enclosing = 0;
      if (!Is || !(Stored == Same))
        addBlock(Process, Part, Stored, Is ? &Same : nullptr);
    };
    Run->matchLive(Process, Part.Blocks, Compare);
  }
  if (K.Whole && Count != Run->liveBlocks(Process))
    Out.add(Name + formatv("{0} blocks, events give {1}", Count,
                           Run->liveBlocks(Process))
                       .str());
  return Error::success();
}

/// Reports the differences between a block of a snapshot, Stored, and the live
/// block Is; null if the block does not live.
void TraceChecker::addBlock(uint32_t Process, const Snapshot &K,
                            const LiveBlock &Stored, const LiveBlock *Is) {
  auto Name = [&] {
    return formatv("process {0}, snapshot after {1} events, block {2}: ",
                   Process, K.Events, Stored.AllocationId)
        .str();
  };
  if (!Is) {
    Out.add(Name() + "not live by the events");
    return;
  }
  auto Compare = [&](const char *What, uint64_t A, uint64_t B) {
    if (A != B)
      Out.add(Name() + formatv("{0} {1}, events give {2}", What, A, B).str());
  };
  Compare("size", Stored.Size, Is->Size);
  Compare("allocated", Stored.AllocatedNs, Is->AllocatedNs);
  Compare("stack", Stored.Stack, Is->Stack);
  Compare("scope path", Stored.ScopePath, Is->ScopePath);
  Compare("heap", Stored.Heap, Is->Heap);
  // memrec records addresses only for blocks of devices, with their events.
  if (Stored.Address)
    Compare("address", Stored.Address, Is->Address);
  Compare("enclosing block + 1", Stored.Enclosing, Is->Enclosing);
  Compare("weight", Stored.Weight, Is->Weight);
}

Error TraceChecker::finish() {
  if (Error E = timeStop(UINT64_MAX, UINT64_MAX))
    return E;
  for (auto &[Process, Stops] : SnapshotStops)
    for (const SnapshotStop &K : Stops) {
      if (K.Events > Run->stats().events(Process)) {
        Out.add(formatv("process {0}, snapshot after {1} events: there are {2}",
                        Process, K.Events, Run->stats().events(Process)));
        for (const SectionInfo *B : K.Parts)
          if (Error E = readPart(*B))
            return E;
      } else if (K.Events == 0) {
        Out.Snapshots += 1;
        for (const SectionInfo *B : K.Parts) {
          if (Error E = readPart(*B))
            return E;
          if (!Part.Blocks.empty())
            Out.add(formatv("process {0}, snapshot after 0 events: {1} blocks, "
                            "events give 0",
                            Process, Part.Blocks.size()));
        }
      }
    }
  return Error::success();
}

} // namespace

/// Decodes and checks the dictionaries in full: a replay reads their outlines.
static llvm::Error checkDictionaries(TraceReader &R) {
  IdLimits Limits;
  Dictionary D;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (llvm::Error E = R.read(B, D))
      return E;
    std::string Problem = Limits.add(D);
    if (!Problem.empty())
      return makeTraceError(R.name(), B.Offset, Problem);
  }
  return llvm::Error::success();
}

/// Whether marks tell of events that were left out on request: a recorder that
/// was killed has written no summary with the loss.
static llvm::Expected<bool> leftOutByMarks(TraceReader &R) {
  Marks M;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Marks)
      continue;
    if (Error E = R.read(B, M))
      return std::move(E);
    if (llvm::any_of(M.Rows, [](const Mark &Row) {
          return Row.Kind == MarkKind::Loss &&
                 lossKindOf(Row.Id) == LossKind::Events;
        }))
      return true;
  }
  return false;
}

static llvm::Expected<bool> leftOut(TraceReader &R, const LastSummary &Stored) {
  if (!Stored.IsThere)
    return leftOutByMarks(R);
  return llvm::any_of(Stored.Totals.Losses, [](const Loss &L) {
    return L.Kind == LossKind::Events && L.Count != 0;
  });
}

llvm::Expected<CheckResult> memkit::checkTrace(TraceReader &R) {
  CheckResult Out;
  if (llvm::Error E = checkDictionaries(R))
    return std::move(E);
  TraceChecker C(R, Out);
  ReplayOptions Options;
  Options.Intervals = true;
  auto Run = Replay::create(R, Options, &C);
  if (!Run)
    return Run.takeError();
  C.start(**Run);
  auto Stored = findLastSummary(R, (*Run)->limits());
  if (!Stored)
    return Stored.takeError();
  llvm::Expected<bool> IsLeftOut = leftOut(R, *Stored);
  if (!IsLeftOut)
    return IsLeftOut.takeError();
  bool LeftOut = *IsLeftOut;
  if (LeftOut)
    Out.Notes.push_back(
        "events were left out on request: summary, intervals and "
        "snapshots are not compared");
  else if (Error E = C.findStops((*Run)->limits()))
    return E;
  if (Error E = (*Run)->run())
    return E;
  Out.Events = (*Run)->stats().events() - (*Run)->blocksOfBases();
  const IdLimits &Limits = (*Run)->limits();
  if (!LeftOut)
    if (Error E = C.finish())
      return E;
  bool CutOff =
      Stored->IsThere && !R.complete() && Stored->Totals.Events != Out.Events;
  if (!Stored->IsThere && !LeftOut)
    Out.Notes.push_back("there is no complete summary");
  if (CutOff && !LeftOut)
    Out.Notes.push_back(formatv("the trace was cut off: its last summary is of "
                                "the first {0} of {1} events, not compared",
                                Stored->Totals.Events, Out.Events));
  bool IsWhole = Stored->IsThere && !LeftOut && !CutOff;
  if (hasBlockCategories(R) && !LeftOut)
    if (Error E = compareBlockCategories(
            R, Limits, IsWhole ? &Stored->Totals : nullptr, Out))
      return E;
  if (!Stored->IsThere)
    return Out;
  if (!IsWhole) {
    if (Error E = checkRows(R, Limits, *Stored))
      return E;
    return Out;
  }
  const LiveStats &A = (*Run)->stats();
  if (Error E = compareSummaries(R, Limits, *Stored, A, Out))
    return E;
  if (Error E = compareLifetimes(R, Limits, A, Out))
    return E;
  return Out;
}
