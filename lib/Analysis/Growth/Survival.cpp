// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests whether blocks of a place are ever freed.

#include "memkit/Analysis/Survival.h"
#include "Analysis/Series/Distributions.h"
#include "Bursts.h"
#include "memkit/Analysis/ConfidenceInterval.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

using namespace llvm;

namespace memkit {

double SurvivalBins::total() const {
  return std::accumulate(Units.begin(), Units.end(), 0.0);
}

void SurvivalData::clear(size_t Bins) {
  for (std::vector<double> *V : {&Bytes, &Blocks, &Level, &LevelBlocks})
    V->assign(Bins, 0);
  LevelBefore = OldFreed = 0;
  Freed.fill({});
}

void SurvivalData::add(const SurvivalData &Other) {
  auto Add = [](std::vector<double> &To, const std::vector<double> &From) {
    for (size_t I = 0; I != To.size(); ++I)
      To[I] += From[I];
  };
  Add(Bytes, Other.Bytes);
  Add(Blocks, Other.Blocks);
  Add(Level, Other.Level);
  Add(LevelBlocks, Other.LevelBlocks);
  LevelBefore += Other.LevelBefore;
  OldFreed += Other.OldFreed;
  for (size_t K = 0; K != Freed.size(); ++K) {
    Freed[K].Bytes += Other.Freed[K].Bytes;
    Freed[K].Intervals += Other.Freed[K].Intervals;
  }
}

namespace {

/// A place needs MinBytes surviving bytes, and MinBins bins with survivors, for
/// a verdict.
constexpr double MinBytes = 1024, MinBins = 4;
/// If the place does not leak, blocks older than a tested age live on for at
/// most this part of the run on average.
constexpr double MaxLife = 1.0 / 3;
/// The part of the bytes reaching the tested age that must survive.
constexpr double MinKept = 0.6;
/// The largest p-value of a leak. AlphaOfChurn is for places that also free
/// older blocks, because their frees are not independent. Alpha is for places
/// where KeepsAll of the bytes that outlive their interval live to the end.
constexpr double Alpha = 1e-3, AlphaOfChurn = 1e-5, KeepsAll = 0.9;
/// The minimum rise of live bytes, in standard errors.
constexpr double MinDrift = 3.5, MinDriftOfKept = 2.5;
/// A leak has stopped when less than MinOfDue of the expected survivors came,
/// at a probability below ChanceOfStop.
constexpr double MinOfDue = 0.3, ChanceOfStop = 0.002;
/// The largest p-value of the verdict Unsure.
constexpr double MaxUnsure = 0.2;
/// With fewer bursts nothing is known about when the next is due. If one has
/// more than this part of the bytes, the others are only remains.
constexpr size_t MinBursts = 3;
constexpr double MaxOfBurst = 0.45;

double sum(ArrayRef<double> V) {
  return std::accumulate(V.begin(), V.end(), 0.0);
}

/// The mean of a series divided by its standard error, which takes into account
/// correlation between neighbours (Newey and West, Bartlett's weights).
double drift(ArrayRef<double> V) {
  auto N = static_cast<double>(V.size());
  if (V.size() < 4)
    return 0;
  double Mean = sum(V) / N;
  auto Covariance = [&](size_t Lag) {
    double S = 0;
    for (size_t I = Lag; I != V.size(); ++I)
      S += (V[I] - Mean) * (V[I - Lag] - Mean);
    return S / N;
  };
  double Plain = Covariance(0), Variance = Plain;
  auto Lags = static_cast<size_t>(std::ceil(std::sqrt(N)));
  for (size_t Lag = 1; Lag <= Lags && Lag < V.size(); ++Lag)
    Variance += 2 *
                (1 - static_cast<double>(Lag) / static_cast<double>(Lags + 1)) *
                Covariance(Lag);
  Variance = std::max(Variance, 0.1 * Plain) / N;
  if (Variance <= 0)
    return Mean > 0 ? 99 : 0;
  return Mean / std::sqrt(Variance);
}

/// How the rate of new survivors develops.
enum class Course { On, Slows, Stopped, Evicts };

/// The survivors of the bins before End, whose blocks are all older than Age.
struct Cohorts {
  const SurvivalBins &Bins;
  ArrayRef<double> Bytes;
  size_t Begin = 0, End = 0;
  /// Number of independent cohorts to which they are equivalent.
  double Count = 0;

