// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines to blocks.

#include "BlockParser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace memkit::tracetext {

BlockKind BlockParser::startedBlock(const Line &L) {
  if (L.Values.empty() || L.Values[0].K != Value::Word)
    return BlockKind::None;
  return StringSwitch<BlockKind>(L.Values[0].Spelling)
      .Case("header", BlockKind::Header)
      .Case("dictionary", BlockKind::Dictionary)
      .Case("events", BlockKind::Events)
      .Case("marks", BlockKind::Marks)
      .Case("intervals", BlockKind::Intervals)
      .Case("lifetimes", BlockKind::Lifetimes)
      .Case("snapshot", BlockKind::Snapshot)
      .Case("summary", BlockKind::Summary)
      .Case("complete", BlockKind::Index)
      .Default(BlockKind::None);
}

bool BlockParser::tooMany(const Line &L, size_t Count, StringRef What,
                          size_t Max) {
  if (Count <= Max)
    return false;
  E.set(L.loc(), ("too many " + What + " in this block: the most is " +
                  Twine(Max) + "; begin another")
                     .str());
  return true;
}

bool BlockParser::unknown(const Line &L, StringRef Block) {
  return E.set(L.loc(), ("unknown record in " + Block).str());
}

bool BlockParser::begin(BlockKind K, Line &L) {
  Kind = K;
  Loc = L.loc();
  Rows = 0;
  LineParser P = parser(L, 1);
  switch (K) {
  case BlockKind::Header:
    Header = memkit::Header();
    mapHeader(P, Header);
    break;
  case BlockKind::Events:
    return beginEvents(P);
  case BlockKind::Marks:
    Marks = memkit::Marks();
    break;
  case BlockKind::Intervals:
    Intervals = memkit::Intervals();
    mapIntervals(P, Intervals);
    break;
  case BlockKind::Lifetimes:
    Lifetimes = memkit::Lifetimes();
    mapLifetimes(P, Lifetimes);
    break;
  case BlockKind::Snapshot:
    return beginSnapshot(P);
  case BlockKind::Summary:
    Summary = memkit::Summary();
    Shares = nullptr;
    NumShares = 0;
    mapSummary(P, Summary);
    break;
  default:
    break;
  }
  return P.finish(L.Values[0].Spelling);
}

bool BlockParser::record(Line &L) {
  switch (Kind) {
  case BlockKind::None:
    return E.set(L.loc(), "expected a block; a trace begins with a header");
  case BlockKind::Header:
    return E.set(L.loc(), "a header has no records; expected a block: "
                          "dictionary, events, marks, intervals, lifetimes, "
                          "snapshot, summary or complete");
  case BlockKind::Dictionary:
    return dictionaryRecord(L);
  case BlockKind::Events:
    return eventRecord(L);
  case BlockKind::Marks:
    return markRecord(L);
  case BlockKind::Intervals:
    return intervalRecord(L);
  case BlockKind::Lifetimes:
    return lifetimeRecord(L);
  case BlockKind::Snapshot:
    return liveRecord(L);
  case BlockKind::Summary:
    return summaryRecord(L);
  case BlockKind::Index:
    break;
  }
  return E.set(L.loc(), "nothing may follow `complete`");
}

bool BlockParser::end() {
  for (const LateRef &R : Late)
    if (R.Id > Defs.count(R.Kind))
      return E.set(
          R.Loc,
          (refName(R.Kind) + " " + Twine(R.Id) + " is not defined").str());
  Late.clear();
  if (Kind == BlockKind::Events)
    endEvents();
  return true;
}

//===----------------------------------------------------------------------===//
// Marks, intervals, snapshots
//===----------------------------------------------------------------------===//

bool BlockParser::markRecord(Line &L) {
  Mark M;
  LineParser P = parser(L, 0);
  mapMark(P, M);
  // The most that a block of marks can take up with its numbers alone.
  if (M.Values.size() > 1024)
    return E.set(L.loc(), "a mark has at most 1024 values");
  Rows += 1 + M.Values.size();
  if (!P.finish("a mark") || tooMany(L, Marks.Rows.size() + 1, "marks") ||
      tooMany(L, Rows, "marks and values", 4 * MaxBlockRows))
    return false;
  Marks.Rows.push_back(std::move(M));
  return true;
}

