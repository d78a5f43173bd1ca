// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All measurements of a run over time.

#include "memkit/Analysis/RunTimeline.h"
#include "Analysis/Resident/Resident.h"
#include "memkit/Analysis/HeapCurves.h"
#include "memkit/Model/Query.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

StringRef timelineUnit(TimelineKind K) {
  if (K == TimelineKind::Step)
    return "step";
  return K == TimelineKind::Mark ? "mark" : "bytes";
}

namespace {

class TimelineReader {
public:
  TimelineReader(const SelectedStats &S, const LiveSeries &Live)
      : S(S), Sel(S.selection()), T(S.trace()), Live(Live),
        OfHeaps(Sel.isOuterView()) {}

  Expected<std::vector<TimelineSeries>> read();

private:
  bool hasHeap(uint32_t Heap) const { return !OfHeaps || Sel.hasHeap(Heap); }
  bool hasAll() const;
  void add(TimelineKind Kind, uint32_t Id, std::string Name,
           std::vector<SeriesPoint> Points);
  void addLive();
  void addPeak(TimelineKind Kind, uint32_t Id, StringRef Name,
               const TotalStats &Of);
  void addResident(const MarkSeries &Marks);
  void addReserved(const MarkSeries &Marks);
  void addSteps();
  Error addMarks();

  const SelectedStats &S;
  const Selection &Sel;
  const Trace &T;
  const LiveSeries &Live;
  bool OfHeaps;
  std::vector<TimelineSeries> Out;
};

} // namespace

bool TimelineReader::hasAll() const {
  for (uint32_t Id = 1; Id <= T.processes().size(); ++Id)
    if (!Sel.hasProcess(Id))
      return false;
  return true;
}

void TimelineReader::add(TimelineKind Kind, uint32_t Id, std::string Name,
                         std::vector<SeriesPoint> Points) {
  if (!Points.empty())
    Out.push_back({Kind, Id, std::move(Name), std::move(Points)});
}

void TimelineReader::addPeak(TimelineKind Kind, uint32_t Id, StringRef Name,
                             const TotalStats &Of) {
  if (Of.PeakBytes)
    add(Kind, Id, (Name + " peak").str(), {{Of.PeakTimeNs, Of.PeakBytes}});
}

void TimelineReader::addLive() {
  uint32_t Spaces = OfHeaps ? 0 : T.devices().size() + 1;
  uint32_t Heaps = T.heaps().size();
  for (uint32_t Id = 0; Id != Spaces; ++Id)
    add(TimelineKind::SpaceLive, Id, (T.spaceName(Id) + " live").str(),
        spaceSeries(T, Id, Live));
  for (uint32_t Id = 1; Id <= Heaps && Id < Live.Heaps.size(); ++Id)
    if (hasHeap(Id))
      add(TimelineKind::HeapLive, Id, (T.heapName(Id) + " live").str(),
          Live.Heaps[Id]);
  if (!hasAll())
    return;
  for (uint32_t Id = 0; Id != Spaces; ++Id)
    addPeak(TimelineKind::SpacePeak, Id, T.spaceName(Id), T.spaceStats(Id));
  for (uint32_t Id = 1; Id <= Heaps; ++Id)
    if (hasHeap(Id))
      addPeak(TimelineKind::HeapPeak, Id, T.heapName(Id), T.heapStats(Id));
}

void TimelineReader::addResident(const MarkSeries &Marks) {
  std::vector<SeriesPoint> Sums = residentSeries(S, Marks.Rss);
  // The end of the last process is no sample.
  while (!Sums.empty() && Sums.back().TimeNs > T.endNs())
    Sums.pop_back();
  add(TimelineKind::Resident, 0, "resident", std::move(Sums));
  std::vector<uint32_t> Sampled;
  for (uint32_t Id = 1; Id < Marks.Rss.size(); ++Id)
    if (Sel.hasProcess(Id) && !Marks.Rss[Id].empty())
      Sampled.push_back(Id);
  if (Sampled.size() < 2)
    return;
  for (uint32_t Id : Sampled)
    add(TimelineKind::ProcessResident, Id,
        (T.processName(Id) + " " + Twine(T.processes()[Id - 1].Pid) +
         " resident")
            .str(),
        Marks.Rss[Id]);
}

