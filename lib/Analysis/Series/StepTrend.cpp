// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a value rises from step to step.

#include "StepTrend.h"
#include "Medians.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

namespace {
struct StepPart {
  uint64_t Min, Median, Max;
};
} // namespace

static StepPart partOf(ArrayRef<uint64_t> Values) {
  std::vector<uint64_t> Sorted(Values.begin(), Values.end());
  std::sort(Sorted.begin(), Sorted.end());
  return {Sorted.front(), Sorted[Sorted.size() / 2], Sorted.back()};
}

double steadyRise(ArrayRef<uint64_t> Values) {
  constexpr size_t MinSteps = 9;
  size_t WarmUp = std::max<size_t>(2, Values.size() / 5);
  if (Values.size() < MinSteps + WarmUp)
    return 0;
  Values = Values.drop_front(WarmUp);
  size_t Third = Values.size() / 3;
  StepPart First = partOf(Values.take_front(Third));
  StepPart Middle = partOf(Values.slice(Third, Third));
  StepPart Last = partOf(Values.drop_front(2 * Third));
  // Every value of the last third is above every value of the first.
  if (Last.Min <= First.Max || Middle.Median <= First.Median ||
      Last.Median <= Middle.Median)
    return 0;
  // Of few values chance puts some above the others: the gap must then be as
  // wide as the values of the first third are apart.
  constexpr size_t FewOfThird = 5;
  if (Third < FewOfThird && Last.Min - First.Max < First.Max - First.Min)
    return 0;
  // A pool that fills up slows down; a leak does not.
  uint64_t Before = Middle.Median - First.Median;
  if (Last.Median - Middle.Median < Before / 2)
    return 0;
  std::vector<double> Slopes;
  size_t Half = Values.size() / 2;
  for (size_t I = 0; I + Half < Values.size(); ++I)
    Slopes.push_back((double(Values[I + Half]) - double(Values[I])) /
                     double(Half));
  return std::max(0.0, medianOf(Slopes));
}

} // namespace memkit
