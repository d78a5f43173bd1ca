//===- Findings.cpp - Changes at the lowest place that explains them ------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Analysis/Findings.h"
#include "DiffCells.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <utility>

using namespace llvm;

namespace memkit {

static double meanOf(ArrayRef<StackMetrics> Runs, Metric By) {
  double Sum = 0;
  for (const StackMetrics &M : Runs)
    Sum += double(metricOf(M, By));
  return Runs.empty() ? 0 : Sum / double(Runs.size());
}

static double changeOf(const DiffRuns &Runs, ArrayRef<StackMetrics> Sums,
                       Metric By) {
  return meanOf(Runs.after(Sums), By) - meanOf(Runs.before(Sums), By);
}

namespace {

constexpr uint32_t None = UINT32_MAX;

/// A change at a place, on its way to be a finding.
struct Part {
  uint32_t Place;
  uint32_t Next = None; ///< of the same sign and below the same place
  uint32_t Count = 1;   ///< how many it was made from
  bool IsInner;
  double Change;
  std::vector<StackMetrics> Runs;
  std::vector<std::pair<double, uint32_t>> Largest; ///< changes and places
};

/// The parts of one sign in and below a place.
struct PartList {
  uint32_t First = None, Last = None;
  double Total = 0;
  double LargestChild = 0; ///< the most that the place itself, or a child, has
  uint32_t Count = 0;
  bool HasSeveral() const { return First != Last; }
};

/// Parts that went and came.
struct MovedParts {
  uint32_t Place;
  std::vector<uint32_t> Parts;
};

/// A place of one heap.
struct Spot {
  uint32_t Place;
  uint32_t Parent; ///< in the list of spots, before this one; of the root 0
  bool IsInner = false;
  PartList Lists[2]; ///< what grew, what shrank
};

/// Finds the parts of one heap and metric.
class HeapParts {
public:
  HeapParts(const DiffRuns &Runs, const DiffCells &All,
            std::vector<uint32_t> &SpotOf)
      : Runs(Runs), All(All), SpotOf(SpotOf) {}

  /// Cells: those of the heap.
  void find(ArrayRef<DiffCell> Cells, const FindingOptions::Wanted &Wanted);
  std::vector<Part> Parts;       ///< First and Next of lists count in them
  SmallVector<uint32_t, 8> Left; ///< those that are findings
  std::vector<MovedParts> Moves;
  double Rest = 0; ///< what they do not explain

private:
  void addSpots(ArrayRef<DiffCell> Cells);
  MutableArrayRef<StackMetrics> sums(size_t Spot) {
    return MutableArrayRef(Sums).slice(Spot * Runs.size(), Runs.size());
  }
  void visit(size_t Spot);
  void takePart(size_t Spot);
  void takeMoves(size_t Spot);
  void take(size_t Spot, ArrayRef<uint32_t> Moved);
  SmallVector<uint32_t, 16> largestFirst(const PartList &L) const;
  void gather(size_t Spot, bool Signs[2]);
  void handUp(size_t Spot);
  void append(PartList &To, uint32_t Part);
  void absorb(Part &Into, Part &From);

