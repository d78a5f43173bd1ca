// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places that changed.

#include "DiffRows.h"
#include "DiffTotals.h"
#include "memkit/Model/SteadyNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace llvm;

namespace memkit {

uint64_t distance(uint64_t A, uint64_t B) { return A > B ? A - B : B - A; }

SmallVector<Metric, 2> placeMetrics(const DiffView &V) {
  if (V.IsAtTimePoint || V.By != Metric::Peak)
    return {V.By};
  return {Metric::Peak, Metric::Live};
}

/// Whether the place is the arenas of Python.
static bool isArenas(const DiffView &V, const PlaceChange &C) {
  return V.Report.Places.Where[C.Run].place(C.Place).isArenas();
}

int64_t changeOfArenas(const DiffView &V, StringRef Space, Metric By) {
  int64_t Sum = 0;
  for (const PlaceChange &C : V.Report.Places.All)
    if (C.Space == Space && isArenas(V, C))
      Sum += C.change(By);
  return Sum;
}

/// Whether the change reaches the noise, and is no chance of runs or samples.
static bool isReported(const DiffView &V, const SpaceChange &Space,
                       const PlaceChange &C, Metric By) {
  uint64_t Change = distance(C.before(By), C.after(By));
  if (!Change || Change < Space.Noise)
    return false;
  if (Space.Noise && Change <= OneArena && isArenas(V, C))
    return false;
  std::optional<ConfidenceInterval> I =
      changeOfPlace(V.Runs, C, By, V.Confidence);
  return !I || !I->hasZero() || V.Uncertain;
}

static bool areClose(uint64_t A, uint64_t B) {
  return A && B && double(distance(A, B)) <= MoveShare * double(std::max(A, B));
}

/// Whether Old lost what New gained: as many bytes in as many allocations.
/// Bytes alone may be equal by chance.
static bool isMove(const PlaceChange &Old, const PlaceChange &New,
                   ArrayRef<Metric> By, uint64_t Noise) {
  if (Old.change(By.front()) >= 0 || New.change(By.front()) <= 0)
    return false;
  for (Metric M : By) {
    int64_t Lost = -Old.change(M), Gained = New.change(M);
    bool IsSame = Lost > 0 && Gained > 0
                      ? areClose(uint64_t(Lost), uint64_t(Gained))
                      : uint64_t(std::abs(Lost - Gained)) < Noise;
    if (!IsSame)
      return false;
  }
  int64_t Lost = -Old.change(Metric::Count), Gained = New.change(Metric::Count);
  return Lost > 0 && Gained > 0 && areClose(uint64_t(Lost), uint64_t(Gained));
}

/// Takes the moves from the shown rows. A place that is gone, and a new one,
/// come before others.
static void takeMoves(PlaceRows &Rows, const DiffView &V, ArrayRef<Metric> By,
                      uint64_t Noise) {
  auto Score = [](const PlaceChange *Old, const PlaceChange *New) {
    return !Old->After.Allocations + !New->Before.Allocations;
  };
  constexpr size_t MaxRows = 1000; // each is compared with each
  ArrayRef<const PlaceChange *> Largest = Rows.Shown;
  Largest = Largest.take_front(MaxRows);
  SmallPtrSet<const PlaceChange *, 16> Taken;
  for (const PlaceChange *Old : Largest) {
    const PlaceChange *Best = nullptr;
    for (const PlaceChange *New : Largest)
      if (!Taken.contains(New) && isMove(*Old, *New, By, Noise) &&
          (!Best || Score(Old, New) > Score(Old, Best)))
        Best = New;
    if (!Best)
      continue;
    Rows.Moved.push_back({Old, Best});
    Taken.insert(Old);
    Taken.insert(Best);
  }
  erase_if(Rows.Shown, [&](const PlaceChange *C) { return Taken.contains(C); });
  // Places with new names that hold what they held.
  for (const PlaceChange *C : Rows.Others) {
    const Place *Then = V.Report.Places.otherBefore(*C);
    std::string NowRoom, ThenRoom;
    if (Then && C->after(By.front()) >= std::max<uint64_t>(Noise, 1) &&
        C->before(By.front()) &&
        steadyFunction(V.Report.Places.place(*C).Name, NowRoom) !=
            steadyFunction(Then->Name, ThenRoom))
      Rows.Moved.push_back({C, C});
  }
}

PlaceRows placeRows(const DiffView &V, const SpaceChange &Space) {
  SmallVector<Metric, 2> By = placeMetrics(V);
  PlaceRows Out;
  ArrayRef<PlaceChange> All = V.Report.Places.All;
  auto First = partition_point(
      All, [&](const PlaceChange &C) { return C.Space < Space.Name; });
  for (const PlaceChange &C : make_range(First, All.end())) {
    if (C.Space != Space.Name)
      break;
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
  takeMoves(Out, V, By, Space.Noise);

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
  return areClose(C.Before.AllocatedBytes, C.After.AllocatedBytes) &&
         areClose(C.Before.Allocations, C.After.Allocations) &&
         (!C.Before.AtPeakBytes || !C.After.AtPeakBytes);
}

std::string remarkOf(const DiffView &V, const PlaceChange &C, Metric By) {
  if (std::string Then = V.Report.Places.textBefore(C); !Then.empty())
    return "was " + Then;
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
  for (auto [Old, New] : Rows.Moved) {
    uint64_t Value = Old == New ? New->after(By) : uint64_t(New->change(By));
    Lines.push_back(valueText(Value, isInBytes(By)) + " moved from " +
                    (Old == New ? V.Report.Places.textBefore(*New)
                                : V.Report.Places.text(*Old)) +
                    " to " + V.Report.Places.text(*New));
  }
  return Lines;
}

} // namespace memkit
