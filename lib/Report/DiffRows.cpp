// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places that changed.

#include "DiffRows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

uint64_t distance(uint64_t A, uint64_t B) { return A > B ? A - B : B - A; }

SmallVector<Metric, 2> placeMetrics(const DiffView &V) {
  if (V.IsAtTimePoint || V.By != Metric::Peak)
    return {V.By};
  return {Metric::Peak, Metric::Live};
}

/// Whether the change reaches the noise, and is no chance of runs or samples.
static bool isReported(const DiffView &V, const SpaceChange &Space,
                       const PlaceChange &C, Metric By) {
  uint64_t Change = distance(C.before(By), C.after(By));
  if (!Change || Change < Space.Noise)
    return false;
  std::optional<ConfidenceInterval> I =
      changeOfPlace(V.Runs, C, By, V.Confidence);
  return !I || !I->hasZero() || V.Uncertain;
}

PlaceRows placeRows(const DiffView &V, const SpaceChange &Space) {
  SmallVector<Metric, 2> By = placeMetrics(V);
  PlaceRows Out;
  for (const PlaceChange &C : V.Report.Places.All) {
    if (C.Space != Space.Name)
      continue;
    bool Any = any_of(By, [&](Metric M) { return isReported(V, Space, C, M); });
    (Any ? Out.Shown : Out.Others).push_back(&C);
  }
  auto Key = [&](const PlaceChange *C) {
    return std::pair(distance(C->before(By.front()), C->after(By.front())),
                     distance(C->before(By.back()), C->after(By.back())));
  };
  stable_sort(Out.Shown, [&](const PlaceChange *A, const PlaceChange *B) {
    return Key(A) > Key(B);
  });

  // A place that is gone, and a new place with as much: the memory moved.
  auto IsGone = [](const PlaceChange *C) { return !C->After.Allocations; };
  auto IsNew = [](const PlaceChange *C) { return !C->Before.Allocations; };
  auto AreSame = [&](const PlaceChange *Old, const PlaceChange *New) {
    uint64_t A = Old->before(By.front()), B = New->after(By.front());
    return A && double(distance(A, B)) <= MoveShare * double(std::max(A, B));
  };
  for (size_t I = 0; I < Out.Shown.size(); ++I) {
    const PlaceChange *Old = Out.Shown[I];
    if (!IsGone(Old))
      continue;
    auto New = find_if(Out.Shown, [&](const PlaceChange *C) {
      return IsNew(C) && AreSame(Old, C);
    });
    if (New == Out.Shown.end())
      continue;
    Out.Moved.push_back({Old, *New});
    Out.Shown.erase(New);
    Out.Shown.erase(find(Out.Shown, Old));
    I = size_t(-1);
  }

  constexpr size_t Usual = 8;
  size_t Max = V.MaxGiven || !V.Max ? V.Max : Usual;
  if (Max && Out.Shown.size() > Max + 1) {
    append_range(Out.Others, ArrayRef(Out.Shown).drop_front(Max));
    Out.More = Out.Shown.size() - Max;
    Out.Shown.resize(Max);
  }
  return Out;
}

/// Whether a place that changed at the peak allocates as before: only the
/// moment of the peak is another.
static bool allocatesAsBefore(const PlaceChange &C) {
  auto AreClose = [](uint64_t A, uint64_t B) {
    return A && B &&
           double(distance(A, B)) <= MoveShare * double(std::max(A, B));
  };
  return AreClose(C.Before.AllocatedBytes, C.After.AllocatedBytes) &&
         AreClose(C.Before.Allocations, C.After.Allocations) &&
         (!C.Before.AtPeakBytes || !C.After.AtPeakBytes);
}

StringRef remarkOf(const PlaceChange &C, Metric By) {
  if (By != Metric::Peak || !allocatesAsBefore(C))
    return "";
  return C.After.AtPeakBytes ? "allocates as before, now at the peak"
                             : "allocates as before, not at the peak";
}

std::string metricTitle(const DiffView &V, Metric By) {
  if (V.IsAtTimePoint)
    return "live then";
  return By == Metric::Peak ? "at the peak" : metricName(By).str();
}

RestOfRows restOf(const DiffView &V, const PlaceRows &Rows) {
  SmallVector<Metric, 2> By = placeMetrics(V);
  RestOfRows Out;
  Out.Changes.resize(By.size());
  for (const PlaceChange *C : Rows.Others) {
    bool Any = false;
    for (size_t I = 0; I != By.size(); ++I) {
      Out.Changes[I] += C->change(By[I]);
      Any |= C->change(By[I]) != 0;
    }
    Out.Places += Any;
  }
  return Out;
}

StringRef placesTitle(const DiffView &V) {
  bool HasLines = any_of(V.Report.Places.Where,
                         [](const Places &P) { return P.hasLines(); });
  return HasLines ? "line of your code" : "function or library";
}

std::vector<std::string> placeMoveLines(const DiffView &V,
                                        const PlaceRows &Rows) {
  Metric By = placeMetrics(V).front();
  std::vector<std::string> Lines;
  for (auto [Old, New] : Rows.Moved)
    Lines.push_back(valueText(New->after(By), isInBytes(By)) + " moved from " +
                    V.Report.Places.text(*Old) + " to " +
                    V.Report.Places.text(*New));
  return Lines;
}

} // namespace memkit
