// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads live bytes over time, by group.

#include "CountedHeaps.h"
#include "Report/ResidentSentences.h"
#include "TraceView.h"
#include "memkit/Model/Libraries.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static constexpr uint32_t NoGroup = UINT32_MAX;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The series of each heap without the bytes of its inner heaps.
static std::vector<GroupCurve>
heapCurves(const Trace &T, const CountedHeaps &C,
           std::vector<std::vector<SeriesPoint>> Heaps) {
  std::vector<GroupCurve> Out;
  std::map<uint32_t, std::vector<std::vector<SeriesPoint>>> Inner; // by outer
  for (uint32_t Id = 1; Id < Heaps.size(); ++Id)
    if (C.counts(Id) && C.outerOf(Id))
      Inner[C.outerOf(Id)].push_back(Heaps[Id]);
  for (uint32_t Id = 1; Id < Heaps.size(); ++Id) {
    if (!C.counts(Id) || Heaps[Id].empty())
      continue;
    auto In = Inner.find(Id);
    std::vector<SeriesPoint> Less;
    if (In != Inner.end())
      Less = sumOf(In->second);
    std::vector<SeriesPoint> Own = Heaps[Id];
    // Inner heaps change at other times, too.
    for (const SeriesPoint &P : Less)
      Own.push_back({P.TimeNs, 0});
    stable_sort(Own, [](const SeriesPoint &A, const SeriesPoint &B) {
      return A.TimeNs < B.TimeNs;
    });
    for (SeriesPoint &P : Own) {
      const SeriesPoint *All = pointAt<SeriesPoint>(Heaps[Id], P.TimeNs);
      const SeriesPoint *Held = pointAt<SeriesPoint>(Less, P.TimeNs);
      uint64_t Whole = All ? All->Value : 0, Part = Held ? Held->Value : 0;
      P.Value = Whole - std::min(Whole, Part);
    }
    Out.push_back({Id, T.heapName(Id).str(), CodeOwner::Other, std::move(Own)});
  }
  return Out;
}

/// The peak lies between the ends of intervals: its values come from the
/// summary.
void TraceView::addPeak(const TracePart &P, const PeakTotals &Peak,
                        DrawnCurves &To) {
  if (!Peak.TimeNs)
    return;
  uint64_t Total = 0;
  std::map<uint32_t, uint64_t> Sums; // by GroupCurve::Id
  P.stats().forEach([&](uint32_t Process, const StackStats &R) {
    uint64_t Bytes = P.filter().Heap ? R.HeapPeakBytes : R.SpacePeakBytes;
    if (!Bytes || trace().heap(R.Heap).Space != To.Space)
      return;
    Total += Bytes;
    Sums[To.By == "heap"      ? R.Heap
         : To.By == "library" ? Grouping->of(R.Key)
         : To.By == "process" ? Process
                              : Over->Where->of(R.Key)] += Bytes;
  });
  // Behind the peak, rises count before falls. The peak of a process by itself
  // is another.
  if (!P.filter().Process)
    for (SeriesPoint &Of : To.Total)
      Of.Value = std::min(Of.Value, Peak.Bytes);
  addSpike(To.Total, Peak.TimeNs, Total);
  for (GroupCurve &G : To.Groups)
    addSpike(G.Points, Peak.TimeNs, Sums[G.Id]);
}

/// The groups of stacks that curves show.
struct TraceView::StackGrouping {
  size_t Count = 0;
  std::function<uint32_t(uint32_t Process, uint32_t Stack)> Of;
  std::function<GroupCurve(uint32_t Id)> Name;
};

TraceView::StackGrouping TraceView::groupingOf(StringRef By) {
  const Trace &T = trace();
  if (By == "process")
    return {T.processes().size() + 1,
            [](uint32_t Process, uint32_t) { return Process; },
            [&T](uint32_t Id) {
              std::string Name = T.processName(Id).str();
              if (Id)
                Name += " (" + std::to_string(T.processes()[Id - 1].Pid) + ")";
              return GroupCurve{Id, std::move(Name), CodeOwner::Other, {}};
            }};
  if (By == "library") {
    if (!Grouping)
      Grouping.emplace(T);
    const Libraries &L = *Grouping;
    return {L.size(), [&L](uint32_t, uint32_t Stack) { return L.of(Stack); },
            [&L](uint32_t Id) {
              return GroupCurve{Id, L.name(Id).str(), CodeOwner::Library, {}};
            }};
  }
  const Places &Where = *Over->Where;
  return {Where.size(),
          [&Where](uint32_t, uint32_t Stack) { return Where.of(Stack); },
          [&Where](uint32_t Id) {
            const Place &P = Where.place(Id);
            return GroupCurve{Id, Where.text(P), ownerOfPlace(P.Kind), {}};
          }};
}

