// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time, stacked by group.

#include "HttpServer.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Model/Libraries.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

static constexpr uint32_t NoGroup = UINT32_MAX;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

namespace {
/// The heaps of a memory space whose bytes are counted, so that a byte counts
/// once.
class CountedHeaps {
public:
  CountedHeaps(const Trace &T, uint32_t Space) : Is(T.heaps().size() + 1) {
    for (uint32_t Id = 1; Id < Is.size(); ++Id) {
      const Heap &H = T.heap(Id);
      Is[Id] = H.Space == Space && !(H.Flags & HF_OutsideTotals);
      Outer.push_back(Is[Id] && isInside(T, H, Space) ? H.Parent : 0);
    }
  }
  /// The heap counts by itself.
  bool isOutermost(uint32_t Heap) const { return Is[Heap] && !Outer[Heap - 1]; }
  bool counts(uint32_t Heap) const { return Is[Heap]; }
  /// The heap around a heap; 0: none.
  uint32_t outerOf(uint32_t Heap) const { return Outer[Heap - 1]; }

private:
  static bool isInside(const Trace &T, const Heap &H, uint32_t Space) {
    return H.Parent && T.heap(H.Parent).Space == Space &&
           !(T.heap(H.Parent).Flags & HF_OutsideTotals);
  }
  BitVector Is;
  std::vector<uint32_t> Outer;
};
} // namespace

/// The series of each heap without the bytes of its inner heaps.
static std::vector<GroupCurve>
heapCurves(const Trace &T, const CountedHeaps &C,
           std::vector<std::vector<SeriesPoint>> Heaps) {
  std::vector<GroupCurve> Out;
  for (uint32_t Id = 1; Id < Heaps.size(); ++Id) {
    if (!C.counts(Id) || Heaps[Id].empty())
      continue;
    std::vector<std::vector<SeriesPoint>> Inner;
    for (uint32_t Other = 1; Other < Heaps.size(); ++Other)
      if (C.counts(Other) && C.outerOf(Other) == Id)
        Inner.push_back(Heaps[Other]);
    std::vector<SeriesPoint> Less = sumOf(Inner);
    std::vector<SeriesPoint> Own = Heaps[Id];
    // Inner heaps change at other times, too.
    for (const SeriesPoint &P : Less)
      Own.push_back({P.TimeNs, 0});
    stable_sort(Own, [](const SeriesPoint &A, const SeriesPoint &B) {
      return A.TimeNs < B.TimeNs;
    });
    for (SeriesPoint &P : Own) {
      const SeriesPoint *All = pointAt<SeriesPoint>(Heaps[Id], P.TimeNs);
      const SeriesPoint *In = pointAt<SeriesPoint>(Less, P.TimeNs);
      uint64_t Whole = All ? All->Value : 0, Part = In ? In->Value : 0;
      P.Value = Whole - std::min(Whole, Part);
    }
    Out.push_back({Id, T.heapName(Id).str(), CodeOwner::Other, std::move(Own)});
  }
  return Out;
}

/// Adds a point at TimeNs with Value, as long as nothing is known before the
/// next point.
static void addSpike(std::vector<SeriesPoint> &To, uint64_t TimeNs,
                     uint64_t Value) {
  auto At =
      llvm::upper_bound(To, TimeNs, [](uint64_t Ns, const SeriesPoint &P) {
        return Ns < P.TimeNs;
      });
  uint64_t Before = At == To.begin() ? 0 : At[-1].Value;
  To.insert(At, {{TimeNs, Value}, {TimeNs + 1, Before}});
}

/// The peak lies between the ends of intervals: its values come from the
/// summary.
void TraceView::addPeak(DrawnCurves &To) {
  const SpaceReport *Of = nullptr;
  for (const SpaceReport &S : Run.Spaces)
    if (S.Id == To.Space)
      Of = &S;
  if (!Of || !Of->Stats.PeakTimeNs)
    return;
  addSpike(To.Total, Of->Stats.PeakTimeNs, Of->Stats.PeakBytes);
  if (To.Groups.empty())
    return;
  std::map<uint32_t, uint64_t> Sums; // by GroupCurve::Id
  In.S->forEach([&](uint32_t, const StackStats &R) {
    if (R.SpacePeakBytes && trace().heap(R.Heap).Space == To.Space)
      Sums[To.By == "heap"      ? R.Heap
           : To.By == "library" ? Grouping->of(R.Key)
                                : Over->Where->of(R.Key)] += R.SpacePeakBytes;
  });
  for (GroupCurve &G : To.Groups)
    addSpike(G.Points, Of->Stats.PeakTimeNs, Sums[G.Id]);
}

