// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, stacked by group.

#include "HttpServer.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static uint64_t valueAt(ArrayRef<SeriesPoint> Points, uint64_t TimeNs) {
  const SeriesPoint *P = pointAt(Points, TimeNs);
  return P ? P->Value : 0;
}

/// For each of Count equal parts of a range: the time of the highest value.
static std::vector<uint64_t> highestTimes(ArrayRef<SeriesPoint> Total,
                                          ViewRange R, size_t Count) {
  std::vector<uint64_t> Times;
  for (size_t I = 0; I != Count; ++I) {
    // Products of times and columns fit into 128 bits.
    auto Edge = [&](size_t Of) {
      return R.BeginNs +
             uint64_t(static_cast<unsigned __int128>(R.EndNs - R.BeginNs) * Of /
                      Count);
    };
    uint64_t Begin = Edge(I), End = Edge(I + 1);
    uint64_t Best = Begin, Highest = valueAt(Total, Begin);
    auto At =
        llvm::upper_bound(Total, Begin, [](uint64_t Ns, const SeriesPoint &P) {
          return Ns < P.TimeNs;
        });
    // The last part includes the end of the range.
    uint64_t Behind = I + 1 == Count ? End + 1 : End;
    for (; At != Total.end() && At->TimeNs < Behind; ++At)
      if (At->Value > Highest) {
        Highest = At->Value;
        Best = At->TimeNs;
      }
    Times.push_back(Best);
  }
  return Times;
}

/// The most groups that a curve shows.
static constexpr size_t MaxGroups = 12;

/// The groups with the highest values at Times, the others as one.
static std::vector<GroupColumns> columnsOf(ArrayRef<GroupCurve> Groups,
                                           ArrayRef<uint64_t> Times,
                                           ArrayRef<uint64_t> Totals) {
  std::vector<GroupColumns> Out;
  std::vector<uint64_t> Left(Totals);
  struct Ranked {
    uint64_t Highest;
    size_t Index;
  };
  std::vector<Ranked> Order;
  for (size_t I = 0; I != Groups.size(); ++I) {
    uint64_t Highest = 0;
    for (uint64_t Ns : Times)
      Highest = std::max(Highest, valueAt(Groups[I].Points, Ns));
    if (Highest)
      Order.push_back({Highest, I});
  }
  stable_sort(Order, [](const Ranked &A, const Ranked &B) {
    return A.Highest > B.Highest;
  });
  for (const Ranked &R :
       ArrayRef(Order).take_front(std::min(MaxGroups, Order.size()))) {
    const GroupCurve &G = Groups[R.Index];
    GroupColumns To{G.Id, G.Name, G.Owner, {}};
    for (size_t I = 0; I != Times.size(); ++I) {
      // Groups of a trace that lacks events may not add up.
      uint64_t Value = std::min(valueAt(G.Points, Times[I]), Left[I]);
      Left[I] -= Value;
      To.Values.push_back(Value);
    }
    Out.push_back(std::move(To));
  }
  if (any_of(Left, [](uint64_t V) { return V != 0; }) && !Groups.empty())
    Out.push_back({0, "others", CodeOwner::Other, std::move(Left)});
  return Out;
}

/// A line of at most Count points of the range. Holds: a value stays until the
/// next point; else the values are samples.
static void writeLine(OStream &J, StringRef Name, ArrayRef<SeriesPoint> Points,
                      bool Holds, ViewRange R, size_t Count) {
  auto InRange = [&](const SeriesPoint &P) {
    return P.TimeNs >= R.BeginNs && P.TimeNs <= R.EndNs;
  };
  std::vector<SeriesPoint> Shown;
  copy_if(Points, std::back_inserter(Shown), InRange);
  if (Shown.empty())
    return;
  if (Shown.size() > Count) {
    std::vector<SeriesPoint> Few;
    for (uint64_t Ns : highestTimes(Points, R, Count))
      Few.push_back({Ns, valueAt(Points, Ns)});
    Shown = std::move(Few);
  }
  J.object([&] {
    J.attribute("name", Name);
    J.attribute("holds", Holds);
    J.attributeArray("time_ns", [&] {
      for (const SeriesPoint &P : Shown)
        J.value(P.TimeNs);
    });
    J.attributeArray("values", [&] {
      for (const SeriesPoint &P : Shown)
        J.value(P.Value);
    });
  });
}

Error TraceView::readLines() {
  if (Measured)
    return Error::success();
  Expected<MarkSeries> Marks = readMarkSeries(trace());
  if (!Marks)
    return Marks.takeError();
  Measured.emplace(std::move(*Marks));
  // When a process ends, its bytes are gone.
  std::vector<std::vector<SeriesPoint>> OfProcesses = Measured->Rss;
  for (const ProcessReport &P : Run.Processes)
    if (P.Stats && P.Stats->Ended && P.Id < OfProcesses.size() &&
        !OfProcesses[P.Id].empty()) {
      std::vector<SeriesPoint> &Of = OfProcesses[P.Id];
      Of.push_back({std::max(P.Stats->EndNs, Of.back().TimeNs) + 1, 0});
    }
  Resident = sumOf(OfProcesses);
  // The end of the last process is no sample.
  while (!Resident.empty() && Resident.back().TimeNs > trace().endNs())
    Resident.pop_back();
  return Error::success();
}

