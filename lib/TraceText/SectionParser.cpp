// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines to sections.

#include "SectionParser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace memkit::tracetext {

SectionKind SectionParser::startedSection(const Line &L) {
  if (L.Values.empty() || L.Values[0].K != Value::Word)
    return SectionKind::None;
  return StringSwitch<SectionKind>(L.Values[0].Spelling)
      .Case("header", SectionKind::Header)
      .Case("dictionary", SectionKind::Dictionary)
      .Case("events", SectionKind::Events)
      .Case("marks", SectionKind::Marks)
      .Case("intervals", SectionKind::Intervals)
      .Case("lifetimes", SectionKind::Lifetimes)
      .Case("snapshot", SectionKind::Snapshot)
      .Case("summary", SectionKind::Summary)
      .Case("partial", SectionKind::Partial)
      .Case("block-categories", SectionKind::BlockCategories)
      .Case("scope-times", SectionKind::ScopeTimes)
      .Case("device-spans", SectionKind::DeviceSpans)
      .Case("complete", SectionKind::Index)
      .Default(SectionKind::None);
}

bool SectionParser::tooMany(const Line &L, size_t Count, StringRef What,
                            size_t Max) {
  if (Count <= Max)
    return false;
  E.set(L.loc(), ("too many " + What + " in this section: the most is " +
                  Twine(Max) + "; begin another")
                     .str());
  return true;
}

bool SectionParser::unknown(const Line &L, StringRef Section) {
  return E.set(L.loc(), ("unknown record in " + Section).str());
}

bool SectionParser::begin(SectionKind K, Line &L) {
  Kind = K;
  Loc = L.loc();
  Rows = 0;
  LineParser P = parser(L, 1);
  switch (K) {
  case SectionKind::Header:
    Header = memkit::Header();
    mapHeader(P, Header);
    break;
  case SectionKind::Events:
    return beginEvents(P);
  case SectionKind::Marks:
    Marks = memkit::Marks();
    break;
  case SectionKind::Intervals:
    Intervals = memkit::Intervals();
    mapIntervals(P, Intervals);
    break;
  case SectionKind::Lifetimes:
    Lifetimes = memkit::Lifetimes();
    mapLifetimes(P, Lifetimes);
    break;
  case SectionKind::Snapshot:
    return beginSnapshot(P);
  case SectionKind::Summary:
    Summary = memkit::Summary();
    Shares = nullptr;
    NumShares = 0;
    mapSummary(P, Summary);
    break;
  case SectionKind::Partial:
    Partial = memkit::Partial();
    Shares = nullptr;
    NumShares = 0;
    mapPartial(P, Partial);
    break;
  case SectionKind::BlockCategories:
    BlockCategories = memkit::BlockCategories();
    mapBlockCategories(P, BlockCategories);
    break;
  case SectionKind::ScopeTimes:
    ScopeTimes = memkit::ScopeTimes();
    mapScopeTimes(P, ScopeTimes);
    break;
  case SectionKind::DeviceSpans:
    DeviceSpans = memkit::DeviceSpans();
    mapDeviceSpans(P, DeviceSpans);
    break;
  default:
    break;
  }
  return P.finish(L.Values[0].Spelling);
}

bool SectionParser::record(Line &L) {
  switch (Kind) {
  case SectionKind::None:
    return E.set(L.loc(), "expected a section; a trace begins with a header");
  case SectionKind::Header:
    return E.set(L.loc(), "a header has no records; expected a section: "
                          "dictionary, events, marks, intervals, lifetimes, "
                          "snapshot, summary, partial, block-categories, "
                          "scope-times, device-spans or complete");
  case SectionKind::Dictionary:
    return dictionaryRecord(L);
  case SectionKind::Events:
    return eventRecord(L);
  case SectionKind::Marks:
    return markRecord(L);
  case SectionKind::Intervals:
    return intervalRecord(L);
  case SectionKind::Lifetimes:
    return lifetimeRecord(L);
  case SectionKind::Snapshot:
    return liveRecord(L);
  case SectionKind::Summary:
    return summaryRecord(L);
  case SectionKind::Partial:
    return partialRecord(L);
  case SectionKind::BlockCategories:
    return blockCategoryRecord(L);
  case SectionKind::ScopeTimes:
    return scopeTimesRecord(L);
  case SectionKind::DeviceSpans:
    return deviceSpanRecord(L);
  case SectionKind::Index:
    break;
  }
  return E.set(L.loc(), "nothing may follow `complete`");
}

