// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evidence that a program without steps repeats itself.

#include "GrowthEvidence.h"
#include "Bursts.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

namespace memkit {

namespace {
/// A growth that keeps more than this part of all bytes allocated meanwhile is
/// a load.
constexpr double MaxKept = 0.1;
/// Rounds that a growth is divided into, at most.
constexpr size_t MaxRounds = 16;
/// Other live bytes are back at their level if they are above it by at most
/// this part of the growth.
constexpr double BackWithin = 0.2;

double sum(ArrayRef<double> V) {
  return std::accumulate(V.begin(), V.end(), 0.0);
}

/// One of equal parts of a growth.
struct Round {
  double Kept, Allocated;
  double Others; ///< the lowest of the other live bytes
};
} // namespace

static std::vector<Round> roundsOf(const GrowthCourse &C) {
  size_t Bins = C.To + 1 - C.From, N = std::min(Bins, MaxRounds);
  std::vector<Round> Out;
  for (size_t R = 0; R != N; ++R) {
    size_t From = C.From + R * Bins / N,
           Size = C.From + (R + 1) * Bins / N - From;
    ArrayRef<double> Others = C.Others.slice(From, Size);
    Out.push_back({sum(C.Kept.slice(From, Size)),
                   sum(C.Allocated.slice(From, Size)),
                   *std::min_element(Others.begin(), Others.end())});
  }
  return Out;
}

/// Rounds of a growth, by what happened in them.
struct RoundCounts {
  size_t Repeats = 0;   ///< the cause kept memory, and little of all
  bool AreBack = false; ///< other live bytes come back to their level
};

/// The level of other live bytes is that of the first half. Half of the rounds
/// of the second half must come back to it.
static RoundCounts countRounds(const GrowthCourse &C) {
  std::vector<Round> Rounds = roundsOf(C);
  size_t Half = Rounds.size() / 2, Back = 0;
  double Level = Rounds.front().Others, Grown = 0;
  for (size_t R = 0; R != Rounds.size(); ++R) {
    Grown += Rounds[R].Kept;
    if (R < Half)
      Level = std::max(Level, Rounds[R].Others);
  }
  RoundCounts Out;
  for (size_t R = 0; R != Rounds.size(); ++R) {
    bool IsBack = Rounds[R].Others <= Level + BackWithin * Grown;
    Back += R >= Half && IsBack;
    Out.Repeats += IsBack && Rounds[R].Kept > 0 &&
                   Rounds[R].Kept <= MaxKept * Rounds[R].Allocated;
  }
  Out.AreBack = 2 * Back >= Rounds.size() - Half;
  return Out;
}

/// The bytes that were kept meanwhile, by everything.
static double grownBy(const GrowthCourse &C) {
  size_t Bins = C.To + 1 - C.From, Part = std::max<size_t>(1, Bins / 4);
  auto Lowest = [&](size_t From) {
    ArrayRef<double> Of = C.Others.slice(From, Part);
    return *std::min_element(Of.begin(), Of.end());
  };
  double Before = C.From ? C.Growing[C.From - 1] : 0;
  return std::max(sum(C.Kept.slice(C.From, Bins)), C.Growing[C.To] - Before) +
         std::max(0.0, Lowest(C.To + 1 - Part) - Lowest(C.From));
}

EvidenceOf findEvidence(const GrowthCourse &C) {
  size_t Bins = C.To + 1 - C.From;
  if (grownBy(C) > MaxKept * sum(C.Allocated.slice(C.From, Bins)))
    return {};
  RoundCounts Rounds = countRounds(C);
  if (!Rounds.AreBack)
    return {};
  if (Rounds.Repeats >= MinRounds)
    return {GrowthEvidence::Rounds, Rounds.Repeats};
  if (size_t Bursts = countBursts(C.Kept.slice(C.From, Bins));
      Bursts >= MinBursts &&
      C.Blocks >= MinOfBurst * static_cast<double>(Bursts))
    return {GrowthEvidence::Bursts, Bursts};
  return {};
}

} // namespace memkit
