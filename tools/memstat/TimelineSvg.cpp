// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline as a picture.

#include "Export/CurveSvg.h"
#include "Sections.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static uint64_t highest(ArrayRef<uint64_t> Values) {
  return Values.empty() ? 0 : *std::max_element(Values.begin(), Values.end());
}

static CurvePeak peakOf(const PageInput &F, uint64_t TimeNs, uint64_t Bytes) {
  std::string Text = formatSize(Bytes) + " at " + formatTime(TimeNs);
  if (std::optional<uint64_t> Step = stepAt(F.T, TimeNs))
    Text += ", step " + std::to_string(*Step);
  return {TimeNs, Bytes, std::move(Text)};
}

/// The area of a panel, and the peak if Series has the peak.
static void addLive(const PageInput &F, ArrayRef<uint64_t> Curve,
                    TimelineKind PeakKind, uint32_t Id,
                    ArrayRef<TimelineSeries> Series, CurvePanel &To) {
  for (const TimelineSeries &S : Series)
    if (S.Kind == PeakKind && S.Id == Id)
      To.Peak = peakOf(F, S.Points.front().TimeNs, S.Points.front().Value);
  std::string Text = "live, the most in each column";
  if (!F.O.Curves->FromEvents)
    Text = To.Peak ? "live, at the ends of intervals and at the peak"
                   : "live, at the ends of intervals";
  To.Lines.push_back({std::move(Text), CurveStyle::Area, Curve.vec(), 0});
}

/// Adds a line of samples, from the first sample on. A single sample is no
/// line.
static void addSamples(const PageInput &F, std::string Name, CurveStyle Style,
                       ArrayRef<SeriesPoint> Points, CurvePanel &To) {
  if (Points.size() < 2)
    return;
  uint64_t EndNs = std::max<uint64_t>(F.T.endNs(), 1);
  double Share = std::min(1., double(Points.front().TimeNs) / double(EndNs));
  To.Lines.push_back({std::move(Name), Style,
                      highestOf(Points, 0, EndNs, PictureColumns),
                      static_cast<size_t>(Share * PictureColumns)});
}

/// The heaps of a memory space that hold a part of the space, the largest
/// first: the line of a heap that holds everything would be the space's.
static void addHeaps(const PageInput &F, uint32_t Space, uint64_t Peak,
                     CurvePanel &To) {
  constexpr size_t MaxHeaps = 4;
  std::vector<std::pair<uint64_t, uint32_t>> Heaps;
  for (const HeapOverview &H : F.O.Heaps) {
    if (!H.Heap || H.Space != Space || !H.InTotals)
      continue;
    uint64_t Most = highest(F.O.Curves->Highest[H.Heap]);
    if (Most >= Peak / 20 && Most < Peak - Peak / 50)
      Heaps.emplace_back(Most, H.Heap);
  }
  stable_sort(Heaps, [](auto &A, auto &B) { return A.first > B.first; });
  for (auto [Most, Heap] :
       ArrayRef(Heaps).take_front(std::min(Heaps.size(), MaxHeaps)))
    To.Lines.push_back({F.heapName(Heap).str(), CurveStyle::Heap,
                        F.O.Curves->Highest[Heap], 0});
}

static void addReserved(const PageInput &F, ArrayRef<TimelineSeries> Series,
                        function_ref<bool(uint32_t Heap)> HasHeap,
                        CurvePanel &To) {
  constexpr size_t MaxLines = 2;
  size_t Count = 0;
  for (const TimelineSeries &S : Series)
    if (S.Kind == TimelineKind::Reserved && HasHeap(S.Id) && Count < MaxLines) {
      addSamples(F, S.Name, CurveStyle::Reserved, S.Points, To);
      ++Count;
    }
}

static CurvePanel spacePanel(const PageInput &F, uint32_t Space,
                             ArrayRef<TimelineSeries> Series) {
  ArrayRef<uint64_t> Curve = F.O.Curves->Spaces[Space];
  CurvePanel Out;
  Out.Title = F.T.spaceName(Space).str();
  if (!F.Whole)
    Out.Title += ", selected processes";
  addLive(F, Curve, TimelineKind::SpacePeak, Space, Series, Out);
  addHeaps(F, Space, highest(Curve), Out);
  for (const TimelineSeries &S : Series) {
    if (Space == 0 && S.Kind == TimelineKind::Resident)
      addSamples(F, S.Name, CurveStyle::Resident, S.Points, Out);
    if (Space && S.Kind == TimelineKind::Used && S.Id == Space)
      addSamples(F, "used, by any program", CurveStyle::Used, S.Points, Out);
  }
  addReserved(
      F, Series, [&](uint32_t Heap) { return F.T.heap(Heap).Space == Space; },
      Out);
  return Out;
}

static CurvePanel heapPanel(const PageInput &F, uint32_t Heap,
                            ArrayRef<TimelineSeries> Series) {
  CurvePanel Out;
  Out.Title = F.heapName(Heap).str();
  addLive(F, F.O.Curves->Highest[Heap], TimelineKind::HeapPeak, Heap, Series,
          Out);
  addReserved(F, Series, [&](uint32_t Id) { return Id == Heap; }, Out);
  return Out;
}

static void addEvents(const PageInput &F, ArrayRef<TimelineSeries> Series,
                      CurvePicture &To) {
  for (const TimelineSeries &S : Series) {
    bool IsOom = S.Kind == TimelineKind::OutOfMemory;
    for (const SeriesPoint &P : S.Points)
      if (S.Kind == TimelineKind::Step)
        To.Steps.push_back({P.TimeNs, P.Value});
      else if (S.Kind == TimelineKind::Mark)
        To.Marks.push_back({P.TimeNs, F.T.string(S.Id).str(), false});
      else if (IsOom)
        To.Marks.push_back(
            {P.TimeNs, "out of memory: " + formatSize(P.Value), true});
  }
  stable_sort(To.Marks, [](const CurveMark &A, const CurveMark &B) {
    return A.TimeNs < B.TimeNs;
  });
}

void writeTimelineSvg(raw_ostream &OS, const PageInput &F) {
  ArrayRef<TimelineSeries> Series = F.Series;
  CurvePicture P;
  P.Title = verdictText(F);
  P.EndNs = F.T.endNs();
  const HeapCurves &Curves = *F.O.Curves;
  if (F.OfHeaps) {
    for (const HeapOverview &H : F.O.Heaps)
      if (H.Heap && highest(Curves.Highest[H.Heap]))
        P.Panels.push_back(heapPanel(F, H.Heap, Series));
  } else {
    std::vector<uint32_t> Spaces;
    for (uint32_t Space = 0; Space != Curves.Spaces.size(); ++Space)
      if (highest(Curves.Spaces[Space]))
        Spaces.push_back(Space);
    stable_sort(Spaces, [&](uint32_t A, uint32_t B) {
      return highest(Curves.Spaces[A]) > highest(Curves.Spaces[B]);
    });
    for (uint32_t Space : Spaces)
      P.Panels.push_back(spacePanel(F, Space, Series));
  }
  addEvents(F, Series, P);
  writeCurveSvg(OS, P);
}

} // namespace memkit
