// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a device holds memory that no recorded block accounts for.

#include "memkit/Analysis/GapCauses.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <optional>

using namespace llvm;

namespace memkit {

GapSeverity gapSeverity(uint64_t Bytes, uint64_t DeviceBytes) {
  constexpr uint64_t High = 10, Medium = 3; // of a hundred
  return Bytes >= DeviceBytes / 100 * High     ? GapSeverity::High
         : Bytes >= DeviceBytes / 100 * Medium ? GapSeverity::Medium
                                               : GapSeverity::Low;
}

/// The samples until the program begins to give the device back: its contexts
/// end or, where they are not known, most of the used bytes go.
static ArrayRef<GapSample> whileInUse(ArrayRef<GapSample> Samples) {
  uint64_t MostUsed = 0, MostDriver = 0;
  for (const GapSample &S : Samples) {
    MostUsed = std::max(MostUsed, S.Used);
    MostDriver = std::max(MostDriver, S.Driver);
  }
  size_t End = Samples.size();
  auto IsInUse = [&](const GapSample &S) {
    return MostDriver ? S.Driver >= MostDriver / 2 : S.Used >= MostUsed / 2;
  };
  while (End > 1 && !IsInUse(Samples[End - 1]))
    --End;
  // What never fills half the device again is in use nevertheless.
  return End * 4 >= Samples.size() * 3 ? Samples.take_front(End) : Samples;
}

namespace {
/// The level of the rest has risen by Bytes, for good.
struct RestRise {
  uint64_t TimeNs;
  uint64_t Bytes;
};

/// What the rest of a gap is made of.
class RestOfGap {
public:
  RestOfGap(ArrayRef<GapSample> Samples, uint64_t Least)
      : Samples(Samples), Least(Least) {
    Levels.resize(Samples.size());
    uint64_t Level = UINT64_MAX;
    for (size_t I = Samples.size(); I-- != 0;)
      Levels[I] = Level = std::min(Level, Samples[I].Rest);
    findRises();
  }

  std::optional<GapFinding> before() const {
    return finding(GapCause::Before, Levels.front(), Samples.front().TimeNs, 0);
  }

  /// What comes and goes: the most above the level, and how often it is there.
  std::optional<GapFinding> transient() const {
    uint64_t Most = 0, Since = 0, Times = 0;
    bool WasAbove = false;
    for (size_t I = 0; I != Samples.size(); ++I) {
      uint64_t Above = Samples[I].Rest - Levels[I];
      Most = std::max(Most, Above);
      bool IsAbove = Above >= Least;
      if (IsAbove && !WasAbove && !Times++)
        Since = Samples[I].TimeNs;
      WasAbove = IsAbove;
    }
    return finding(GapCause::Transient, Most, Since, Times);
  }

  /// The rises that go on, together.
  std::optional<GapFinding> drift() const {
    ArrayRef<RestRise> Small = Rises;
    if (!drifts(Small))
      return std::nullopt;
    std::optional<GapFinding> F = finding(GapCause::Drift, sum(Small),
                                          Small.front().TimeNs, Small.size());
    uint64_t Ns = Samples.back().TimeNs - Small.front().TimeNs;
    if (F && Ns)
      F->BytesPerSecond = uint64_t(double(F->Bytes) * 1e9 / double(Ns));
    return F;
  }

  /// The rises that stay: all that are no drift.
  GapFinding taken() const {
    bool Drifts = drifts(Rises);
    GapFinding F;
    F.Bytes = sum(Jumps) + (Drifts ? 0 : sum(Rises));
    F.Times = Jumps.size() + (Drifts ? 0 : Rises.size());
    uint64_t Most = 0;
    auto Take = [&](ArrayRef<RestRise> Of) {
      for (const RestRise &R : Of)
        if (R.Bytes > Most) {
          Most = R.Bytes;
          F.SinceNs = R.TimeNs;
        }
    };
    Take(Jumps);
    if (!Drifts)
      Take(Rises);
    return F;
  }

private:
  static uint64_t sum(ArrayRef<RestRise> Of) {
    uint64_t Sum = 0;
    for (const RestRise &R : Of)
      Sum += R.Bytes;
    return Sum;
  }

  void findRises() {
    constexpr uint64_t NoisePart = 16;
    uint64_t Level = Levels.front();
    for (size_t I = 1; I < Samples.size(); ++I)
      if (uint64_t By = Levels[I] - Level; By > Least / NoisePart) {
        Rises.push_back({Samples[I].TimeNs, By});
        Level = Levels[I];
      }
    partJumps();
  }

  /// The time from a rise to the next, or to the end.
  uint64_t waitAfter(size_t I) const {
    return (I + 1 < Rises.size() ? Rises[I + 1].TimeNs
                                 : Samples.back().TimeNs) -
           Rises[I].TimeNs;
  }