bool SectionParser::end() {
  for (const LateRef &R : Late)
    if (R.Id > Defs.count(R.Kind))
      return E.set(
          R.Loc,
          (refName(R.Kind) + " " + Twine(R.Id) + " is not defined").str());
  Late.clear();
  if (Kind == SectionKind::Events)
    endEvents();
  if (Kind == SectionKind::ScopeTimes && !Unchecked)
    for (const ThreadScopes &T : ScopeTimes.Threads)
      if (!T.size())
        return E.set(Loc, "the scopes of a thread need a change");
  return true;
}

//===----------------------------------------------------------------------===//
// Marks, intervals, lifetimes, snapshots, categories of blocks, scope times
//===----------------------------------------------------------------------===//

bool SectionParser::markRecord(Line &L) {
  Mark M;
  LineParser P = parser(L, 0);
  mapMark(P, M);
  // With more values, a mark could exceed the limits of a section by itself.
  if (M.Values.size() > 1024)
    return E.set(L.loc(), "a mark has at most 1024 values");
  Rows += 1 + M.Values.size();
  if (!P.finish("a mark") || tooMany(L, Marks.Rows.size() + 1, "marks") ||
      tooMany(L, Rows, "marks and values", 4 * MaxSectionRows))
    return false;
  Marks.Rows.push_back(std::move(M));
  return true;
}

bool SectionParser::intervalRecord(Line &L) {
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
    return unknown(L, "a section of intervals");
  if (Intervals.Rows.empty())
    return E.set(L.loc(), "a row needs an interval before it");
  IntervalRow R;
  mapIntervalRow(P, R);
  Intervals.Rows.back().Rows.push_back(R);
  return P.finish("a row of an interval") && !tooMany(L, ++Rows, "rows");
}

bool SectionParser::lifetimeRecord(Line &L) {
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
    return unknown(L, "a section of lifetimes");
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

bool SectionParser::beginSnapshot(LineParser &P) {
  memkit::Snapshot &K = Snapshot;
  K = memkit::Snapshot();
  mapSnapshot(P, K);
  return P.finish("a snapshot");
}

bool SectionParser::liveRecord(Line &L) {
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

bool SectionParser::blockCategoryRecord(Line &L) {
  if (L.Values[0].Spelling != "block")
    return unknown(L, "categories of blocks");
  LineParser P = parser(L, 1);
  BlockCategory R;
  mapBlockCategory(P, R);
  std::vector<BlockCategory> &All = BlockCategories.Rows;
  if (!P.finish("the category of a block") ||
      tooMany(L, All.size() + 1, "blocks"))
    return false;
  if (!All.empty() && R.AllocationId <= All.back().AllocationId)
    return E.set(L.Values[1].loc(), "the blocks stand in order");
  All.push_back(R);
  return true;
}

bool SectionParser::scopeTimesRecord(Line &L) {
  LineParser P = parser(L, 1);
  if (L.Values[0].Spelling == "scopes") {
    ScopeTimes.Threads.emplace_back();
    mapThreadScopes(P, ScopeTimes.Threads.back());
    Adder = ScopeTimesAdder();
    return P.finish("the scopes of a thread");
  }
  if (L.Values[0].Spelling != "change" || ScopeTimes.Threads.empty())
    return unknown(L, "scope times");
  ScopeChange C;
  mapScopeChange(P, C);
  if (!P.finish("a change of scopes") ||
      tooMany(L, ++Rows, "changes of scopes"))
    return false;
  ThreadScopes &Of = ScopeTimes.Threads.back();
  if (C.TimeNs >> 62)
    return E.set(L.loc(), "the time is too late");
  // Times are rounded: a printed time may be later than the change.
  Adder.add(Of, C.TimeNs, C.ScopePath);
  return true;
}

} // namespace memkit::tracetext
