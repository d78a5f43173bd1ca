// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The changes of one heap, by the rule of Findings.h.

#include "HeapParts.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
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

/// Makes a spot for each place with cells, and with WithAbove for all places
/// above these.
void HeapParts::addSpots(bool WithAbove) {
  std::vector<uint32_t> Places{0};
  SpotOf[0] = 1;
  for (const DiffCell &C : Cells)
    for (uint32_t P = C.Place; !SpotOf[P]; P = All.Places[P].Parent) {
      SpotOf[P] = 1;
      Places.push_back(P);
      if (!WithAbove)
        break;
    }
  llvm::sort(Places);
  for (uint32_t P : Places) {
    uint32_t Parent = WithAbove ? SpotOf[All.Places[P].Parent] - 1 : 0;
    Spots.push_back({P, Parent, false, {}});
    SpotOf[P] = Spots.size();
  }
  CellSpots.reserve(Cells.size());
  for (const DiffCell &C : Cells)
    CellSpots.push_back(SpotOf[C.Place] - 1);
  for (uint32_t P : Places)
    SpotOf[P] = 0;
}

/// Resets the spots to the values of their cells.
void HeapParts::fillSpots() {
  for (HeapSpot &S : Spots) {
    S.IsInner = false;
    S.Lists[0] = S.Lists[1] = {};
  }
  Sums.assign(Spots.size() * Runs.size(), {});
  for (size_t I = 0; I != Cells.size(); ++I) {
    Spots[CellSpots[I]].IsInner |= Cells[I].IsInner;
    sums(CellSpots[I])[Cells[I].Run].add(Cells[I].Sum);
  }
  Parts.clear();
  Left.clear();
  Moves.clear();
}

/// Whether either side reaches the noise. If not, sets Rest to the change
/// without parts.
bool HeapParts::canHaveParts() {
  std::vector<StackMetrics> All(Runs.size());
  for (const DiffCell &C : Cells)
    All[C.Run].add(C.Sum);
  ArrayRef<StackMetrics> Each(All);
  Parts.clear();
  Left.clear();
  Moves.clear();
  Rest = changeOf(Runs, Each, By);
  return meanOf(Runs.before(Each), By) >= Noise ||
         meanOf(Runs.after(Each), By) >= Noise;
}

void HeapParts::find(Metric What, double Min) {
  By = What;
  Noise = Min;
  // Without noise nothing is handed up: each place keeps its own change.
  bool HandsUp = Noise > 0;
  if (HandsUp && !canHaveParts())
    return;
  if (Spots.empty())
    addSpots(HandsUp);
  fillSpots();
  for (size_t I = Spots.size(); I-- != 0;) {
    visit(I);
    if (I && HandsUp)
      handUp(I);
    else
      for (const PartList &L : Spots[I].Lists)
        for (uint32_t P = L.First; P != NoPart; P = Parts[P].Next)
          Left.push_back(P);
  }
  Rest = HandsUp ? changeOf(Runs, sums(0), By) : 0;
}

/// Applies the rule to one place whose children were visited.
void HeapParts::visit(size_t At) {
  takePart(At);
  if (Noise <= 0)
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
  if (To.First == NoPart)
    To.First = P;
  else
    Parts[To.Last].Next = P;
  To.Last = P;
  To.Count += 1;
}

/// Makes a part of the remaining change of the place if it reaches the noise.
void HeapParts::takePart(size_t At) {
  double Change = changeOf(Runs, sums(At), By);
  if (Change == 0 || std::fabs(Change) < Noise)
    return;
  HeapSpot &S = Spots[At];
  DiffPart &P = Parts.emplace_back();
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
  for (uint32_t P = L.First; P != NoPart; P = Parts[P].Next)
    All.push_back(P);
  stable_sort(All, [&](uint32_t A, uint32_t B) {
    return std::fabs(Parts[A].Change) > std::fabs(Parts[B].Change);
  });
  return All;
}

static bool isSameAmount(double A, double B) {
  return std::fabs(A - B) <= MoveShare * std::max(A, B);
}

/// A key of the functions on the path to a part, whatever their binaries.
uint64_t HeapParts::wayKey(const DiffPart &P) const {
  DiffPlace Shown = All.Places[P.Place].Shown;
  if (Shown.IsArenas)
    return xxh3_64bits("arenas");
  std::string Room, Way;
  StringRef Last;
  for (const ShownFrame &F : Runs.trace(Shown.Run).shownWay(Shown.Node)) {
    if (F.Function == Last)
      continue;
    Last = F.Function;
    Way += steadyFunction(F.Function, Room);
    Way += '\n';
  }
  return xxh3_64bits(Way);
}

/// Whether the part's place has allocations in both groups.
bool HeapParts::isOnBothSides(const DiffPart &P) const {
  auto Has = [](const StackMetrics &M) { return M.Allocations != 0; };
  return any_of(Runs.before<StackMetrics>(P.Runs), Has) &&
         any_of(Runs.after<StackMetrics>(P.Runs), Has);
}

/// Whether all parts may be one move. A part that grew may come from one that
/// shrank, unless parts of both kinds have allocations before and after.
bool HeapParts::canMoveAll(const PartList &More, const PartList &Less) const {
  bool OnBothSides[2] = {false, false};
  for (const PartList *L : {&More, &Less})
    for (uint32_t P = L->First; P != NoPart; P = Parts[P].Next) {
      if (Parts[P].HasTwin)
        return false;
      OnBothSides[L == &Less] |= isOnBothSides(Parts[P]);
    }
  return !OnBothSides[0] || !OnBothSides[1];
}