/// The blocks of the last process count up to the end of the run, as in all
/// sums, although the process ends a moment before.
void TraceView::keepLastValues(DrawnCurves &To) const {
  uint64_t LastNs = 0;
  for (const ProcessReport &P : Run.Processes)
    if (P.Stats && P.Stats->Ended)
      LastNs = std::max(LastNs, P.Stats->EndNs);
  auto Keep = [&](std::vector<SeriesPoint> &Points) {
    while (LastNs && !Points.empty() && Points.back().TimeNs > LastNs)
      Points.pop_back();
    // Without an end of the process, its last interval ends behind the last
    // event.
    while (!Points.empty() && Points.back().TimeNs > endNs()) {
      SeriesPoint Last{endNs(), Points.back().Value};
      Points.pop_back();
      if (Points.empty() || Points.back().TimeNs < endNs())
        Points.push_back(Last);
    }
  };
  Keep(To.Total);
  for (GroupCurve &G : To.Groups)
    Keep(G.Points);
}

/// Curves that the intervals know: points at the ends of intervals, and at the
/// peak.
Error TraceView::readIntervalCurves(TracePart &P, DrawnCurves &To) {
  Expected<IntervalSeries *> Intervals = P.intervals();
  if (!Intervals)
    return Intervals.takeError();
  const Trace &T = trace();
  CountedHeaps Counted(T, To.Space, P.filter().Heap);
  PeakTotals Peak = peakOf(P, To.Space);
  auto Heaps = readGroupSeries(
      **Intervals, T, T.heaps().size() + 1,
      [](uint32_t, uint32_t Heap, uint32_t) { return Heap; }, Peak.TimeNs);
  if (!Heaps)
    return Heaps.takeError();
  std::vector<std::vector<SeriesPoint>> Outermost;
  for (uint32_t Id = 1; Id < Heaps->size(); ++Id)
    if (Counted.isOutermost(Id))
      Outermost.push_back((*Heaps)[Id]);
  To.Total = sumOf(Outermost);
  if (To.By == "heap") {
    To.Groups = heapCurves(T, Counted, std::move(*Heaps));
  } else if (!To.By.empty()) {
    StackGrouping Of = groupingOf(To.By);
    auto Series = readGroupSeries(
        **Intervals, T, Of.Count,
        [&](uint32_t Process, uint32_t Heap, uint32_t Stack) {
          return Counted.isOutermost(Heap) ? Of.Of(Process, Stack) : NoGroup;
        },
        Peak.TimeNs);
    if (!Series)
      return Series.takeError();
    for (uint32_t Id = 0; Id != Of.Count; ++Id)
      if (!(*Series)[Id].empty()) {
        To.Groups.push_back(Of.Name(Id));
        To.Groups.back().Points = std::move((*Series)[Id]);
      }
  }
  keepLastValues(To);
  addPeak(P, Peak, To);
  return Error::success();
}

/// What resident memory consists of: the sampled parts of each process, up to
/// the process's end.
void TraceView::readResidentCurves(const TracePart &P, DrawnCurves &To) const {
  // A memory space of a device, or a heap, has no resident memory.
  if (To.Space || P.filter().Heap)
    return;
  std::vector<std::vector<SeriesPoint>> OfPart[NumResidentParts];
  for (const ProcessReport &Of : Run.Processes) {
    if ((P.filter().Process && P.filter().Process != Of.Id) ||
        Of.Id >= Over->Residents.size())
      continue;
    const ResidentSeries &Samples = Over->Residents[Of.Id];
    for (size_t I = 0; I != NumResidentParts; ++I) {
      std::vector<SeriesPoint> Points;
      for (const ResidentPoint &S : Samples.points())
        Points.push_back({S.TimeNs, S.Bytes[I]});
      if (Points.empty() ||
          all_of(Points, [](const SeriesPoint &S) { return !S.Value; }))
        continue;
      if (Of.Stats && Of.Stats->Ended)
        Points.push_back({std::max(Of.Stats->EndNs, Points.back().TimeNs), 0});
      OfPart[I].push_back(std::move(Points));
    }
  }
  std::vector<std::vector<SeriesPoint>> All;
  for (size_t I = 0; I != NumResidentParts; ++I) {
    if (OfPart[I].empty())
      continue;
    To.Groups.push_back({uint32_t(I), residentPartName(ResidentPart(I)).str(),
                         CodeOwner::Other, sumOf(OfPart[I])});
    All.push_back(To.Groups.back().Points);
  }
  To.Total = sumOf(All);
  keepLastValues(To);
}

/// False: the curves are being read.
Expected<bool> TraceView::readCurves(TracePart &P, uint32_t Space,
                                     StringRef By) {
  if (Drawn && Drawn->Of == P.filter() && Drawn->Space == Space &&
      Drawn->By == By)
    return true;
  if (Error E = readOverview())
    return std::move(E);
  DrawnCurves New;
  New.Of = P.filter();
  New.Space = Space;
  New.By = By.str();
  if (is_contained({"", "heap", "line", "library", "process"}, By)) {
    if (Error E = readIntervalCurves(P, New))
      return std::move(E);
  } else if (By == "resident") {
    readResidentCurves(P, New);
  } else if (is_contained({"thread", "category", "layer", "scope"}, By)) {
    Expected<bool> Done = readEventCurves(P, New);
    if (!Done || !*Done)
      return Done;
  } else {
    return makeRequestError("by=" + By + ": not a grouping of curves");
  }
  Drawn.emplace(std::move(New));
  return true;
}

} // namespace memkit
