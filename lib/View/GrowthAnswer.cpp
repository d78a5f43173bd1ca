// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that grow, each with its curve.

#include "Report/GrowthSentences.h"
#include "Report/HolderSentences.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

namespace {
/// Finds the line that grows, of blocks by heap and stack: a row of a finding's
/// heap at or below the finding's node.
class GrowingLines {
public:
  GrowingLines(const Trace &T, const Overview &O) : T(T) {
    for (uint32_t Line = 0; Line != O.Growing.size(); ++Line)
      for (uint32_t Index : O.Growing[Line].Findings) {
        const Growth &G = O.Growth.Found[Index];
        if (!G.IsArenas)
          Nodes.try_emplace({G.Heap, G.Node}, Line);
      }
  }
  /// Its index in Overview::Growing; UINT32_MAX: none.
  uint32_t find(uint32_t Heap, uint32_t Stack) const {
    for (uint32_t Node = T.view().leaf(Stack); Node;
         Node = T.view().parent(Node))
      if (auto Line = Nodes.find({Heap, Node}); Line != Nodes.end())
        return Line->second;
    return UINT32_MAX;
  }

private:
  const Trace &T;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Nodes; // (heap, node)
};
} // namespace

Error TraceView::readGrowthCurves() {
  if (GrowthCurves)
    return Error::success();
  Expected<IntervalSeries *> Intervals = whole().intervals();
  if (!Intervals)
    return Intervals.takeError();
  GrowingLines Lines(trace(), *Over);
  // By (heap, stack): found once. Blocks that inner blocks fill count as these.
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Known;
  In.S->forEach([&](uint32_t, const StackStats &R) {
    bool AtEnd = R.LiveBytes != 0;
    if ((AtEnd ? R.LiveExclusive : R.SpacePeakBytes) <
        (AtEnd ? R.LiveBytes : R.HeapPeakBytes) / 2)
      Known[{R.Heap, R.Key}] = UINT32_MAX;
  });
  auto Find = [&](uint32_t, uint32_t Heap, uint32_t Stack) {
    auto [At, New] = Known.try_emplace({Heap, Stack}, UINT32_MAX);
    if (New)
      At->second = Lines.find(Heap, Stack);
    return At->second;
  };
  auto Series =
      readGroupSeries(**Intervals, trace(), Over->Growing.size(), Find);
  if (!Series)
    return Series.takeError();
  GrowthCurves = std::move(*Series);
  return Error::success();
}

/// The names of Python that hold the blocks of each line that grows, or why
/// there is none.
static std::vector<std::string> heldByLines(const Trace &T, const Overview &O,
                                            const HeldBlocks &Held) {
  std::vector<std::vector<HeldBlock>> Of(O.Growing.size());
  GrowingLines Lines(T, O);
  for (const HeldBlock &B : Held.Blocks)
    if (uint32_t Line = Lines.find(B.Heap, B.Stack); Line != UINT32_MAX)
      Of[Line].push_back(B);
  std::vector<std::string> Texts;
  for (size_t Line = 0; Line != Of.size(); ++Line)
    Texts.push_back(Of[Line].empty() ? noHolderText(T, Held.Searches,
                                                    O.Growing[Line].Process)
                                     : holdersText(commonPaths(T, Of[Line])));
  return Texts;
}

/// A line for a file of suppressions; empty: it would hide all that the program
/// or a thread allocates.
static std::string suppressionOf(const LineGrowth &L) {
  return L.Caller ? "leak:^" + L.Where.Name.str() + "$" : "";
}

/// The step of an interval that ends at Ns; without steps, seconds. An interval
/// ends when the next step starts.
static double xOf(const Overview &O, const LineGrowth &L, uint64_t Ns) {
  if (!L.HasSteps)
    return double(Ns) / 1e9;
  double X = 0;
  for (const StepReport &S : O.Steps)
    if (S.Process == L.Process && S.BeginNs < Ns)
      X = double(S.Step);
  return X;
}