Error TraceView::readCurves(uint32_t Space, StringRef By) {
  if (Drawn && Drawn->Space == Space && Drawn->By == By)
    return Error::success();
  if (Error E = readOverview())
    return E;
  if (!Intervals)
    if (Error E = IntervalSeries::create(*In.S).moveInto(Intervals))
      return E;
  const Trace &T = trace();
  CountedHeaps Counted(T, Space);
  DrawnCurves New;
  New.Space = Space;
  New.By = By.str();
  auto Heaps = readGroupSeries(*Intervals, T, T.heaps().size() + 1,
                               [](uint32_t Heap, uint32_t) { return Heap; });
  if (!Heaps)
    return Heaps.takeError();
  std::vector<std::vector<SeriesPoint>> Outermost;
  for (uint32_t Id = 1; Id < Heaps->size(); ++Id)
    if (Counted.isOutermost(Id))
      Outermost.push_back((*Heaps)[Id]);
  New.Total = sumOf(Outermost);
  if (By == "heap") {
    New.Groups = heapCurves(T, Counted, std::move(*Heaps));
  } else if (By == "line" || By == "library") {
    if (By == "library" && !Grouping)
      Grouping.emplace(T);
    const Libraries *Of = By == "library" ? &*Grouping : nullptr;
    const Places &Where = *Over->Where;
    size_t Count = Of ? Of->size() : Where.size();
    auto Series = readGroupSeries(*Intervals, T, Count,
                                  [&](uint32_t Heap, uint32_t Stack) {
                                    if (!Counted.isOutermost(Heap))
                                      return NoGroup;
                                    return Of ? Of->of(Stack) : Where.of(Stack);
                                  });
    if (!Series)
      return Series.takeError();
    for (uint32_t Id = 0; Id != Count; ++Id) {
      if ((*Series)[Id].empty())
        continue;
      CodeOwner Owner = CodeOwner::Library;
      if (!Of)
        Owner = ownerOfPlace(Where.place(Id).Kind);
      New.Groups.push_back(
          {Id, Of ? Of->name(Id).str() : Where.text(Where.place(Id)), Owner,
           std::move((*Series)[Id])});
    }
  } else if (!By.empty()) {
    return makeRequestError("by=" + By + ": not a grouping of curves");
  }
  addPeak(New);
  Drawn.emplace(std::move(New));
  return Error::success();
}

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
    for (; At != Total.end() && At->TimeNs < End; ++At)
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
    GroupColumns To{G.Name, G.Owner, {}};
    for (size_t I = 0; I != Times.size(); ++I) {
      // Groups of a trace that lacks events may not add up.
      uint64_t Value = std::min(valueAt(G.Points, Times[I]), Left[I]);
      Left[I] -= Value;
      To.Values.push_back(Value);
    }
    Out.push_back(std::move(To));
  }
  if (any_of(Left, [](uint64_t V) { return V != 0; }) && !Groups.empty())
    Out.push_back({"others", CodeOwner::Other, std::move(Left)});
  return Out;
}

/// A line of at most Count points of the range.
static void writeLine(OStream &J, StringRef Name, ArrayRef<SeriesPoint> Points,
                      ViewRange R, size_t Count) {
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
  Resident = sumOf(Measured->Rss);
  return Error::success();
}

void TraceView::writeLines(OStream &J, uint32_t Space, ViewRange R,
                           size_t Count) {
  if (Space == 0) {
    writeLine(J, "resident", Resident, R, Count);
    return;
  }
  std::vector<SeriesPoint> Used, Reserved;
  for (const UsedPoint &P : Measured->Devices[Space])
    Used.push_back({P.TimeNs, P.Used});
  writeLine(J, "device used", Used, R, Count);
  for (uint32_t Heap = 1; Heap < Measured->Heaps.size(); ++Heap)
    if (trace().heap(Heap).Space == Space)
      for (const ReservedPoint &P : Measured->Heaps[Heap])
        Reserved.push_back({P.TimeNs, P.Reserved});
  writeLine(J, "reserved", Reserved, R, Count);
}

Expected<std::string> TraceView::curves(StringRef Query) {
  const Trace &T = trace();
  Expected<uint64_t> Space = number(Query, "space", 0, T.devices().size());
  if (!Space)
    return Space.takeError();
  constexpr uint64_t Usual = 600, Max = 4000;
  Expected<uint64_t> Count = number(Query, "columns", Usual, Max);
  if (!Count)
    return Count.takeError();
  Expected<ViewRange> R = range(Query);
  if (!R)
    return R.takeError();
  auto Of = static_cast<uint32_t>(*Space);
  if (Error E = readCurves(Of, queryValue(Query, "by")))
    return std::move(E);
  if (Error E = readLines())
    return std::move(E);
  size_t Columns = std::max<uint64_t>(*Count, 1);
  std::vector<uint64_t> Times = highestTimes(Drawn->Total, *R, Columns);
  std::vector<uint64_t> Totals;
  for (uint64_t Ns : Times)
    Totals.push_back(valueAt(Drawn->Total, Ns));
  std::vector<GroupColumns> Groups = columnsOf(Drawn->Groups, Times, Totals);
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
          Array("values", G.Values);
        });
    });
    J.attributeArray("lines", [&] { writeLines(J, Of, *R, Columns); });
    J.attribute("exact", true);
    J.attribute("note", "");
  });
  return Text;
}

} // namespace memkit
