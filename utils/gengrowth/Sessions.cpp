// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with populations of blocks that do not leak.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

static std::string numbered(const char *Name, size_t N) {
  return Name + std::to_string(N);
}

/// Stationary sessions at Sites sites, with lives of 1 to 40 steps; the run is
/// at least 8 lives long.
static Program sessionsAt(uint64_t Seed, size_t Sites, double Population) {
  Maker M(Seed);
  double Mean = std::round(M.octaves(1, 40));
  if (Sites > 1000)
    Mean = std::max(Mean, 8.0); // shorter lives make very many events
  M.P.Length = std::max(120.0, 8 * Mean);
  M.P.HasSteps = M.below(4) != 0;
  for (size_t I = 0; I != Sites; ++I)
    M.sessions(M.site(numbered("group", I / 50), numbered("site", I)),
               Population, Mean);
  M.someRequests();
  return M.P;
}
static Program sessions1(uint64_t Seed) { return sessionsAt(Seed, 1, 16); }
static Program sessions50(uint64_t Seed) { return sessionsAt(Seed, 50, 16); }
static Program sessions500(uint64_t Seed) { return sessionsAt(Seed, 500, 16); }
static Program sessions5000(uint64_t Seed) { return sessionsAt(Seed, 5000, 6); }

/// A working set that moves: the youngest blocks are freed first.
static Program workingSet(uint64_t Seed) {
  Maker M(Seed);
  unsigned Sites = 1 + M.below(20);
  double Mean = M.octaves(2, 15);
  for (unsigned S = 0; S != Sites; ++S) {
    uint32_t Site = M.site("work", numbered("set", S));
    double A = std::exp(-1 / Mean), X = M.normal();
    std::vector<double> Births;
    std::vector<double> Sizes;
    for (double Time = 0; Time < M.P.Length; Time += 1) {
      X = A * X + std::sqrt(1 - A * A) * M.normal();
      auto Wanted = static_cast<size_t>(std::max(0.0, 100 + 15 * X));
      for (; Births.size() < Wanted; Sizes.push_back(M.size()))
        Births.push_back(Time > 0 ? Time + M.uniform(0, 0.9) : -1);
      for (; Births.size() > Wanted; Births.pop_back(), Sizes.pop_back())
        M.block(Site, Births.back(), Time + 0.95, Sizes.back());
    }
    for (size_t I = 0; I != Births.size(); ++I)
      M.block(Site, Births[I], Never, Sizes[I]);
  }
  M.someRequests();
  return M.P;
}

/// A queue with one server, loaded by half to 90 %: first come, first served.
static Program queue(uint64_t Seed) {
  Maker M(Seed);
  M.P.Length = 400;
  M.P.HasSteps = Seed % 2;
  unsigned Sites = 1 + M.below(8);
  for (unsigned S = 0; S != Sites; ++S) {
    uint32_t Site = M.site("queue", numbered("job", S));
    double Load = M.uniform(0.5, 0.9), Free = -1000;
    for (double Time = -1000 + M.exponential(0.2 / Load); Time < M.P.Length;
         Time += M.exponential(0.2 / Load)) {
      Free = std::max(Free, Time) + M.exponential(0.2);
      if (Free > 0)
        M.block(Site, std::max(Time, -9.0), Free, M.size());
    }
  }
  M.someRequests();
  return M.P;
}

static Program heavyTails(uint64_t Seed) {
  Maker M(Seed);
  bool IsPareto = M.below(2);
  double Mean = M.octaves(2, 10), Shape = M.uniform(2.1, 3);
  M.P.Length = 20 * Mean > 120 ? 20 * Mean : 120;
  for (unsigned S = 0, N = 1 + M.below(40); S != N; ++S) {
    uint32_t Site = M.site("serve", numbered("tail", S));
    double Sigma = 1.3;
    M.sessions(Site, 24, Mean, [&] {
      return IsPareto ? M.pareto(Mean, Shape)
                      : M.lognormal(Mean * std::exp(-Sigma * Sigma / 2), Sigma);
    });
  }
  M.someRequests();
  return M.P;
}

/// Sessions under a load with bursts, or with days and nights.
static Program load(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 240;
  double Period = M.uniform(20, 60), Phase = M.uniform(0, 1),
         Depth = M.uniform(0.3, 0.9);
  bool Bursts = M.below(2);
  auto LoadOf = [=](double Time) {
    double At = Time / Period + Phase;
    return Bursts ? (At - std::floor(At) < 0.2 ? 1 + 3 * Depth : 1 - Depth)
                  : 1 + Depth * std::sin(2 * M_PI * At);
  };
  for (unsigned S = 0, N = 1 + M.below(30); S != N; ++S) {
    double Mean = M.octaves(1, 15);
    M.sessions(
        M.site("serve", numbered("site", S)), 16, Mean,
        [&M, Mean] { return M.exponential(Mean); }, LoadOf);
  }
  M.someRequests();
  return M.P;
}

/// The work moves from some sites to others; live memory stays the same.
static Program turnover(uint64_t Seed) {
  Maker M(Seed);
  M.P.Length = 200;
  double From = M.uniform(0.2, 0.6) * M.P.Length, Over = M.uniform(1, 40);
  for (unsigned S = 0, N = 2 + 2 * M.below(10); S != N; ++S) {
    bool IsNew = S % 2;
    double Mean = M.octaves(1, 16);
    auto LoadOf = [=](double Time) {
      double Share = std::clamp((Time - From) / Over, 0.0, 1.0);
      return IsNew ? Share : 1 - Share;
    };
    M.sessions(
        M.site(IsNew ? "after" : "before", numbered("site", S)), 16, Mean,
        [&M, Mean] { return M.exponential(Mean); }, LoadOf);
  }
  M.someRequests();
  return M.P;
}

static Program sampled(uint64_t Seed, uint64_t Bytes) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.P.SampleBytes = Bytes;
  for (unsigned S = 0, N = 5 + M.below(60); S != N; ++S)
    M.sessions(M.site("serve", numbered("site", S)), 200, M.octaves(1, 16));
  // A full cache.
  uint32_t Site = M.site("cache", "entry");
  double PerUnit = 40;
  for (double Time = -9; Time < M.P.Length; Time += M.exponential(1 / PerUnit))
    M.block(Site, Time, std::max(Time, 0.0) + 20, 5000);
  M.someRequests();
  return M.P;
}
static Program sampled64K(uint64_t Seed) { return sampled(Seed, 65536); }
static Program sampled512K(uint64_t Seed) { return sampled(Seed, 524288); }

static const Scenario All[] = {
    {"sessions-1", Nature::Clean, "blocks come and go at 1 site", sessions1},
    {"sessions-50", Nature::Clean, "at 50 sites", sessions50},
    {"sessions-500", Nature::Clean, "at 500 sites", sessions500},
    {"sessions-5000", Nature::Clean, "at 5,000 sites", sessions5000},
    {"working-set", Nature::Clean, "wanders, the youngest go first",
     workingSet},
    {"queue", Nature::Clean, "one server, load 50 to 90 %", queue},
    {"heavy-tails", Nature::Clean, "a few live very long", heavyTails},
    {"load", Nature::Clean, "bursts, or day and night", load},
    {"turnover", Nature::Clean, "work moves to other sites", turnover},
    {"sampled-64K", Nature::Clean, "sessions, --sample=64K", sampled64K},
    {"sampled-512K", Nature::Clean, "sessions, --sample=512K", sampled512K},
};
llvm::ArrayRef<Scenario> sessionScenarios() { return All; }

} // namespace memkit::gengrowth