  double units(size_t From, size_t To) const {
    return sum(ArrayRef(Bins.Units).slice(From, To - From));
  }
  double bytes(size_t From, size_t To) const {
    return sum(Bytes.slice(From, To - From));
  }
  double rate() const { return bytes(Begin, End) / units(Begin, End); }
  void findBegin();
  void countBurstsAsOne();
  Course course() const;
  double lastHalf() const;
  double lateness() const;
  bool slows() const;
};

/// Finds the first bin of a leak that began late: a bin such that a lower rate
/// before and a higher rate from there on explain the survivors far better than
/// one rate.
void Cohorts::findBegin() {
  constexpr double MinGain = 6;
  double U = bytes(Begin, End), D = units(Begin, End), Before = 0, Units = 0;
  double Best = MinGain;
  size_t At = Begin;
  auto Term = [](double Part, double Units) {
    return Part > 0 ? Part * std::log(Part / Units) : 0;
  };
  for (size_t I = Begin; I + 2 < End; ++I) {
    if (I != Begin && Before / U < 0.5 * Units / D) {
      double K = Before / U * Count;
      double Gain =
          Term(K, Units) + Term(Count - K, D - Units) - Term(Count, D);
      if (Gain > Best) {
        Best = Gain;
        At = I;
      }
    }
    Before += Bytes[I];
    Units += Bins.Units[I];
  }
  Begin = At;
}

/// Blocks of one burst came together and are one observation of when blocks
/// come.
void Cohorts::countBurstsAsOne() {
  double Square = 0, Most = 0, U = bytes(Begin, End);
  size_t Bursts =
      countBursts(Bytes.slice(Begin, End - Begin), [&](double Burst) {
        Square += Burst * Burst;
        Most = std::max(Most, Burst);
      });
  if (Bursts >= MinBursts && Most <= MaxOfBurst * U)
    Count = std::min(Count, U * U / Square);
}

/// The rate of the last half as a part of the whole rate.
double Cohorts::lastHalf() const {
  size_t Middle = Begin + (End - Begin) - (End - Begin) / 2;
  return bytes(Middle, End) / units(Middle, End) / rate();
}

/// How late the survivors came, in standard errors: 0 for a constant rate,
/// negative if they came early (Laplace).
double Cohorts::lateness() const {
  double Place = 0, At = 0, All = units(Begin, End);
  for (size_t I = Begin; I != End; ++I) {
    Place += Bytes[I] * (At + Bins.Units[I] / 2) / All;
    At += Bins.Units[I];
  }
  return (Place / bytes(Begin, End) - 0.5) * std::sqrt(12 * Count);
}

/// Whether survivors come less and less: much less, or certainly less.
bool Cohorts::slows() const {
  struct {
    double Late, Half;
  } constexpr Limits[] = {{-2.6, 0.57}, {-4, 0.7}};
  return any_of(Limits, [&](auto L) {
    return lateness() < L.Late && lastHalf() < L.Half;
  });
}

/// Compares the survivors in the last parts of the run with a constant rate.
Course Cohorts::course() const {
  struct RunPart {
    double Of, Min, Chance;
  };
  constexpr RunPart Parts[] = {{2, 0.57, 0.01},
                               {3, 0.45, 0.01},
                               {4, 0.4, 0.005},
                               {8, 0.25, ChanceOfStop},
                               {16, 0.15, ChanceOfStop}};
  constexpr double NearlyNothing = 0.1;
  if (End - Begin < 4)
    return Course::On;
  double U = bytes(Begin, End), D = units(Begin, End);
  Course Out = Course::On;
  for (RunPart P : Parts) {
    size_t Bins =
        std::max<size_t>(1, static_cast<size_t>(std::lround(
                                static_cast<double>(End - Begin) / P.Of)));
    double Share = bytes(End - Bins, End) / U;
    double Even = units(End - Bins, End) / D;
    if (Share / Even >= P.Min ||
        binomialAtMost(Share * Count, Count, Even) >= P.Chance)
      continue;
    if (P.Of > 2 && Share / Even < NearlyNothing)
      return Course::Stopped;
    Out = Course::Slows;
  }
  return Out;
}

/// The result of a test at one age.
struct Trial {
  double Age = 0;
  double PValue = 1, Alpha = 0, Chance = 1, Cohorts = 0;
  bool Holds = false; ///< all conditions of a leak but the p-value hold
  Course Goes = Course::On;
  size_t Begin = 0, End = 0;
  bool convicts() const { return Holds && PValue <= Alpha; }
};

class Judge {
public:
  Judge(const SurvivalBins &Bins, const SurvivalData &Data, double SampleBytes)
      : Bins(Bins), Data(Data), SampleBytes(SampleBytes), Total(Bins.total()) {}
  SurvivalResult run();

private:
  std::optional<Trial> tryAge(unsigned Class);
  double freedFrom(unsigned Class) const;
  size_t binsOlderThan(double Age) const;
  bool neverFalls(size_t Begin) const;
  bool rises(size_t Begin) const;
  void estimate(const Trial &T, SurvivalResult &R) const;
  bool isContainer(SurvivalResult &R) const;
  bool fillsEvenly(ArrayRef<double> Times, ArrayRef<double> Sizes,
                   SurvivalResult &R) const;

