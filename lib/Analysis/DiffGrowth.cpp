// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines that grow in one run and not in the other.

#include "memkit/Analysis/DiffPlaces.h"
#include "memkit/Analysis/GrowthLines.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

static Expected<std::vector<LineGrowth>> linesOf(const SelectedStats &S,
                                                 const Places &Where) {
  Expected<GrowthReport> Found = findGrowth(S);
  if (!Found)
    return Found.takeError();
  std::vector<LineGrowth> Lines = growthLines(S, Where, *Found);
  erase_if(Lines, [](const LineGrowth &L) { return !L.isGrowing(); });
  return Lines;
}

static bool areOfOneFunction(const LineGrowth &A, const LineGrowth &B) {
  return A.HasSteps == B.HasSteps && A.Where.Kind == B.Where.Kind &&
         A.Where.Name == B.Where.Name &&
         baseName(A.Where.File) == baseName(B.Where.File);
}

/// The line's number may differ between versions of a program.
static bool areSame(const LineGrowth &A, const LineGrowth &B) {
  if (!areOfOneFunction(A, B))
    return false;
  bool HasText = !A.Where.Source.empty() && !B.Where.Source.empty();
  return HasText ? A.Where.Source == B.Where.Source
                 : A.Where.Line == B.Where.Line;
}

/// The same line in Others; else the only line of the function there, if L is
/// the only one of Mine. Others.end(): none.
static const LineGrowth *findSame(const LineGrowth &L,
                                  ArrayRef<LineGrowth> Mine,
                                  ArrayRef<LineGrowth> Others) {
  auto At = find_if(Others, [&](const LineGrowth &O) { return areSame(L, O); });
  if (At != Others.end())
    return At;
  auto IsOfFunction = [&](const LineGrowth &O) {
    return areOfOneFunction(L, O);
  };
  if (count_if(Mine, IsOfFunction) != 1 || count_if(Others, IsOfFunction) != 1)
    return Others.end();
  return find_if(Others, IsOfFunction);
}

/// Whether the rates differ by half of the smaller one.
static bool differs(const GrowthChange &C) {
  constexpr double Factor = 1.5;
  double Low = std::min(C.Before, C.After), High = std::max(C.Before, C.After);
  return High > Factor * Low;
}

Expected<std::vector<GrowthChange>> diffGrowth(const DiffRuns &Runs,
                                               const DiffPlaces &Of) {
  std::vector<LineGrowth> Lines[2];
  Error Failed[] = {Error::success(), Error::success()};
  Runs.forEachRun([&](size_t R) {
    Expected<std::vector<LineGrowth>> Found = linesOf(Runs.run(R), Of.Where[R]);
    if (Found)
      Lines[R] = std::move(*Found);
    else
      Failed[R] = Found.takeError();
  });
  if (Failed[0] || Failed[1])
    return joinErrors(std::move(Failed[0]), std::move(Failed[1]));

  std::vector<GrowthChange> Out;
  for (const LineGrowth &L : Lines[1])
    Out.push_back({1, L.Where, L.HasSteps, 0, L.Rate});
  for (const LineGrowth &L : Lines[0]) {
    ArrayRef<LineGrowth> After = Lines[1];
    const LineGrowth *At = findSame(L, Lines[0], After);
    if (At == After.end())
      Out.push_back({0, L.Where, L.HasSteps, L.Rate, 0});
    else
      Out[size_t(At - After.begin())].Before = L.Rate;
  }
  erase_if(Out, [](const GrowthChange &C) { return !differs(C); });
  stable_sort(Out, [](const GrowthChange &A, const GrowthChange &B) {
    return std::tuple(A.After > A.Before, std::max(A.Before, A.After)) >
           std::tuple(B.After > B.Before, std::max(B.Before, B.After));
  });
  return Out;
}

} // namespace memkit
