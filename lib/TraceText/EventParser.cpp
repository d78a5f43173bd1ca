// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of a section of events.

#include "SectionParser.h"

using namespace llvm;

namespace memkit::tracetext {

bool SectionParser::beginEvents(LineParser &P) {
  Events = memkit::Events();
  Events.Epoch = Epoch.value_or(1);
  // The default of the allocation id depends on the process.
  P.ref("process", Ref::Process, Events.Process);
  uint64_t Expected = Processes[Events.Process].NextAllocationId;
  Events.FirstAllocationId = Expected;
  mapEvents(P, Events);
  if (const Value *V = P.find("columns"))
    if (!zeroColumns(P, *V))
      return false;
  if (!P.finish("events"))
    return false;
  auto Fail = [&](StringRef Field, const Twine &What) {
    const Value *V = P.find(Field);
    return P.fail(V ? V->loc() : P.line().loc(), What);
  };
  constexpr uint64_t Max = uint64_t(1) << 62;
  if (Events.FirstAllocationId > Max)
    return Fail("allocation-id", "too large: the most is " + Twine(Max));
  if (!Unchecked) {
    if (!Events.Process)
      return Fail("process", "events need their process");
    if (Events.FirstAllocationId != Expected)
      return Fail("allocation-id",
                  "the next block of this process is #" + Twine(Expected));
    if (Epoch && Events.Epoch < *Epoch)
      return Fail("epoch", "epochs do not fall: the last was " + Twine(*Epoch));
  }
  if (Epoch != Events.Epoch)
    EarlierEndNs = EpochEndNs;
  Epoch = Events.Epoch;
  NextAllocationId = Events.FirstAllocationId;
  Threads.clear();
  return true;
}

/// Adds the named optional columns, of which all values may be zero. Rows fill
/// the columns later.
bool SectionParser::zeroColumns(LineParser &P, const Value &V) {
  static constexpr StringLiteral Names[] = {"address", "in",     "requested",
                                            "weight",  "stream", "pool"};
  static_assert(std::size(Names) == NumColumns);
  if (V.K != Value::List)
    return P.fail(V.loc(), "expected a list in [ ]");
  for (const Value &Item : P.line().items(V)) {
    uint8_t Column;
    if (!P.enumValue(Item, "column", Names, Column))
      return false;
    HasColumn[Column] = true;
  }
  return true;
}

bool SectionParser::eventRecord(Line &L) {
  LineParser P = parser(L, 0);
  EventRow R;
  R.E.Block = R.Into = NextAllocationId;
  mapEvent(P, R);
  if (!P.finish("an event of this kind") ||
      tooMany(L, Events.Rows.size() + 1, "events") || !checkEvent(P, R))
    return false;
  Events.Rows.push_back(R.E);
  NextAllocationId +=
      R.E.Kind == EventKind::Allocate || R.E.Kind == EventKind::Split;
  Rest.push_back(
      {{R.Address, R.Enclosing, R.Requested, R.Weight, R.Stream, R.Pool}});
  for (unsigned I = 0; I < NumColumns; ++I)
    HasColumn[I] |= Rest.back()[I] != 0;
  return true;
}

/// Checks the limits of a single event, and its consistency with the events
/// before it.
bool SectionParser::checkEvent(LineParser &P, const EventRow &R) {
  const Line &L = P.line();
  auto FailField = [&](StringRef Field, const Twine &What) {
    const Value *V = P.find(Field);
    return P.fail(V ? V->loc() : L.loc(), What);
  };
  const char *BlockLoc = L.Values.size() > 3 ? L.Values[3].loc() : L.loc();
  const Event &E = R.E;
  constexpr uint64_t MaxNs = uint64_t(1) << 62;
  if (E.TimeNs % TimeUnitNs)
    return P.fail(L.loc(), "times of events are multiples of " +
                               Twine(TimeUnitNs) + " ns");
  if (E.TimeNs > MaxNs)
    return P.fail(L.loc(), "too large: the most is " + Twine(MaxNs));
  if (!Events.Rows.empty() && E.TimeNs < Events.Rows.back().TimeNs)
    return P.fail(L.loc(), "times do not fall: the event before is at " +
                               Twine(Events.Rows.back().TimeNs));
  if (E.Kind == EventKind::Allocate && E.Block != NextAllocationId)
    return P.fail(BlockLoc, "the next block of this process is #" +
                                Twine(NextAllocationId));
  if (E.Kind != EventKind::Allocate && E.Block >= NextAllocationId)
    return P.fail(BlockLoc,
                  "block #" + Twine(E.Block) + " was not created before");
  if (E.Kind == EventKind::Split && R.Into != NextAllocationId)
    return FailField("into", "the next block of this process is #" +
                                 Twine(NextAllocationId));
  if (R.Enclosing > NextAllocationId)
    return FailField("in", "a block lies in one that was created before it");
  if (!is_contained(Threads, E.Thread)) {
    if (Threads.size() == MaxSectionThreads)
      return P.fail(L.Values[1].loc(),
                    "too many threads in this section: the most is " +
                        Twine(MaxSectionThreads) + "; begin another");
    Threads.push_back(E.Thread);
  }
  if (Unchecked)
    return true;
  if (!E.Thread)
    return P.fail(L.Values[1].loc(), "an event needs its thread");
  if (E.Kind == EventKind::Allocate && !E.Heap)
    return FailField("heap", "an allocation needs its heap");
  if (Events.Rows.empty())
    return checkFirst(P, E.TimeNs);
  return true;
}

/// Checks the first time of a section against the sections before.
bool SectionParser::checkFirst(LineParser &P, uint64_t TimeNs) {
  uint64_t LastNs = Processes[Events.Process].LastNs;
  if (TimeNs < LastNs)
    return P.fail(P.line().loc(),
                  "the events of this process go on from " + Twine(LastNs));
  if (TimeNs < EarlierEndNs)
    return P.fail(P.line().loc(),
                  "the epoch before this one ends at " + Twine(EarlierEndNs));
  return true;
}

void SectionParser::endEvents() {
  size_t N = Events.Rows.size();
  EventColumns &C = Events.Columns;
  auto Fill = [&](unsigned I, auto &Column) {
    if (!HasColumn[I])
      return;
    Column.resize(N);
    for (size_t Row = 0; Row < N; ++Row)
      Column[Row] =
          typename std::decay_t<decltype(Column)>::value_type(Rest[Row][I]);
  };
  Fill(0, C.Address);
  Fill(1, C.Enclosing);
  Fill(2, C.Requested);
  Fill(3, C.Weight);
  Fill(4, C.Stream);
  Fill(5, C.Pool);
  Rest.clear();
  std::fill(std::begin(HasColumn), std::end(HasColumn), false);
  EventsState &I = Processes[Events.Process];
  I.NextAllocationId = NextAllocationId;
  if (N) {
    I.LastNs = Events.Rows.back().TimeNs;
    EpochEndNs = std::max(EpochEndNs, I.LastNs);
  }
}

} // namespace memkit::tracetext