bool BlockParser::intervalRecord(Line &L) {
  LineParser P = parser(L, 1);
  if (L.Values[0].Spelling == "interval") {
    Interval S;
    mapInterval(P, S);
    if (tooMany(L, Intervals.Rows.size() + 1, "intervals"))
      return false;
    Intervals.Rows.push_back(std::move(S));
    return P.finish("an interval");
  }
  if (L.Values[0].Spelling != "row")
    return unknown(L, "a block of intervals");
  if (Intervals.Rows.empty())
    return E.set(L.loc(), "a row needs an interval before it");
  IntervalRow R;
  mapIntervalRow(P, R);
  Intervals.Rows.back().Rows.push_back(R);
  return P.finish("a row of an interval") && !tooMany(L, ++Rows, "rows");
}

bool BlockParser::lifetimeRecord(Line &L) {
  LineParser P = parser(L, 1);
  StringRef Word = L.Values[0].Spelling;
  if (Word == "cut") {
    mapLifetimeCut(P, Lifetimes.Cuts.emplace_back());
    return P.finish("a cut") && !tooMany(L, Lifetimes.Cuts.size(), "cuts");
  }
  if (Word == "life") {
    mapLifetimeRow(P, Lifetimes.Rows.emplace_back());
    return P.finish("a row of lifetimes") && !tooMany(L, ++Rows, "rows");
  }
  if (Word != "cohort" && Word != "freed")
    return unknown(L, "a block of lifetimes");
  if (Lifetimes.Rows.empty())
    return E.set(L.loc(), ("`" + Word + "` needs `life` before it").str());
  LifetimeRow &R = Lifetimes.Rows.back();
  if (Word == "freed") {
    LateFrees &F = R.Frees.emplace_back();
    mapLateFrees(P, F);
    if (F.Age.Steps >= NumAgeClasses || F.Age.Time >= NumAgeClasses)
      return E.set(L.loc(), "an age is a number below 64");
    return P.finish("late frees") && !tooMany(L, ++Rows, "rows");
  }
  uint64_t From = R.Cohorts.empty() ? 0 : uint64_t(R.Cohorts.back().Last) + 1;
  Cohort &C = R.Cohorts.emplace_back();
  mapCohort(P, C);
  if (C.Last < C.Interval)
    C.Last = C.Interval;
  if (C.Interval < From)
    return E.set(L.loc(), "the cohorts of a row stand in order");
  return P.finish("a cohort") && !tooMany(L, ++Rows, "rows");
}

bool BlockParser::beginSnapshot(LineParser &P) {
  memkit::Snapshot &K = Snapshot;
  K = memkit::Snapshot();
  mapSnapshot(P, K);
  return P.finish("a snapshot");
}

bool BlockParser::liveRecord(Line &L) {
  if (L.Values[0].Spelling != "live")
    return unknown(L, "a snapshot");
  LineParser P = parser(L, 1);
  LiveBlock B;
  mapLiveBlock(P, B);
  if (!P.finish("a live block") ||
      tooMany(L, Snapshot.Blocks.size() + 1, "blocks"))
    return false;
  auto Fail = [&](StringRef Field, const Twine &What) {
    const Value *V = P.find(Field);
    return E.set(V ? V->loc() : L.loc(), What.str());
  };
  if (B.AllocationId >= Snapshot.NextAllocationId)
    return E.set(L.Values[1].loc(),
                 "the snapshot's next block is #" +
                     std::to_string(Snapshot.NextAllocationId));
  if (!Snapshot.Blocks.empty() &&
      B.AllocationId <= Snapshot.Blocks.back().AllocationId)
    return E.set(L.Values[1].loc(), "the blocks of a snapshot stand in order");
  if (B.AllocatedNs > Snapshot.TimeNs)
    return Fail("allocated", "allocated after the snapshot's time");
  if ((Snapshot.TimeNs - B.AllocatedNs) % TimeUnitNs)
    return Fail("allocated",
                "the age at the snapshot's time is not a multiple of " +
                    Twine(TimeUnitNs) + " ns");
  Snapshot.Blocks.push_back(B);
  return true;
}