  /// Moves to Jumps the rises far above the usual. What comes and goes hides
  /// the rises under it, which then come at once and before a long wait.
  void partJumps() {
    constexpr size_t Few = 4;
    constexpr double Far = 2;
    std::vector<uint64_t> Sizes, Waits;
    for (size_t I = 0; I != Rises.size(); ++I) {
      Sizes.push_back(Rises[I].Bytes);
      Waits.push_back(waitAfter(I));
    }
    double Usual = Rises.size() < Few ? 0 : double(median(Sizes));
    double Wait = Rises.empty() ? 0 : double(median(Waits));
    std::vector<RestRise> Others;
    for (size_t I = 0; I != Rises.size(); ++I) {
      double Hidden = Wait ? Usual * double(waitAfter(I)) / Wait : Usual;
      bool IsJump = Rises[I].Bytes >= Least &&
                    double(Rises[I].Bytes) > Far * Usual + Hidden;
      (IsJump ? Jumps : Others).push_back(Rises[I]);
    }
    Rises = std::move(Others);
  }

  static uint64_t median(std::vector<uint64_t> &Of) {
    auto Middle = Of.begin() + ptrdiff_t(Of.size() / 2);
    std::nth_element(Of.begin(), Middle, Of.end());
    return *Middle;
  }

  /// Whether rises come often, over half of the time, and to the last third.
  bool drifts(ArrayRef<RestRise> Of) const {
    constexpr size_t Often = 4;
    if (Of.size() < Often || sum(Of) < Least)
      return false;
    uint64_t Begin = Samples.front().TimeNs, End = Samples.back().TimeNs;
    uint64_t Span = Of.back().TimeNs - Of.front().TimeNs;
    return Span >= (End - Begin) / 2 &&
           End - Of.back().TimeNs <= (End - Begin) / 3;
  }

  std::optional<GapFinding> finding(GapCause Cause, uint64_t Bytes,
                                    uint64_t SinceNs, uint64_t Times) const {
    if (Bytes < Least)
      return std::nullopt;
    GapFinding F;
    F.Cause = Cause;
    F.Bytes = Bytes;
    F.SinceNs = SinceNs;
    F.Times = Times;
    return F;
  }

  ArrayRef<GapSample> Samples;
  const uint64_t Least;
  std::vector<uint64_t> Levels; ///< by sample
  std::vector<RestRise> Jumps;  ///< in order of time
  std::vector<RestRise> Rises;  ///< the others
};
} // namespace

/// The most of a part, since half of it was there.
static GapFinding mostOf(ArrayRef<GapSample> Samples, GapCause Cause,
                         uint64_t GapSample::*Part) {
  GapFinding F;
  F.Cause = Cause;
  for (const GapSample &S : Samples)
    F.Bytes = std::max(F.Bytes, S.*Part);
  for (const GapSample &S : Samples)
    if (S.*Part >= F.Bytes / 2) {
      F.SinceNs = S.TimeNs;
      break;
    }
  return F;
}

std::vector<GapFinding> findGapCauses(ArrayRef<GapSample> All,
                                      uint64_t DeviceBytes) {
  std::vector<GapFinding> Out;
  if (All.empty())
    return Out;
  for (const GapSample &S : All)
    DeviceBytes = std::max(DeviceBytes, S.Used);
  const uint64_t Least = leastCause(DeviceBytes);
  ArrayRef<GapSample> Samples = whileInUse(All);
  RestOfGap Rest(Samples, Least);

  // What libraries take at their first call is told with the driver's own.
  GapFinding First = mostOf(Samples, GapCause::FirstUse, &GapSample::Driver);
  GapFinding Taken = Rest.taken();
  if (Taken.Bytes > First.Bytes)
    First.SinceNs = Taken.SinceNs;
  First.Times = Taken.Bytes ? Taken.Times : 0;
  First.Bytes += Taken.Bytes;
  for (const GapFinding &F :
       {First, mostOf(Samples, GapCause::OtherProcess, &GapSample::Others)})
    if (F.Bytes >= Least)
      Out.push_back(F);
  for (const std::optional<GapFinding> &F :
       {Rest.before(), Rest.transient(), Rest.drift()})
    if (F)
      Out.push_back(*F);
  for (GapFinding &F : Out) {
    F.Severity = gapSeverity(F.Bytes, DeviceBytes);
    if (F.Cause == GapCause::Drift)
      F.Severity = std::max(F.Severity, GapSeverity::Medium);
  }
  stable_sort(Out, [](const GapFinding &A, const GapFinding &B) {
    return A.Bytes > B.Bytes;
  });
  return Out;
}

} // namespace memkit
