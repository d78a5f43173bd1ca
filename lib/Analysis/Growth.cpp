//===- Growth.cpp - What grows with each step -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Growth.h"
#include "GrowthSpans.h"
#include "GrowthTree.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;

namespace memkit {

namespace {

/// Findings below a node are one of it when there are so many, none has half
/// of what they grow by, and of the stacks with memory there they are half, or
/// three quarters have grown, be it too little to be findings. Where nearly all
/// have grown one stack may have more, and several together any part.
constexpr size_t ManyFindings = 4;
constexpr double MostOfOne = 0.5, LeastOfStacks = 0.5, LeastThatGrew = 0.75,
                 NearlyAllGrew = 0.9, MostOfOneThen = 0.98, LeastOfRates = 0.8;

/// What a node has that no finding below it has.
struct Rest {
  uint64_t Stacks = 0, Bytes = 0, Blocks = 0;
  uint32_t TopStack = 0;
  double TopRise = -1;

  void add(const Rest &R) {
    Stacks += R.Stacks;
    Bytes += R.Bytes;
    Blocks += R.Blocks;
    if (R.TopRise > TopRise) {
      TopRise = R.TopRise;
      TopStack = R.TopStack;
    }
  }
};

class Finder {
public:
  Finder(SliceSeries &Slices, const Sums &S, const GrowthOptions &Options)
      : Slices(Slices), S(S), T(S.trace()), Options(Options) {}
  Expected<GrowthReport> run();

private:
  void chooseSpans();
  Error readRows();
  void dropEnclosing();
  Error readSeries();
  void judge();
  void judgeNode(uint32_t N);
  void merge(uint32_t N);
  bool add(uint32_t N, ArrayRef<double> Series, const Rest &Of);
  double *series(uint32_t N) { return Series.data() + N * Stride; }
  const SpanPoints &spanOf(const GrowthNode &N) const {
    return *Spans[N.Group / T.heaps().size()];
  }

  /// What is found at a node or below, and not told of at one above.
  struct Known {
    uint32_t Found; ///< in Report.Found
    size_t Count;   ///< of the findings that are one now
    uint64_t LiveStacks;
    std::vector<double> Series;
    Rest Of;
  };
  struct NodeState {
    Rest Of;
    std::vector<Known> Below;
  };

