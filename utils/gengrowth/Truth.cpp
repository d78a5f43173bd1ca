// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right words for the growth of a made program.

#include "Truth.h"
#include <algorithm>
#include <array>
#include <cmath>

namespace memkit::gengrowth {

/// The tenth of Truth.h, with a margin on both sides.
static constexpr double SurelyLeaks = 0.07, SurelyLoads = 0.14;
/// Numbers of Truth.h. Rounds and steps have a margin.
static constexpr size_t MinRounds = 7, MinBursts = 4;
static constexpr double MinSteps = 8;
/// The growth is divided into this many parts; rounds have several parts.
static constexpr size_t Parts = 192;
static constexpr std::array<size_t, 5> NumsOfRounds = {8, 12, 16, 24, 32};
/// The other live bytes are back at their level up to this factor.
static constexpr double OfLevel = 1.05;

MadeGrowth growthOf(const Program &P, uint32_t Process) {
  MadeGrowth G;
  G.From = Never;
  for (const MadeBlock &B : P.Blocks) {
    if (P.Sites[B.Site].Process != Process || !P.isGrowth(B) ||
        B.Birth < P.begin() || B.Birth >= P.end())
      continue;
    G.From = std::min(G.From, B.Birth);
    G.To = std::max(G.To, B.Birth);
    G.Kept += static_cast<double>(B.Size);
    G.Blocks += 1;
  }
  for (const MadeBlock &B : P.Blocks)
    if (P.Sites[B.Site].Process == Process && B.Birth >= G.From &&
        B.Birth <= G.To)
      G.Allocated += static_cast<double>(B.Size);
  return G;
}

namespace {
/// What happens in equal parts of the time of the growth.
struct GrowthParts {
  GrowthParts(const Program &P, uint32_t Process, const MadeGrowth &G);
  size_t goodRounds(size_t Rounds) const;
  std::array<double, Parts> Kept{}, Allocated{};
  std::array<double, Parts> Rest{}; ///< other live bytes at the part's end
};
} // namespace

GrowthParts::GrowthParts(const Program &P, uint32_t Process,
                         const MadeGrowth &G) {
  auto PartOf = [&](double Time) {
    double At = (Time - G.From) / (G.To - G.From) * Parts;
    return static_cast<size_t>(std::clamp(At, 0.0, Parts - 1.0));
  };
  for (const MadeBlock &B : P.Blocks) {
    if (P.Sites[B.Site].Process != Process || B.Birth > G.To)
      continue;
    auto Size = static_cast<double>(B.Size);
    size_t Born = PartOf(B.Birth);
    if (B.Birth >= G.From)
      Allocated[Born] += Size;
    if (P.isGrowth(B)) {
      Kept[Born] += Size;
      continue;
    }
    if (B.Death < G.From)
      continue;
    Rest[Born] += Size;
    if (B.Death <= G.To)
      Rest[PartOf(B.Death)] -= Size;
  }
  for (size_t I = 1; I != Parts; ++I)
    Rest[I] += Rest[I - 1];
}

/// The number of rounds in which the growth kept little, and the rest came back
/// to its level.
size_t GrowthParts::goodRounds(size_t Rounds) const {
  std::array<double, Parts> Sorted = Rest;
  std::nth_element(Sorted.begin(), Sorted.begin() + Parts / 2, Sorted.end());
  double Level = Sorted[Parts / 2] * OfLevel;
  size_t Good = 0, Length = Parts / Rounds;
  for (size_t From = 0; From != Parts; From += Length) {
    double OfKept = 0, OfAll = 0, Lowest = Never;
    for (size_t I = From; I != From + Length; ++I) {
      OfKept += Kept[I];
      OfAll += Allocated[I];
      Lowest = std::min(Lowest, Rest[I]);
    }
    Good += OfKept > 0 && OfKept <= SurelyLeaks * OfAll && Lowest <= Level;
  }
  return Good;
}

static bool hasSteps(const Program &P, const MadeGrowth &G) {
  double Steps = G.To - std::max(G.From, P.FirstStep);
  for (const QuietTime &Q : P.Quiets)
    if (Q.From > G.From && Q.To < G.To)
      Steps -= Q.To - Q.From;
  return P.HasSteps && Steps >= MinSteps;
}

static bool hasRounds(const Program &P, uint32_t Process, const MadeGrowth &G) {
  GrowthParts Of(P, Process, G);
  return std::any_of(
      NumsOfRounds.begin(), NumsOfRounds.end(),
      [&](size_t Rounds) { return Of.goodRounds(Rounds) >= MinRounds; });
}

/// The number of bursts, divided by quiet times, with blocks that stay.
static size_t numBursts(const Program &P, uint32_t Process) {
  std::vector<bool> Grows(P.Quiets.size() + 1);
  for (const MadeBlock &B : P.Blocks) {
    if (P.Sites[B.Site].Process != Process || !P.isGrowth(B) ||
        B.Birth < P.begin())
      continue;
    size_t Burst = 0;
    while (Burst != P.Quiets.size() && B.Birth >= P.Quiets[Burst].To)
      ++Burst;
    Grows[Burst] = true;
  }
  return static_cast<size_t>(std::count(Grows.begin(), Grows.end(), true));
}

static bool hasEvidence(const Program &P, uint32_t Process) {
  MadeGrowth G = growthOf(P, Process);
  bool IsFew = P.Bursts && P.Bursts < MinBursts;
  if (P.IsContainer || IsFew || G.To <= G.From)
    return false;
  if (hasSteps(P, G))
    return true;
  if (P.HasSteps || G.ratio() > SurelyLeaks)
    return false;
  size_t Bursts = numBursts(P, Process);
  return Bursts > 1 ? Bursts >= MinBursts : hasRounds(P, Process, G);
}

bool isClear(const Program &P) {
  for (uint32_t Process = 0; Process != P.Processes; ++Process) {
    if (!P.grows(Process))
      continue;
    MadeGrowth G = growthOf(P, Process);
    std::vector<double> Rest = P.level(Process, /*OfGrowth=*/false);
    auto From = static_cast<size_t>(std::clamp(G.From, 0.0, P.end() - 1));
    double Mean = 0, Square = 0, N = static_cast<double>(Rest.size() - From);
    for (size_t I = From; I != Rest.size(); ++I)
      Mean += Rest[I] / N;
    for (size_t I = From; I != Rest.size(); ++I)
      Square += (Rest[I] - Mean) * (Rest[I] - Mean) / N;
    if (P.level(Process, /*OfGrowth=*/true).back() >= 3 * std::sqrt(Square))
      return true;
  }
  return false;
}

static bool anyEvidence(const Program &P) {
  for (uint32_t Process = 0; Process != P.Processes; ++Process)
    if (P.grows(Process) && hasEvidence(P, Process))
      return true;
  return false;
}

Truth truthOf(Nature Is, const Program &P) {
  bool Loads = growthOf(P, 0).ratio() > SurelyLoads;
  switch (Is) {
  case Nature::Clean:
    return Truth::Clean;
  case Nature::Load:
    return P.HasSteps || Loads ? Truth::Load : Truth::Unclear;
  case Nature::Fills:
    if (!P.HasSteps)
      return Loads ? Truth::Load : Truth::Unclear;
    [[fallthrough]];
  case Nature::Leaks:
    return anyEvidence(P) ? Truth::Leaks : Truth::Unclear;
  }
  return Truth::Clean;
}

} // namespace memkit::gengrowth
