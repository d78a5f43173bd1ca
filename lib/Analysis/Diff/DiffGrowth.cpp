// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that grow in one run and not in the other.

#include "memkit/Analysis/DiffPlaces.h"
#include "memkit/Analysis/GrowthLines.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

namespace {
/// What grows in a run.
struct RunGrowth {
  std::vector<LineGrowth> Lines;
  /// Whether the run is long enough for rates per second: those of a short one
  /// are the rates of one phase.
  bool HasSeconds = false;
};
} // namespace

static Expected<RunGrowth> growthOf(const SelectedStats &S,
                                    const Places &Where) {
  constexpr uint64_t MinNs = 3'000'000'000;
  Expected<GrowthReport> Found = findGrowth(S);
  if (!Found)
    return Found.takeError();
  RunGrowth Out;
  Out.HasSeconds = any_of(Found->Spans, [](const GrowthRange &R) {
    return !R.HasSteps && R.EndNs - R.BeginNs >= MinNs;
  });
  Out.Lines = growthLines(S, Where, *Found);
  erase_if(Out.Lines, [](const LineGrowth &L) { return !L.isGrowing(); });
  return Out;
}

using PlaceKey = std::tuple<PlaceKind, StringRef, StringRef, uint32_t>;
static PlaceKey keyOf(const Place &P) {
  return {P.Kind, P.Name, P.File, P.Line};
}

namespace {
/// The places after by the places before.
using Counterparts = std::map<PlaceKey, PlaceKey>;
} // namespace

static Counterparts counterparts(const DiffPlaces &Of) {
  Counterparts Out;
  for (const PlaceChange &C : Of.All)
    if (C.Earlier && C.Later)
      Out.try_emplace(keyOf(Of.Where[0].place(C.Earlier->Place)),
                      keyOf(Of.Where[1].place(C.Later->Place)));
  return Out;
}

static bool areOfOneFunction(const LineGrowth &A, const LineGrowth &B) {
  return A.HasSteps == B.HasSteps && A.Where.Kind == B.Where.Kind &&
         A.Where.Name == B.Where.Name;
}

/// The line of Others that is L, of the run before; else the only line of the
/// function there, if L is the only one of Mine. Others.end(): none.
static const LineGrowth *findSame(const LineGrowth &L,
                                  ArrayRef<LineGrowth> Mine,
                                  ArrayRef<LineGrowth> Others,
                                  const Counterparts &Known) {
  auto Later = Known.find(keyOf(L.Where));
  if (Later != Known.end()) {
    auto At = find_if(Others, [&](const LineGrowth &O) {
      return O.HasSteps == L.HasSteps && keyOf(O.Where) == Later->second;
    });
    if (At != Others.end())
      return At;
  }
  auto IsOfFunction = [&](const LineGrowth &O) {
    return areOfOneFunction(L, O);
  };
  if (count_if(Mine, IsOfFunction) != 1 || count_if(Others, IsOfFunction) != 1)
    return Others.end();
  return find_if(Others, IsOfFunction);
}

/// Whether a growth tells something of the program: what only loads and fills
/// has the rate of a phase, and of the machine.
static bool tells(const LineGrowth &L) {
  return L.HasSteps || L.Word == GrowthWord::Leak;
}

/// Whether the rates differ by half of the smaller one.
static bool differs(const GrowthChange &C) {
  constexpr double Factor = 1.5;
  double Low = std::min(C.Before, C.After), High = std::max(C.Before, C.After);
  return High > Factor * Low;
}

Expected<std::vector<GrowthChange>> diffGrowth(const DiffRuns &Runs,
                                               const DiffPlaces &Of) {
  RunGrowth Found[2];
  Error Failed[] = {Error::success(), Error::success()};
  Runs.forEachRun([&](size_t R) {
    if (Expected<RunGrowth> Growth = growthOf(Runs.run(R), Of.Where[R]))
      Found[R] = std::move(*Growth);
    else
      Failed[R] = Growth.takeError();
  });
  if (Failed[0] || Failed[1])
    return joinErrors(std::move(Failed[0]), std::move(Failed[1]));
  if (!Found[0].HasSeconds || !Found[1].HasSeconds)
    for (RunGrowth &G : Found)
      erase_if(G.Lines, [](const LineGrowth &L) { return !L.HasSteps; });

  Counterparts Known = counterparts(Of);
  std::vector<GrowthChange> All;
  std::vector<bool> Tells; // by change
  ArrayRef<LineGrowth> After = Found[1].Lines;
  for (const LineGrowth &L : After) {
    All.push_back({1, L.Where, L.HasSteps, 0, L.Rate});
    Tells.push_back(tells(L));
  }
  for (const LineGrowth &L : Found[0].Lines) {
    const LineGrowth *At = findSame(L, Found[0].Lines, After, Known);
    if (At == After.end()) {
      All.push_back({0, L.Where, L.HasSteps, L.Rate, 0});
      Tells.push_back(tells(L));
    } else {
      size_t Same = size_t(At - After.begin());
      All[Same].Before = L.Rate;
      Tells[Same] = Tells[Same] || tells(L);
    }
  }
  std::vector<GrowthChange> Out;
  for (auto [C, IsTold] : zip_equal(All, Tells))
    if (IsTold && differs(C))
      Out.push_back(C);
  stable_sort(Out, [](const GrowthChange &A, const GrowthChange &B) {
    return std::tuple(A.After > A.Before, std::max(A.Before, A.After)) >
           std::tuple(B.After > B.Before, std::max(B.Before, B.After));
  });
  return Out;
}

} // namespace memkit