void TimelineReader::addReserved(const MarkSeries &Marks) {
  std::vector<TimelineSeries> Active;
  for (uint32_t Id = 1; Id < Marks.Heaps.size(); ++Id) {
    if (!hasHeap(Id))
      continue;
    std::vector<SeriesPoint> Reserved;
    TimelineSeries Of{
        TimelineKind::Active, Id, (T.heapName(Id) + " active").str(), {}};
    for (const ReservedPoint &P : Marks.Heaps[Id]) {
      Reserved.push_back({P.TimeNs, P.Reserved});
      if (P.Active)
        Of.Points.push_back({P.TimeNs, *P.Active});
    }
    add(TimelineKind::Reserved, Id, (T.heapName(Id) + " reserved").str(),
        std::move(Reserved));
    if (!Of.Points.empty())
      Active.push_back(std::move(Of));
  }
  append_range(Out, Active);
}

void TimelineReader::addSteps() {
  std::vector<StepReport> Steps = querySteps(T, &Sel);
  if (Steps.empty())
    return;
  std::vector<SeriesPoint> Points;
  for (const StepReport &Step : Steps)
    if (Step.Process == Steps.front().Process)
      Points.push_back({Step.BeginNs, Step.Step});
  add(TimelineKind::Step, Steps.front().Process, "step", std::move(Points));
}

Error TimelineReader::addMarks() {
  // By name, and by heap.
  MapVector<uint32_t, std::vector<SeriesPoint>> Named, Ooms;
  Error E = T.forEachMark([&](const Mark &One) {
    bool IsOom = One.Kind == MarkKind::Oom;
    if ((!IsOom && One.Kind != MarkKind::User) ||
        (One.Process && One.Process <= T.processes().size() &&
         !Sel.hasProcess(One.Process)))
      return;
    if (!IsOom)
      Named[One.Name].push_back({One.TimeNs, 1});
    else if (!OfHeaps || (One.Heap && One.Heap <= T.heaps().size() &&
                          Sel.hasHeap(One.Heap)))
      Ooms[One.Heap].push_back(
          {One.TimeNs, One.Values.empty() ? 0 : One.Values[0]});
  });
  if (E)
    return E;
  auto AddAll = [&](TimelineKind Kind, auto &All, auto NameOf) {
    for (auto &[Id, Points] : All) {
      stable_sort(Points, [](const SeriesPoint &A, const SeriesPoint &B) {
        return A.TimeNs < B.TimeNs;
      });
      add(Kind, Id, NameOf(Id), std::move(Points));
    }
  };
  AddAll(TimelineKind::Mark, Named,
         [&](uint32_t Id) { return ("mark " + T.string(Id)).str(); });
  AddAll(TimelineKind::OutOfMemory, Ooms, [&](uint32_t Id) {
    return ("out of memory " + T.heapName(Id)).str();
  });
  return Error::success();
}

Expected<std::vector<TimelineSeries>> TimelineReader::read() {
  Expected<MarkSeries> Marks = readMarkSeries(T);
  if (!Marks)
    return Marks.takeError();
  addLive();
  if (!OfHeaps) {
    addResident(*Marks);
    for (uint32_t Id = 1; Id < Marks->Devices.size(); ++Id) {
      std::vector<SeriesPoint> Points;
      for (const UsedPoint &P : Marks->Devices[Id])
        Points.push_back({P.TimeNs, P.Used});
      add(TimelineKind::Used, Id, (T.spaceName(Id) + " used").str(),
          std::move(Points));
    }
  }
  addReserved(*Marks);
  addSteps();
  if (Error E = addMarks())
    return std::move(E);
  return std::move(Out);
}

Expected<std::vector<TimelineSeries>> readRunTimeline(const SelectedStats &S,
                                                      const LiveSeries &Live) {
  return TimelineReader(S, Live).read();
}

} // namespace memkit