//===----------------------------------------------------------------------===//
// Summary
//===----------------------------------------------------------------------===//

bool BlockParser::sumRow(LineParser &P) {
  std::vector<SumRows> &Groups =
      SumContexts ? Summary.Contexts : Summary.Stacks;
  if (Groups.empty())
    return P.fail(P.line().loc(),
                  "a row needs `stacks` or `contexts` before it");
  SumRow R;
  mapSumRow(P, SumContexts, R);
  Groups.back().Rows.push_back(R);
  return P.finish(SumContexts ? "a row of contexts" : "a row of stacks") &&
         !tooMany(P.line(), ++Rows, "rows");
}

bool BlockParser::shareRecord(LineParser &P) {
  const char *Loc = P.line().loc();
  if (!Shares)
    return P.fail(Loc, "a share needs a process, a step or a layer before it");
  SpaceShare S;
  mapSpaceShare(P, S);
  if (!P.finish("a share"))
    return false;
  if (!Shares->empty() && S.Space <= Shares->back().Space)
    return E.set(Loc, "the spaces of shares rise");
  Shares->push_back(S);
  return !tooMany(P.line(), ++NumShares, "shares");
}

bool BlockParser::summaryRecord(Line &L) {
  LineParser P = parser(L, 1);
  StringRef Word = L.Values[0].Spelling;
  auto Add = [&](auto &List, StringRef What, auto Map) {
    auto &R = List.emplace_back();
    Map(R);
    return P.finish(What) && !tooMany(L, List.size(), "records of this kind");
  };
  // The last of a list that grows no more before its shares are told.
  auto AddShared = [&](auto &List, StringRef What, auto Map) {
    bool Fine = Add(List, What, Map);
    Shares = &List.back().Shares;
    return Fine;
  };
  if (Word == "row")
    return sumRow(P);
  if (Word == "share")
    return shareRecord(P);
  if (Word == "stacks" || Word == "contexts") {
    SumContexts = Word == "contexts";
    return Add(SumContexts ? Summary.Contexts : Summary.Stacks, Word,
               [&](SumRows &R) { mapSumRows(P, R); });
  }
  if (Word == "heap")
    return Add(Summary.Heaps, "a heap's totals",
               [&](HeapTotals &R) { mapHeapTotals(P, R); }) &&
           (Summary.Heaps.back().Sizes.size() <= NumSizeClasses ||
            E.set(L.loc(), "a heap has at most 65 classes of sizes"));
  if (Word == "space")
    return Add(Summary.Spaces, "a space's totals",
               [&](Totals &R) { mapTotals(P, Ref::Device, R); });
  if (Word == "process")
    return AddShared(Summary.Processes, "a process's totals",
                     [&](ProcessTotals &R) { mapProcessTotals(P, R); });
  if (Word == "step")
    return AddShared(Summary.Steps, "a step",
                     [&](StepTotals &R) { mapStepTotals(P, R); });
  if (Word == "layer")
    return AddShared(Summary.Layers, "a layer",
                     [&](LayerTotals &R) { mapLayerTotals(P, R); });
  if (Word == "loss")
    return Add(Summary.Losses, "a loss", [&](Loss &R) { mapLoss(P, R); });
  if (Word == "kind")
    return Add(Summary.Kinds, "a kind",
               [&](KindTotals &R) { mapKindTotals(P, R); });
  if (Word == "oom")
    return Add(Summary.Ooms, "an oom",
               [&](OomTotals &R) { mapOomTotals(P, R); });
  if (Word == "oom-heap")
    return Add(Summary.OomHeaps, "an oom's heap",
               [&](OomHeap &R) { mapOomHeap(P, R); });
  if (Word == "thread")
    return Add(Summary.Threads, "a thread's totals",
               [&](ThreadTotals &R) { mapThreadTotals(P, R); });
  return unknown(L, "a summary");
}

} // namespace memkit::tracetext