static void writeCurve(OStream &J, const Overview &O, const LineGrowth &L,
                       ArrayRef<SeriesPoint> Points) {
  constexpr size_t Max = 400;
  // After the measured part, the end of the process frees everything.
  uint64_t EndNs =
      O.Growth.Spans[O.Growth.Found[L.Findings.front()].Span].EndNs;
  while (!Points.empty() && Points.back().TimeNs > EndNs)
    Points = Points.drop_back();
  size_t Every = (Points.size() + Max - 1) / Max;
  std::vector<SeriesPoint> Few;
  for (size_t I = 0; I < Points.size(); I += Every)
    Few.push_back(Points[I]);
  if (!Points.empty() && Few.back().TimeNs != Points.back().TimeNs)
    Few.push_back(Points.back());
  J.attributeObject("curve", [&] {
    J.attributeArray("x", [&] {
      for (const SeriesPoint &P : Few)
        J.value(xOf(O, L, P.TimeNs));
    });
    J.attributeArray("bytes", [&] {
      for (const SeriesPoint &P : Few)
        J.value(P.Value);
    });
  });
  // The line of the rate ends where the growth was measured last.
  double X0 = L.HasSteps ? double(L.SinceStep) : double(L.SinceNs) / 1e9;
  double X1 = !L.isGrowing()
                  ? (L.HasSteps ? double(L.UntilStep) : double(L.UntilNs) / 1e9)
              : L.HasSteps ? double(L.LastStep)
                           : (Few.empty() ? X0 : xOf(O, L, Few.back().TimeNs));
  double Y1 = double(L.Bytes);
  J.attributeObject("fit", [&] {
    J.attribute("x0", X0);
    J.attribute("y0", std::max(0.0, Y1 - L.Rate * (X1 - X0)));
    J.attribute("x1", X1);
    J.attribute("y1", Y1);
  });
}

Expected<std::string> TraceView::growth() {
  if (Error E = readOverview())
    return std::move(E);
  if (Error E = readGrowthCurves())
    return std::move(E);
  const Overview &O = *Over;
  const Trace &T = trace();
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  std::vector<std::string> HeldBy = heldByLines(T, O, Held->found());
  auto Finding = [&](size_t Index) {
    const LineGrowth &L = O.Growing[Index];
    const Growth &Main = O.Growth.Found[L.Findings.front()];
    J.attribute("text", jsonText(O.Where->text(L.Where)));
    J.attribute("source", jsonText(oneLine(L.Where.Source)));
    J.attribute("verdict", growthWordName(L.Word));
    J.attribute("word", wordText(L));
    J.attribute("amount", amountText(L));
    J.attribute("rate_text", rateText(L));
    J.attribute("rate", L.Rate);
    double Low = 0, High = 0;
    for (uint32_t Of : L.Findings) {
      Low += O.Growth.Found[Of].Low;
      High += O.Growth.Found[Of].High;
    }
    J.attribute("low", Low);
    J.attribute("high", High);
    J.attribute("rise", L.Rise);
    J.attribute("x", L.HasSteps ? "step" : "s");
    J.attribute("since", L.HasSteps ? "step " + std::to_string(L.SinceStep)
                                    : formatTime(L.SinceNs));
    J.attribute("holds", jsonText(contentsText(T, *O.Where, O.Growth, L)));
    std::optional<LeakHint> Hint = findHint(T, O.Growth, L);
    J.attribute("held_by", jsonText(HeldBy[Index]));
    J.attribute("hint", Hint ? hintText(*Hint) : "");
    J.attributeArray("stack", [&] {
      for (const ShownFrame &F : T.shownStack(Main.Stack))
        J.value(jsonText(
            F.Line && !F.File.empty()
                ? (baseName(F.File) + ":" + Twine(F.Line) + " " + F.Function)
                      .str()
                : F.Function.str()));
    });
    writeCurve(J, O, L, (*GrowthCurves)[Index]);
    J.attribute("suppression", jsonText(suppressionOf(L)));
  };
  J.object([&] {
    std::string Span = O.Growth.Spans.empty() ? "" : spanText(O.Growth);
    J.attribute("measured", Span);
    J.attribute("nothing", !O.Growing.empty() ? ""
                           : Span.empty()
                               ? "The run is too short to measure growth."
                               : "Nothing grows (measured: " + Span + ").");
    J.attribute("x", !O.Growing.empty() && O.Growing.front().HasSteps ? "step"
                                                                      : "s");
    J.attributeArray("findings", [&] {
      for (size_t I = 0; I != O.Growing.size(); ++I)
        J.object([&] { Finding(I); });
    });
    J.attribute("command", jsonText(CommandOf({"growth", 0, 0, 0})));
  });
  return Text;
}

} // namespace memkit