  static constexpr size_t Stride = MaxTrendPoints + 1;
  SliceSeries &Slices;
  const Sums &S;
  const Trace &T;
  const GrowthOptions &Options;
  std::vector<std::optional<SpanPoints>> Spans; ///< by place in images()
  std::vector<GrowthRow> Rows;
  GrowthNodes Nodes;
  std::vector<double> Series; ///< Stride differences a node
  std::vector<NodeState> States;
  std::vector<bool> Dropped; ///< of Report.Found
  GrowthReport Report;
};
} // namespace

void Finder::chooseSpans() {
  for (const ImageSlices &I : Slices.images()) {
    bool Gone = T.wasReplaced(I.Image);
    Spans.push_back(Gone ? std::nullopt : SpanPoints::create(I, Options));
    Report.TooShort += !Gone && !Spans.back();
  }
}

/// What each row had at both ends of its span.
Error Finder::readRows() {
  return Slices.forEach([&](size_t Image, size_t Slice,
                            ArrayRef<SliceChange> Changes) {
    const std::optional<SpanPoints> &Span = Spans[Image];
    if (Rows.size() < Slices.numRows())
      Rows.resize(Slices.numRows());
    if (!Span || Slice >= Span->endSlice())
      return Error::success();
    bool Inside = Span->isInside(Slice);
    for (const SliceChange &C : Changes) {
      GrowthRow &R = Rows[C.Row];
      R.Group = static_cast<uint32_t>(Image * T.heaps().size()) + C.Heap - 1;
      R.Stack = C.Stack;
      R.AtEnd = C.Bytes;
      R.Blocks = C.Blocks;
      R.Moved |= Inside;
      if (!Inside)
        R.AtBegin = C.Bytes;
    }
    return Error::success();
  });
}

/// Takes out what lies mostly in blocks of inner heaps, whose it is.
void Finder::dropEnclosing() {
  BitVector Encloses(T.heaps().size() + 1);
  for (const Heap &H : T.heaps())
    Encloses[H.Parent] = true;
  Encloses[0] = false;
  if (S.selection().isOuterView() || Encloses.none())
    return;
  size_t Heaps = T.heaps().size();
  std::vector<uint32_t> GroupOfImage(T.images().size() + 1, UINT32_MAX);
  for (size_t I = 0; I != Slices.images().size(); ++I)
    GroupOfImage[Slices.images()[I].Image] = static_cast<uint32_t>(I * Heaps);
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> RowOf;
  for (uint32_t R = 0; R != Rows.size(); ++R)
    if (Rows[R].Group != UINT32_MAX && Encloses[Rows[R].Group % Heaps + 1])
      RowOf[{Rows[R].Group, Rows[R].Stack}] = R;
  S.forEachKey([&](Sums::RowId Id, uint32_t Heap, uint32_t Stack) {
    uint32_t First = GroupOfImage[S.imageOf(Id)];
    if (!Encloses[Heap] || First == UINT32_MAX)
      return;
    auto At = RowOf.find({First + Heap - 1, Stack});
    if (At == RowOf.end())
      return;
    SumRow R = S.row(Id);
    bool AtEnd = R.LiveBytes != 0;
    uint64_t All = AtEnd ? R.LiveBytes : R.HeapPeakBytes;
    uint64_t Own = AtEnd ? R.LiveExclusive : R.DomainPeakBytes;
    if (Own < All / 2)
      Rows[At->second].Group = UINT32_MAX;
  });
}

Error Finder::readSeries() {
  Series.assign(Nodes.Nodes.size() * Stride, 0);
  return Slices.forEach(
      [&](size_t Image, size_t Slice, ArrayRef<SliceChange> Changes) {
        const std::optional<SpanPoints> &Span = Spans[Image];
        if (!Span || Slice >= Span->endSlice())
          return Error::success();
        for (const SliceChange &C : Changes)
          if (uint32_t N = Nodes.OfRow[C.Row]; N != GrowthNode::None)
            Span->add(series(N), Slice,
                      static_cast<double>(C.Bytes) -
                          static_cast<double>(C.BytesBefore));
        return Error::success();
      });
}

/// The values of a series of differences.
static std::vector<double> valuesOf(const double *Differences, size_t Points) {
  std::vector<double> Y(Points);
  double Sum = 0;
  for (size_t I = 0; I != Points; ++I)
    Y[I] = Sum += Differences[I];
  return Y;
}

/// Since when Y was never again as low as at its begin.
static size_t lastLow(ArrayRef<double> Y, double Rise) {
  double Low = Y.front() + 0.5 * Rise / static_cast<double>(Y.size() - 1);
  size_t At = 0;
  for (size_t I = 0; I != Y.size(); ++I)
    if (Y[I] <= Low)
      At = I;
  return At;
}

/// Whether Y, the series of a node, is one that grows; adds it if so.
bool Finder::add(uint32_t N, ArrayRef<double> Y, const Rest &Of) {
  std::optional<Trend> Trend =
      findTrend(Y, static_cast<double>(Options.LeastBytes));
  if (!Trend)
    return false;
  double Chance = Trend->PValue * static_cast<double>(Nodes.Nodes.size());
  if (!(Chance <= Options.MostChance))
    return false;
  const GrowthNode &Node = Nodes.Nodes[N];
  const SpanPoints &Points = spanOf(Node);
  const GrowthSpan &Span = Points.span();
  size_t Image = Node.Group / T.heaps().size();
  Growth G;
  G.Span = static_cast<uint32_t>(Image);
  G.Heap = Node.Group % T.heaps().size() + 1;
  G.Node = Node.Node;
  G.Stack = Of.TopStack;
  G.Stacks = Of.Stacks;
  G.Bytes = Of.Bytes;
  G.Blocks = Of.Blocks;
  double Rise = Trend->Rate.Slope * static_cast<double>(Y.size() - 1);
  G.Rise = static_cast<uint64_t>(std::min(Rise, 0x1p63));
  G.Rate = Trend->Rate.Slope / Span.PerPoint;
  G.Low = Trend->Rate.Low / Span.PerPoint;
  G.High = Trend->Rate.High / Span.PerPoint;
  G.PValue = Chance;
  if (size_t Low = lastLow(Y, Rise)) {
    const SliceHead &H = Slices.images()[Image].Heads[Points.sliceOf(Low)];
    G.SinceStep = H.LastStep;
    G.SinceNs = H.EndNs;
  }
  Report.Found.push_back(G);
  Dropped.push_back(false);
  return true;
}

/// Makes many findings below a node one of it, when they are most of what
/// there is.
void Finder::merge(uint32_t N) {
  std::vector<Known> &Below = States[N].Below;
  const GrowthNode &Node = Nodes.Nodes[N];
  if (Below.size() < 2 || Node.Node == 0)
    return;
  double Sum = 0, Most = 0, MostOfStack = 0;
  size_t Count = 0;
  uint64_t LiveStacks = 0, Grown = States[N].Of.Stacks;
  for (const Known &K : Below) {
    const Growth &G = Report.Found[K.Found];
    Sum += G.Rate;
    Count += K.Count;
    // What many stacks of the node have together is no one's half.
    if (G.Node != Node.Node)
      Most = std::max(Most, G.Rate);
    if (G.Stacks == 1)
      MostOfStack = std::max(MostOfStack, G.Rate);
    LiveStacks += K.LiveStacks;
    Grown += K.Of.Stacks;
  }
  auto All = static_cast<double>(Node.LiveStacks);
  bool OneIsMost = static_cast<double>(Grown) >= NearlyAllGrew * All
                       ? MostOfStack >= MostOfOneThen * Sum
                       : Most >= MostOfOne * Sum;
  bool AreMost = static_cast<double>(LiveStacks) >= LeastOfStacks * All ||
                 static_cast<double>(Grown) >= LeastThatGrew * All;
  if (Count < ManyFindings || OneIsMost || !AreMost)
    return;
  size_t Points = spanOf(Node).points();
  std::vector<double> Y = valuesOf(series(N), Points);
  Rest Of = States[N].Of;
  for (const Known &K : Below) {
    for (size_t I = 0; I != Points; ++I)
      Y[I] += K.Series[I];
    Of.add(K.Of);
  }
  if (!add(N, Y, Of))
    return;
  if (Report.Found.back().Rate < LeastOfRates * Sum) {
    Report.Found.pop_back();
    Dropped.pop_back();
    return;
  }
  for (const Known &K : Below)
    Dropped[K.Found] = true;
  Below.clear();
  Below.push_back({static_cast<uint32_t>(Report.Found.size() - 1), Count,
                   Node.LiveStacks, std::move(Y), Of});
  std::fill_n(series(N), Stride, 0);
  States[N].Of = {};
}

void Finder::judgeNode(uint32_t N) {
  const GrowthNode &Node = Nodes.Nodes[N];
  NodeState &State = States[N];
  std::vector<double> Y = valuesOf(series(N), spanOf(Node).points());
  if (add(N, Y, State.Of)) {
    State.Below.push_back({static_cast<uint32_t>(Report.Found.size() - 1), 1,
                           State.Of.Stacks, std::move(Y), State.Of});
    std::fill_n(series(N), Stride, 0);
    State.Of = {};
  }
  merge(N);
  if (Node.Parent == GrowthNode::None)
    return;
  NodeState &Up = States[Node.Parent];
  for (size_t I = 0; I != Stride; ++I)
    series(Node.Parent)[I] += series(N)[I];
  Up.Of.add(State.Of);
  if (Up.Below.empty())
    std::swap(Up.Below, State.Below);
  else
    std::move(State.Below.begin(), State.Below.end(),
              std::back_inserter(Up.Below));
  State.Below.clear();
}

void Finder::judge() {
  States.resize(Nodes.Nodes.size());
  for (uint32_t R = 0; R != Rows.size(); ++R) {
    uint32_t N = Nodes.OfRow[R];
    if (N == GrowthNode::None || Rows[R].rise() <= 0)
      continue;
    States[N].Of.add(
        {1, Rows[R].AtEnd, Rows[R].Blocks, Rows[R].Stack, Rows[R].rise()});
  }
  for (uint32_t N = Nodes.Nodes.size(); N-- != 0;)
    judgeNode(N);
  size_t Kept = 0;
  for (size_t I = 0; I != Dropped.size(); ++I)
    if (!Dropped[I])
      Report.Found[Kept++] = Report.Found[I];
  Report.Found.resize(Kept);
  stable_sort(Report.Found,
              [](const Growth &A, const Growth &B) { return A.Rise > B.Rise; });
}

Expected<GrowthReport> Finder::run() {
  chooseSpans();
  if (none_of(Spans, [](const auto &Span) { return Span.has_value(); }))
    return std::move(Report);
  if (Error E = readRows())
    return std::move(E);
  dropEnclosing();
  constexpr size_t MostGroups = size_t(1) << 24;
  size_t Groups = Spans.size() * T.heaps().size();
  if (Groups > MostGroups)
    return makeError(T.name() + ": " + Twine(Spans.size()) +
                     " processes with " + Twine(T.heaps().size()) +
                     " heaps are too many for growth; --process or --heap "
                     "choose some");
  Nodes = chooseGrowthNodes(T.view(), Groups, Rows, Options.LeastBytes,
                            Options.MaxSeries);
  Report.Series = Nodes.Nodes.size();
  Report.LeftOut = Nodes.LeftOut;
  if (Error E = readSeries())
    return std::move(E);
  judge();
  // Of the images, those that were looked at.
  std::vector<uint32_t> PlaceOf(Spans.size());
  for (size_t I = 0; I != Spans.size(); ++I)
    if (Spans[I]) {
      PlaceOf[I] = Report.Spans.size();
      Report.Spans.push_back(Spans[I]->span());
    }
  for (Growth &G : Report.Found)
    G.Span = PlaceOf[G.Span];
  return std::move(Report);
}

Expected<GrowthReport> findGrowth(SliceSeries &Slices, const Sums &S,
                                  const GrowthOptions &Options) {
  return Finder(Slices, S, Options).run();
}

} // namespace memkit