  const DiffRuns &Runs;
  const DiffCells &All;
  /// By place, the number of its spot in this heap + 1; zeros between calls.
  std::vector<uint32_t> &SpotOf;
  FindingOptions::Wanted Wanted;
  std::vector<Spot> Spots;        ///< the lowest place first
  std::vector<StackMetrics> Sums; ///< by spot and run: what no part has yet
};

} // namespace

/// Makes a spot of each place that has cells, and of those above it.
void HeapParts::addSpots(ArrayRef<DiffCell> Cells) {
  std::vector<uint32_t> Places{0};
  SpotOf[0] = 1;
  for (const DiffCell &C : Cells)
    for (uint32_t P = C.Place; !SpotOf[P]; P = All.Places[P].Parent) {
      SpotOf[P] = 1;
      Places.push_back(P);
    }
  llvm::sort(Places);
  for (uint32_t P : Places) {
    Spots.push_back({P, SpotOf[All.Places[P].Parent] - 1, false, {}});
    SpotOf[P] = Spots.size();
  }
  Sums.resize(Spots.size() * Runs.size());
  for (const DiffCell &C : Cells) {
    size_t At = SpotOf[C.Place] - 1;
    Spots[At].IsInner |= C.IsInner;
    sums(At)[C.Run].add(C.Sum);
  }
  for (uint32_t P : Places)
    SpotOf[P] = 0;
}

void HeapParts::find(ArrayRef<DiffCell> Cells,
                     const FindingOptions::Wanted &What) {
  Wanted = What;
  addSpots(Cells);
  for (size_t I = Spots.size(); I-- != 0;) {
    visit(I);
    if (I)
      handUp(I);
  }
  Rest = changeOf(Runs, sums(0), Wanted.By);
  for (const PartList &L : Spots[0].Lists)
    for (uint32_t P = L.First; P != None; P = Parts[P].Next)
      Left.push_back(P);
}

/// The rule, at one place whose children were visited.
void HeapParts::visit(size_t At) {
  takePart(At);
  if (Wanted.Noise <= 0)
    return;
  takeMoves(At);
  bool Spread[2];
  for (int Sign : {0, 1}) {
    const PartList &L = Spots[At].Lists[Sign];
    Spread[Sign] = L.HasSeveral() && L.LargestChild < SpreadShare * L.Total;
  }
  if (Spread[0] || Spread[1])
    gather(At, Spread);
}

void HeapParts::append(PartList &To, uint32_t P) {
  if (To.First == None)
    To.First = P;
  else
    Parts[To.Last].Next = P;
  To.Last = P;
  To.Count += 1;
}

/// Makes a part of what is left here, when it is enough.
void HeapParts::takePart(size_t At) {
  double Change = changeOf(Runs, sums(At), Wanted.By);
  if (Change == 0 || std::fabs(Change) < Wanted.Noise)
    return;
  Spot &S = Spots[At];
  Part &P = Parts.emplace_back();
  P.Place = S.Place;
  P.IsInner = S.IsInner;
  P.Change = Change;
  P.Runs = sums(At).vec();
  std::fill_n(sums(At).begin(), Runs.size(), StackMetrics());
  S.IsInner = false;
  PartList &L = S.Lists[Change < 0];
  append(L, Parts.size() - 1);
  L.Total += std::fabs(Change);
  L.LargestChild = std::max(L.LargestChild, std::fabs(Change));
}

SmallVector<uint32_t, 16> HeapParts::largestFirst(const PartList &L) const {
  SmallVector<uint32_t, 16> All;
  for (uint32_t P = L.First; P != None; P = Parts[P].Next)
    All.push_back(P);
  stable_sort(All, [&](uint32_t A, uint32_t B) {
    return std::fabs(Parts[A].Change) > std::fabs(Parts[B].Change);
  });
  return All;
}

static bool isSameAmount(double A, double B) {
  return std::fabs(A - B) <= MoveShare * std::max(A, B);
}

/// Finds what moved below a place: all that grew and shrank there, or pairs.
void HeapParts::takeMoves(size_t At) {
  // More are a change of everything, and would take their square in time.
  const uint32_t Most = 64;
  const PartList &More = Spots[At].Lists[0], &Less = Spots[At].Lists[1];
  if (!More.Count || !Less.Count || More.Count + Less.Count > Most)
    return;
  SmallVector<uint32_t, 16> Came = largestFirst(More),
                            Went = largestFirst(Less);
  if (isSameAmount(More.Total, Less.Total)) {
    Came.append(Went);
    take(At, Came);
    return;
  }
  for (size_t I = 0, J = 0; I != Came.size() && J != Went.size();) {
    double A = Parts[Came[I]].Change, B = -Parts[Went[J]].Change;
    if (isSameAmount(A, B))
      take(At, {Came[I++], Went[J++]});
    else if (A > B)
      ++I;
    else
      ++J;
  }
}

/// Makes a move of parts: their sums are those of the place again.
void HeapParts::take(size_t At, ArrayRef<uint32_t> Moved) {
  Spot &S = Spots[At];
  for (PartList &L : S.Lists) {
    PartList Old = std::exchange(L, {});
    for (uint32_t P = Old.First; P != None;) {
      uint32_t Next = std::exchange(Parts[P].Next, None);
      if (is_contained(Moved, P)) {
        for (size_t R = 0; R != Runs.size(); ++R)
          sums(At)[R].add(Parts[P].Runs[R]);
        Parts[P].Runs = {};
      } else {
        append(L, P);
        L.Total += std::fabs(Parts[P].Change);
      }
      P = Next;
    }
    // By how much at most; it may have been less.
    L.LargestChild = std::min(Old.LargestChild, L.Total);
  }
  S.IsInner = true;
  Moves.push_back({S.Place, Moved.vec()});
}

void HeapParts::absorb(Part &Into, Part &From) {
  const size_t Most = 3;
  for (size_t R = 0; R != Runs.size(); ++R)
    Into.Runs[R].add(From.Runs[R]);
  if (From.Largest.empty())
    From.Largest = {{From.Change, From.Place}};
  Into.Largest.insert(Into.Largest.end(), From.Largest.begin(),
                      From.Largest.end());
  stable_sort(Into.Largest, [](const auto &A, const auto &B) {
    return std::fabs(A.first) > std::fabs(B.first);
  });
  if (Into.Largest.size() > Most)
    Into.Largest.resize(Most);
  Into.Count += From.Count;
  From.Runs = {};
}

/// Puts one part in place of those of some signs, and of the one that is here.
void HeapParts::gather(size_t At, bool Signs[2]) {
  Spot &S = Spots[At];
  Part One;
  One.Place = S.Place;
  One.Count = 0;
  One.IsInner = true;
  One.Runs = sums(At).vec();
  for (int Sign : {0, 1}) {
    PartList Old = S.Lists[Sign];
    S.Lists[Sign] = {};
    for (uint32_t P = Old.First; P != None;) {
      uint32_t Next = Parts[P].Next;
      if (Signs[Sign] || Parts[P].Place == S.Place) {
        absorb(One, Parts[P]);
        Old.Total -= std::fabs(Parts[P].Change);
      } else {
        Parts[P].Next = None;
        append(S.Lists[Sign], P);
      }
      P = Next;
    }
    if (S.Lists[Sign].First != None) {
      S.Lists[Sign].Total = Old.Total;
      S.Lists[Sign].LargestChild = Old.LargestChild;
    }
  }
  // What it is made of is one part, or what is left here.
  llvm::copy(One.Runs, sums(At).begin());
  S.IsInner = true;
  size_t Before = Parts.size();
  takePart(At);
  if (Parts.size() != Before) {
    Parts.back().Count = One.Count;
    Parts.back().Largest = std::move(One.Largest);
  }
}

/// Gives what is left, and the parts, to the place above.
void HeapParts::handUp(size_t At) {
  Spot &S = Spots[At], &Above = Spots[S.Parent];
  MutableArrayRef<StackMetrics> Mine = sums(At), Theirs = sums(S.Parent);
  for (size_t R = 0; R != Runs.size(); ++R) {
    Above.IsInner |= Mine[R] != StackMetrics();
    Theirs[R].add(Mine[R]);
  }
  for (int Sign : {0, 1}) {
    PartList &From = S.Lists[Sign], &To = Above.Lists[Sign];
    if (From.First == None)
      continue;
    uint32_t Count = To.Count + From.Count;
    append(To, From.First);
    To.Last = From.Last;
    To.Count = Count;
    To.Total += From.Total;
    To.LargestChild = std::max(To.LargestChild, From.Total);
  }
}

/// How sure the change is: from how runs vary, or from how far estimates may be
/// off.
static std::optional<Interval> intervalOf(const DiffRuns &Runs,
                                          const Finding &F, double Confidence) {
  if (Runs.isPair()) {
    const DiffRuns::HeapInfo &H = Runs.heaps()[F.Heap];
    double Variance = varianceOf(F.Before, F.By, H.SampleBefore) +
                      varianceOf(F.After, F.By, H.SampleAfter);
    if (!Variance)
      return std::nullopt;
    return differenceOfEstimates(double(metricOf(F.Before, F.By)),
                                 double(metricOf(F.After, F.By)), Variance,
                                 Confidence);
  }
  std::vector<double> Values;
  for (const StackMetrics &M : F.Runs)
    Values.push_back(double(metricOf(M, F.By)));
  return differenceOfMeans(Runs.before<double>(Values),
                           Runs.after<double>(Values), Confidence);
}

static Finding makeFinding(const DiffRuns &Runs, const DiffCells &Cells,
                           uint32_t Heap, Metric By, Part &From) {
  Finding F;
  F.Heap = Heap;
  F.By = By;
  F.Place = Cells.Places[From.Place].Shown;
  F.IsInner = From.IsInner;
  F.Parts = From.Count;
  for (auto [Change, Place] : From.Largest)
    F.Largest.push_back({Cells.Places[Place].Shown, Change});
  F.Runs = std::move(From.Runs);
  F.Before = meanOf(Runs.before<StackMetrics>(F.Runs));
  F.After = meanOf(Runs.after<StackMetrics>(F.Runs));
  return F;
}

static Move makeMove(const DiffCells &Cells, uint32_t Heap, Metric By,
                     const HeapParts &All, const MovedParts &From) {
  const size_t Most = 6;
  Move M;
  M.Heap = Heap;
  M.By = By;
  M.Place = Cells.Places[From.Place].Shown;
  for (uint32_t P : From.Parts) {
    const Part &Moved = All.Parts[P];
    M.Parts.push_back({Cells.Places[Moved.Place].Shown, Moved.Change});
    M.Value += std::max(Moved.Change, 0.0);
  }
  stable_sort(M.Parts, [](const Finding::Part &A, const Finding::Part &B) {
    return std::fabs(A.Change) > std::fabs(B.Change);
  });
  if (M.Parts.size() > Most)
    M.Parts.resize(Most);
  return M;
}

static void sortFindings(std::vector<Finding> &Findings, Metric First) {
  auto Change = [](const Finding &F, Metric M) {
    uint64_t Before = metricOf(F.Before, M), After = metricOf(F.After, M);
    return After > Before ? After - Before : Before - After;
  };
  stable_sort(Findings, [&](const Finding &A, const Finding &B) {
    return std::tuple(A.By == First, Change(A, A.By)) >
           std::tuple(B.By == First, Change(B, B.By));
  });
}

FindingReport findChanges(const DiffRuns &Runs, const FindingOptions &Options) {
  DiffCells Cells = makeDiffCells(Runs, Options.Metrics);
  FindingReport Report;
  std::vector<uint32_t> SpotOf(Cells.Places.size());
  ArrayRef<DiffCell> Left = Cells.Cells;
  while (!Left.empty()) {
    uint32_t Heap = Left.front().Heap;
    ArrayRef<DiffCell> Mine =
        Left.take_while([&](const DiffCell &C) { return C.Heap == Heap; });
    Left = Left.drop_front(Mine.size());
    DenseSet<std::pair<uint32_t, uint32_t>> Found;
    for (const FindingOptions::Wanted &W : Options.Metrics) {
      HeapParts Parts(Runs, Cells, SpotOf);
      Parts.find(Mine, W);
      if (&W == &Options.Metrics.front() && Runs.heaps()[Heap].CountsInHost)
        Report.Rest += Parts.Rest;
      for (const MovedParts &M : Parts.Moves)
        Report.Moves.push_back(makeMove(Cells, Heap, W.By, Parts, M));
      for (uint32_t P : Parts.Left) {
        Finding F = makeFinding(Runs, Cells, Heap, W.By, Parts.Parts[P]);
        if (!Found.insert({F.Place.Run, F.Place.Node}).second)
          continue;
        F.Change = intervalOf(Runs, F, Options.Confidence);
        if (F.Change && F.Change->hasZero() && !Options.Uncertain)
          Report.Uncertain += 1;
        else
          Report.Findings.push_back(std::move(F));
      }
    }
  }
  if (!Options.Metrics.empty())
    sortFindings(Report.Findings, Options.Metrics.front().By);
  stable_sort(Report.Moves,
              [](const Move &A, const Move &B) { return A.Value > B.Value; });
  return Report;
}

} // namespace memkit