  const SurvivalBins &Bins;
  const SurvivalData &Data;
  double SampleBytes;
  double Total;
  double Kept = 0; ///< live part of the bytes that outlived their interval
};
} // namespace

double Judge::freedFrom(unsigned Class) const {
  double Sum = 0;
  for (unsigned K = Class; K != NumAgeClasses; ++K)
    Sum += Data.Freed[K].Bytes;
  return Sum;
}

/// The number of bins whose blocks are all older than Age.
size_t Judge::binsOlderThan(double Age) const {
  double End = 0;
  for (size_t I = 0; I != Bins.size(); ++I) {
    End += Bins.Units[I];
    if (End > Total - Age + 1e-9)
      return I;
  }
  return Bins.size();
}

/// Whether live bytes never fall by a twentieth of their rise since bin Begin.
bool Judge::neverFalls(size_t Begin) const {
  double High = Begin ? Data.Level[Begin - 1] : Data.LevelBefore;
  double Rise = Data.Level.back() - High, Fall = 0;
  for (size_t I = Begin; I != Bins.size(); ++I) {
    High = std::max(High, Data.Level[I]);
    Fall = std::max(Fall, High - Data.Level[I]);
  }
  return Fall <= 0.05 * Rise;
}

/// Whether live bytes rise from bin Begin on by more than they fluctuate, and
/// continue to rise.
bool Judge::rises(size_t Begin) const {
  std::vector<double> Steps;
  for (size_t I = std::max<size_t>(Begin, 1); I != Bins.size(); ++I)
    Steps.push_back((Data.Level[I] - Data.Level[I - 1]) / Bins.Units[I]);
  bool FreesLittle = freedFrom(0) <= 0.1 * sum(Data.Bytes);
  double Min = Kept >= KeepsAll && FreesLittle ? MinDriftOfKept : MinDrift;
  if (!(FreesLittle && neverFalls(Begin)) && drift(Steps) < Min)
    return false;
  // A leak that began late has no halves to compare.
  double Before = sum(ArrayRef(Bins.Units).take_front(Begin));
  if (Before > 0.4 * Total)
    return true;
  double Middle = Data.Level[(Bins.size() - 1) / 2], End = Data.Level.back();
  return End - Middle >= 0.57 * 0.5 * (End - Data.LevelBefore);
}

std::optional<Trial> Judge::tryAge(unsigned Class) {
  Trial T;
  T.Age = std::ldexp(1.0, static_cast<int>(Class));
  T.End = binsOlderThan(T.Age);
  if (T.End < MinBins)
    return std::nullopt;
  ArrayRef<double> Old = ArrayRef(Data.Bytes).take_front(T.End);
  double U = sum(Old), D = freedFrom(Class), Reached = U + D;
  if (U < MinBytes)
    return T;
  // Blocks allocated together, or freed together, count as one observation.
  double UnitOfCohorts = 0, Exposure = 0, At = 0, FreedIn = 0;
  for (size_t I = 0; I != T.End; ++I) {
    double Independent =
        std::max(1.0, std::min(Data.Blocks[I], Bins.Intervals[I]));
    UnitOfCohorts += Old[I] * Old[I] / Independent / U;
    At += Bins.Units[I];
    Exposure +=
        Old[I] * std::max(Total - (At - Bins.Units[I] / 2) - T.Age, 0.5);
  }
  for (unsigned K = Class; K != NumAgeClasses; ++K) {
    constexpr double MeanOfClass = 1.45;
    double Age = MeanOfClass * std::ldexp(1.0, static_cast<int>(K));
    Exposure += Data.Freed[K].Bytes * std::max(Age - T.Age, 0.0);
    FreedIn += Data.Freed[K].Intervals;
  }
  UnitOfCohorts = std::max(UnitOfCohorts, SampleBytes);
  double UnitOfFrees = D > 0 ? 1.5 * D / std::max(FreedIn, 1.0) : 0;
  double Unit = std::max(UnitOfCohorts, UnitOfFrees);
  double Expected = Exposure / Unit / (MaxLife * Total);
  T.PValue = poissonAtMost(D / Unit, Expected);
  T.Chance = std::exp(-Expected);
  T.Alpha = Kept >= KeepsAll ? Alpha : AlphaOfChurn;

  Cohorts C{Bins, Data.Bytes, 0, T.End, U / UnitOfCohorts};
  T.Cohorts = C.Count;
  C.findBegin();
  C.countBurstsAsOne();
  T.Begin = C.Begin;
  T.Goes = C.course();
  double Young = sum(ArrayRef(Data.Bytes).drop_front(T.End));
  double YoungUnits = C.units(T.End, Bins.size());
  double Due = C.rate() * YoungUnits;
  double UnitOfCourse = C.bytes(C.Begin, C.End) / std::max(C.Count, 1e-9);
  if (T.Goes == Course::On && Young < MinOfDue * Due &&
      poissonAtMost(Young / UnitOfCourse, Due / UnitOfCourse) < ChanceOfStop)
    T.Goes = Course::Stopped;
  double Span = C.units(C.Begin, Bins.size());
  auto Oldest = static_cast<unsigned>(
      std::max(1.0, std::ceil(std::log2(std::max(2.0, 0.7 * Span)))));
  if (T.Goes == Course::On && freedFrom(Oldest) >= 2 * UnitOfCohorts)
    T.Goes = Course::Evicts;
  if (T.Goes == Course::On && C.slows())
    T.Goes = Course::Slows;
  double Net = U + Young - Data.OldFreed;
  T.Holds = Net >= 0.5 * U && U / Reached >= MinKept && Span >= 3 * T.Age &&
            T.Cohorts >= MinBins && rises(C.Begin);
  return T;
}

/// Estimates the rate from bins old enough that blocks to be freed were freed.
void Judge::estimate(const Trial &T, SurvivalResult &R) const {
  double Live = sum(Data.Bytes), Age = T.Age;
  size_t End = T.End;
  double Span = sum(ArrayRef(Bins.Units).drop_front(T.Begin));
  unsigned Class = static_cast<unsigned>(std::ilogb(Age));
  while (Age * 2 <= Span / 3 &&
         freedFrom(Class) > 0.01 * (Live + freedFrom(Class))) {
    Age *= 2;
    ++Class;
  }
  End = std::max(binsOlderThan(Age), std::min(T.Begin + 4, Bins.size()));
  size_t From = T.Begin;
  if (Data.OfSeveral && Bins.WholeFrom + MinBins <= static_cast<double>(End))
    From = std::max(From, Bins.WholeFrom);
  RateEstimate E = estimateRate(ArrayRef(Data.Bytes).slice(From, End - From),
                                ArrayRef(Bins.Units).slice(From, End - From));
  R.Age = Age;
  R.Rate = E.Rate;
  R.Low = E.Low;
  R.High = E.High;
}

SurvivalResult Judge::run() {
  SurvivalResult R;
  double Live = sum(Data.Bytes), Freed = freedFrom(0);
  auto Bins4 = count_if(Data.Bytes, [](double B) { return B > 0; });
  if (Live < MinBytes || Bins4 < MinBins) {
    isContainer(R);
    return R;
  }
  Kept = Live / (Live + Freed);
  std::optional<Trial> Best;
  auto Class = static_cast<unsigned>(
      std::max(0.0, std::ceil(std::log2(std::max(Bins.Resolution, 1.0)))));
  double MinChance = 1;
  auto IsBetter = [](const Trial &A, const Trial &B) {
    if (A.convicts() != B.convicts())
      return A.convicts();
    if (A.Holds != B.Holds)
      return A.Holds;
    return A.Holds ? false : A.PValue < B.PValue;
  };
  for (; std::ldexp(1.0, static_cast<int>(Class)) <= Total / 2; ++Class) {
    std::optional<Trial> T = tryAge(Class);
    if (!T)
      break;
    MinChance = std::min(MinChance, T->Chance);
    R.Cohorts = std::max(R.Cohorts, T->Cohorts);
    if (!Best || IsBetter(*T, *Best))
      Best = T;
  }
  if (!Best)
    return R;
  R.PValue = Best->PValue;
  R.Alpha = Best->Alpha;
  R.Counts = MinChance <= Alpha;
  R.Since = Best->Begin;
  R.Bytes = sum(ArrayRef(Data.Bytes).drop_front(Best->Begin));
  if (Best->Holds) {
    switch (Best->Goes) {
    case Course::On:
      R.Verdict = R.PValue <= R.Alpha     ? Survival::Leak
                  : R.PValue <= MaxUnsure ? Survival::Unsure
                                          : Survival::None;
      break;
    case Course::Evicts:
      R.Verdict = R.PValue <= MaxUnsure ? Survival::Unsure : Survival::None;
      break;
    case Course::Slows:
      R.Verdict = R.PValue <= Alpha ? Survival::Slows : Survival::None;
      break;
    case Course::Stopped:
      R.Verdict = R.PValue <= Alpha ? Survival::Stopped : Survival::None;
      break;
    }
    if (R.Verdict != Survival::None)
      estimate(*Best, R);
  }
  if (R.Verdict != Survival::Leak)
    isContainer(R);
  return R;
}

/// Whether the place is a growing container: live bytes never fall, they rise
/// several times up to the end, and there are few blocks. A container that
/// doubles takes longer between two rises the larger it is.
bool Judge::isContainer(SurvivalResult &R) const {
  constexpr double MinRise = 16 * 1024, MinFactor = 4, MaxBlocks = 4;
  constexpr size_t MinRises = 4;
  std::vector<double> Times, Sizes; ///< of the rises
  double At = 0, Before = Data.LevelBefore;
  for (size_t I = 0; I != Bins.size(); ++I) {
    At += Bins.Units[I];
    double Level = Data.Level[I];
    // A time point at which the old and the new block both live is no fall.
    if (Level < Before * 0.999) {
      if (!Sizes.empty() && Sizes.size() > 1 &&
          Level >= Sizes[Sizes.size() - 2] * 0.999) {
        Sizes.back() = Level;
        Before = Level;
        continue;
      }
      return false;
    }
    if (Level > Before) {
      Times.push_back(At - Bins.Units[I] / 2);
      Sizes.push_back(Level);
    }
    Before = Level;
  }
  if (Sizes.size() < MinRises || Data.LevelBlocks.back() > MaxBlocks ||
      Sizes.back() - Data.LevelBefore < MinRise ||
      Sizes.back() < MinFactor * Sizes.front())
    return false;
  return fillsEvenly(Times, Sizes, R);
}

/// Whether each time of growth fits a container filled at a constant rate of
/// bytes. Sizes: the new sizes at Times.
bool Judge::fillsEvenly(ArrayRef<double> Times, ArrayRef<double> Sizes,
                        SurvivalResult &R) const {
  constexpr double Early = 8, Tolerance = 0.15, MinLate = 0.5, MaxFactor = 4.1;
  constexpr size_t MinPoints = 3;
  size_t Last = Sizes.size() - 1, First = 1;
  while (First != Last && Sizes[First - 1] < Sizes[Last - 1] / Early)
    ++First;
  if (Last - First + 1 < MinPoints)
    return false;
  double Span = Times[Last] - Times[First];
  double Rate = (Sizes[Last - 1] - Sizes[First - 1]) / std::max(Span, 1e-9);
  double Off = std::max(2.5 * Total / static_cast<double>(Bins.size()),
                        Tolerance * Span);
  for (size_t I = First; I <= Last; ++I) {
    double Due = Times[First] + (Sizes[I - 1] - Sizes[First - 1]) / Rate;
    if (std::fabs(Times[I] - Due) > Off ||
        (I != First && Sizes[I] > MaxFactor * Sizes[I - 1]))
      return false;
  }
  double Next = Times[Last] + (Sizes[Last] - Sizes[Last - 1]) / Rate;
  if (Total > Next + Off)
    return false; // the container is not filled further
  R.Verdict =
      Times[Last] >= MinLate * Total ? Survival::Leak : Survival::Unsure;
  R.IsContainer = true;
  R.PValue = 0;
  R.Rate = Rate;
  R.Low = (Sizes[Last - 1] - Sizes[First - 1]) / (Span + Off);
  R.High =
      (Sizes[Last - 1] - Sizes[First - 1]) / std::max(Span - Off, Span / 4);
  R.Age = 0;
  double At = 0;
  for (R.Since = 0; R.Since + 1 < Bins.size(); ++R.Since)
    if ((At += Bins.Units[R.Since]) > Times.front())
      break;
  R.Bytes = Sizes.back() - Data.LevelBefore;
  return true;
}

RateEstimate estimateRate(ArrayRef<double> Bytes, ArrayRef<double> Units) {
  // Means of several bins include the noise of correlated neighbours.
  size_t N = Bytes.size();
  size_t Parts = std::clamp<size_t>(N / 4, std::min<size_t>(4, N), 12);
  std::vector<double> Means;
  RateEstimate R;
  for (size_t P = 0; P != Parts; ++P) {
    size_t From = P * N / Parts, Size = (P + 1) * N / Parts - From;
    Means.push_back(sum(Bytes.slice(From, Size)) /
                    sum(Units.slice(From, Size)));
  }
  R.Rate = sum(Bytes) / sum(Units);
  double Variance = 0;
  for (double M : Means)
    Variance += (M - R.Rate) * (M - R.Rate);
  auto Freedom = static_cast<double>(Means.size()) - 1;
  double Half = 0;
  if (Freedom >= 1) {
    Variance /= Freedom * static_cast<double>(Means.size());
    Half = studentQuantile(0.975, Freedom) * std::sqrt(Variance);
  }
  R.Low = std::max(0.0, R.Rate - Half);
  R.High = R.Rate + Half;
  return R;
}

SurvivalResult judgeSurvival(const SurvivalBins &Bins, const SurvivalData &Data,
                             double SampleBytes) {
  if (Bins.size() < MinBins)
    return {};
  return Judge(Bins, Data, SampleBytes).run();
}

} // namespace memkit