/// Finds moves below a place: of all parts that grew and shrank, or of pairs.
void HeapParts::takeMoves(size_t At) {
  // More parts are a change of everything, and would take quadratic time.
  const uint32_t Max = 64;
  const PartList &More = Spots[At].Lists[0], &Less = Spots[At].Lists[1];
  if (!More.Count || !Less.Count || More.Count + Less.Count > Max)
    return;
  takeTwins(At);
  if (!More.Count || !Less.Count)
    return;
  if (isSameAmount(More.Total, Less.Total) && canMoveAll(More, Less)) {
    SmallVector<uint32_t, 16> All = largestFirst(More);
    All.append(largestFirst(Less));
    take(At, All);
    return;
  }
  takePairs(At);
}

/// Pairs parts with equal functions in different binaries: a move if the
/// amounts are equal.
void HeapParts::takeTwins(size_t At) {
  DenseMap<uint64_t, uint32_t> ByWay;
  for (uint32_t P : largestFirst(Spots[At].Lists[1]))
    ByWay.try_emplace(wayKey(Parts[P]), P);
  for (uint32_t C : largestFirst(Spots[At].Lists[0])) {
    auto W = ByWay.find(wayKey(Parts[C]));
    if (W == ByWay.end())
      continue;
    uint32_t Went = W->second;
    ByWay.erase(W);
    if (isSameAmount(Parts[C].Change, -Parts[Went].Change))
      take(At, {C, Went});
    else
      Parts[C].HasTwin = Parts[Went].HasTwin = true;
  }
}

/// Pairs parts with equal amounts at different places.
void HeapParts::takePairs(size_t At) {
  SmallVector<uint32_t, 16> Went = largestFirst(Spots[At].Lists[1]);
  for (uint32_t C : largestFirst(Spots[At].Lists[0])) {
    auto IsPair = [&](uint32_t W) {
      const DiffPart &From = Parts[W], &To = Parts[C];
      return isSameAmount(To.Change, -From.Change) && !From.HasTwin &&
             !To.HasTwin && !(isOnBothSides(From) && isOnBothSides(To));
    };
    auto W = find_if(Went, IsPair);
    if (W == Went.end())
      continue;
    take(At, {C, *W});
    Went.erase(W);
  }
}

/// Makes a move of parts and adds their stats to the place again.
void HeapParts::take(size_t At, ArrayRef<uint32_t> Moved) {
  HeapSpot &S = Spots[At];
  for (PartList &L : S.Lists) {
    PartList Old = std::exchange(L, {});
    for (uint32_t P = Old.First; P != NoPart;) {
      uint32_t Next = std::exchange(Parts[P].Next, NoPart);
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
    // An upper bound; the largest child may have moved.
    L.LargestChild = std::min(Old.LargestChild, L.Total);
  }
  S.IsInner = true;
  Moves.push_back({S.Place, Moved.vec()});
}

void HeapParts::absorb(DiffPart &Into, DiffPart &From) {
  const size_t Max = 3;
  for (size_t R = 0; R != Runs.size(); ++R)
    Into.Runs[R].add(From.Runs[R]);
  if (From.Largest.empty())
    From.Largest = {{From.Change, From.Place}};
  Into.Largest.insert(Into.Largest.end(), From.Largest.begin(),
                      From.Largest.end());
  stable_sort(Into.Largest, [](const auto &A, const auto &B) {
    return std::fabs(A.first) > std::fabs(B.first);
  });
  if (Into.Largest.size() > Max)
    Into.Largest.resize(Max);
  Into.Count += From.Count;
  From.Runs = {};
}

/// Replaces the parts of the chosen signs, and the part of the place itself, by
/// one part.
void HeapParts::gather(size_t At, bool Signs[2]) {
  HeapSpot &S = Spots[At];
  DiffPart One;
  One.Place = S.Place;
  One.Count = 0;
  One.IsInner = true;
  One.Runs = sums(At).vec();
  for (int Sign : {0, 1}) {
    PartList Old = S.Lists[Sign];
    S.Lists[Sign] = {};
    for (uint32_t P = Old.First; P != NoPart;) {
      uint32_t Next = Parts[P].Next;
      if (Signs[Sign] || Parts[P].Place == S.Place) {
        absorb(One, Parts[P]);
        Old.Total -= std::fabs(Parts[P].Change);
      } else {
        Parts[P].Next = NoPart;
        append(S.Lists[Sign], P);
      }
      P = Next;
    }
    if (S.Lists[Sign].First != NoPart) {
      S.Lists[Sign].Total = Old.Total;
      S.Lists[Sign].LargestChild = Old.LargestChild;
    }
  }
  // The absorbed change becomes one part, or stays at the place if it is small.
  llvm::copy(One.Runs, sums(At).begin());
  S.IsInner = true;
  size_t Before = Parts.size();
  takePart(At);
  if (Parts.size() != Before) {
    Parts.back().Count = One.Count;
    Parts.back().Largest = std::move(One.Largest);
  }
}

/// Passes the remaining change and the parts to the place above.
void HeapParts::handUp(size_t At) {
  HeapSpot &S = Spots[At], &Above = Spots[S.Parent];
  MutableArrayRef<StackMetrics> Mine = sums(At), Theirs = sums(S.Parent);
  for (size_t R = 0; R != Runs.size(); ++R) {
    Above.IsInner |= Mine[R] != StackMetrics();
    Theirs[R].add(Mine[R]);
  }
  for (int Sign : {0, 1}) {
    PartList &From = S.Lists[Sign], &To = Above.Lists[Sign];
    if (From.First == NoPart)
      continue;
    uint32_t Count = To.Count + From.Count;
    append(To, From.First);
    To.Last = From.Last;
    To.Count = Count;
    To.Total += From.Total;
    To.LargestChild = std::max(To.LargestChild, From.Total);
  }
}

} // namespace memkit