/// Lines of the chosen part alone: what is measured of all processes, or of a
/// device, is not of a heap or of one process.
void TraceView::writeLines(OStream &J, PartFilter Of, uint32_t Space,
                           ViewRange R, size_t Count) {
  if (Space == 0) {
    if (Of == PartFilter())
      writeLine(J, "resident", Resident, /*Holds=*/false, R, Count);
    return;
  }
  std::vector<SeriesPoint> Used, Reserved;
  for (const UsedPoint &P : Measured->Devices[Space])
    Used.push_back({P.TimeNs, P.Used});
  if (!Of.Heap)
    writeLine(J, "device used", Used, /*Holds=*/false, R, Count);
  for (uint32_t Heap = 1; Heap < Measured->Heaps.size(); ++Heap)
    if (Of.Heap ? Heap == Of.Heap : trace().heap(Heap).Space == Space)
      for (const ReservedPoint &P : Measured->Heaps[Heap])
        Reserved.push_back({P.TimeNs, P.Reserved});
  stable_sort(Reserved, [](const SeriesPoint &A, const SeriesPoint &B) {
    return A.TimeNs < B.TimeNs;
  });
  writeLine(J, "reserved", Reserved, /*Holds=*/true, R, Count);
}

/// The lines that memstat calls a leak, of which a curve by line has areas.
StringSet<> TraceView::leakingLines() const {
  StringSet<> Out;
  if (Drawn->By == "line")
    for (const LineGrowth &L : Over->Growing)
      if (L.Word == GrowthWord::Leak)
        Out.insert(Over->Where->text(L.Where));
  return Out;
}

Expected<std::string> TraceView::curves(const Question &Q) {
  const Trace &T = trace();
  Expected<uint64_t> Space = Q.number("space", 0, T.devices().size());
  if (!Space)
    return Space.takeError();
  constexpr uint64_t Usual = 600, Max = 4000;
  Expected<uint64_t> Count = Q.number("columns", Usual, Max);
  if (!Count)
    return Count.takeError();
  Expected<ViewRange> R = range(Q);
  if (!R)
    return R.takeError();
  Expected<TracePart *> P = part(Q);
  if (!P)
    return P.takeError();
  uint32_t Heap = (*P)->filter().Heap;
  uint32_t Of = Heap ? T.heap(Heap).Space : static_cast<uint32_t>(*Space);
  Expected<bool> Done = readCurves(**P, Of, Q.text("by"));
  if (!Done)
    return Done.takeError();
  if (!*Done)
    return progress();
  if (Error E = readLines())
    return std::move(E);
  size_t Columns = std::max<uint64_t>(*Count, 1);
  std::vector<uint64_t> Times = highestTimes(Drawn->Total, *R, Columns);
  std::vector<uint64_t> Totals;
  for (uint64_t Ns : Times)
    Totals.push_back(valueAt(Drawn->Total, Ns));
  std::vector<GroupColumns> Groups = columnsOf(Drawn->Groups, Times, Totals);
  StringSet<> Leaks = leakingLines();
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  auto Array = [&](StringRef Key, ArrayRef<uint64_t> Values) {
    J.attributeArray(Key, [&] {
      for (uint64_t V : Values)
        J.value(V);
    });
  };
  J.object([&] {
    J.attribute("space", Of);
    J.attribute("by", jsonText(Drawn->By));
    J.attribute("from_ns", R->BeginNs);
    J.attribute("to_ns", R->EndNs);
    Array("time_ns", Times);
    Array("total", Totals);
    J.attributeArray("series", [&] {
      for (const GroupColumns &G : Groups)
        J.object([&] {
          J.attribute("name", jsonText(G.Name));
          J.attribute("kind", ownerWord(G.Owner));
          // Many processes have one name.
          if (Drawn->By == "process" && G.Id)
            J.attribute("process", G.Id);
          if (Leaks.contains(G.Name))
            J.attribute("leaks", true);
          Array("values", G.Values);
        });
    });
    J.attributeArray("lines",
                     [&] { writeLines(J, (*P)->filter(), Of, *R, Columns); });
    J.attribute("exact", true);
    bool IsCoarse = Drawn->EveryNs > (R->EndNs - R->BeginNs) / Columns;
    J.attribute("note", IsCoarse ? "These curves have a point every " +
                                       formatTime(Drawn->EveryNs) + "."
                                 : "");
  });
  return Text;
}

} // namespace memkit
