// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that leak.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

static Maker begin(uint64_t Seed, double Length = 120) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = Length;
  M.background();
  return M;
}

static Program steady(uint64_t Seed) {
  Maker M = begin(Seed);
  uint32_t Site = M.site("step", "leak", true);
  double Size = M.octaves(100, 1 << 20);
  auto PerUnit = static_cast<double>(1 + M.below(4));
  for (double Time = 0.5; Time < M.P.Length; Time += 1 / PerUnit)
    M.block(Site, Time, Never, Size);
  M.P.Rate = PerUnit * std::floor(Size);
  return M.finish();
}

static Program random(uint64_t Seed) {
  Maker M = begin(Seed);
  M.leak(M.site("step", "leak", true), M.octaves(0.2, 5), 0, M.octaves(1, 50));
  return M.finish();
}

static Program stepwise(uint64_t Seed) {
  Maker M = begin(Seed);
  uint32_t Site = M.site("step", "leak", true);
  double Every = 3 + static_cast<double>(M.below(10)),
         Size = M.octaves(4096, 1 << 20);
  for (double Time = M.uniform(0, Every); Time < M.P.Length; Time += Every)
    M.block(Site, Time, Never, Size);
  M.P.Rate = std::floor(Size) / Every;
  return M.finish();
}

static Program spread(uint64_t Seed) {
  Maker M = begin(Seed);
  std::vector<uint32_t> Sites;
  for (uint64_t N = 10 + M.below(50); N; --N)
    Sites.push_back(M.site("leak", "part" + std::to_string(N), true));
  double PerUnit = M.uniform(1, 4);
  for (double Time = M.exponential(1 / PerUnit); Time < M.P.Length;
       Time += M.exponential(1 / PerUnit))
    M.block(Sites[M.below(Sites.size())], Time, Never, M.size());
  M.P.Rate = PerUnit * 2500;
  return M.finish();
}

/// The site has sessions, too; part of them is never freed.
static Program amongSessions(uint64_t Seed) {
  Maker M = begin(Seed);
  uint32_t Site = M.site("step", "leak", true);
  double Mean = M.octaves(1, 12), Population = 16;
  M.sessions(Site, Population, Mean);
  M.leak(Site, std::max(0.25, M.uniform(0.15, 0.8) * Population / Mean), 0);
  return M.finish();
}

/// A leak at one of 500 sites of sessions.
static Program amongSites(uint64_t Seed) {
  Maker M(Seed);
  double Mean = M.octaves(2, 12);
  for (unsigned I = 0; I != 500; ++I)
    M.sessions(
        M.site("group" + std::to_string(I / 50), "site" + std::to_string(I)), 8,
        Mean);
  M.leak(M.site("group3", "leak", true), M.uniform(0.5, 3), 0, 10);
  return M.finish();
}

static Program lateStart(uint64_t Seed) {
  Maker M = begin(Seed, 160);
  double From = M.uniform(0.2, 0.7) * M.P.Length;
  M.leak(M.site("step", "leak", true), M.uniform(1, 4), From, 8);
  return M.finish();
}

/// A block or a few at the end of each epoch, which frees the other blocks.
static Program perEpoch(uint64_t Seed) {
  Maker M = begin(Seed, 240);
  double Period = 5 + static_cast<double>(M.below(15));
  uint32_t Part = M.site("epoch", "part"), Site = M.site("epoch", "leak", true);
  for (double Time = 0; Time < M.P.Length; Time += M.exponential(0.3))
    M.block(Part, Time, (std::floor(Time / Period) + 1) * Period, M.size());
  double Size = M.octaves(20000, 500000);
  for (double Time = Period - 0.1; Time < M.P.Length; Time += Period)
    M.block(Site, Time, Never, Size);
  M.P.Rate = std::floor(Size) / Period;
  return M.finish();
}

static Program quietLeak(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = false;
  M.P.Length = 300;
  double PerUnit = M.uniform(0.2, 2);
  uint32_t Request = M.site("serve", "request"),
           Site = M.site("serve", "leak", true);
  double Size = M.octaves(500, 50000);
  for (double Time = M.exponential(1 / PerUnit); Time < M.P.Length;
       Time += M.exponential(1 / PerUnit)) {
    M.block(Request, Time, Time + M.uniform(0.01, 0.5), 2000);
    M.block(Site, Time + 0.005, Never, Size);
  }
  M.P.Rate = PerUnit * std::floor(Size);
  return M.finish();
}

/// Each step leaks more.
static Program doubling(uint64_t Seed) {
  Maker M = begin(Seed);
  uint32_t Site = M.site("step", "leak", true);
  double Doubles = M.uniform(0.2, 0.5) * M.P.Length;
  for (double Time = 0; Time < M.P.Length;) {
    double PerUnit = 0.8 * std::exp2(Time / Doubles);
    Time += M.exponential(1 / PerUnit);
    M.block(Site, Time, Never, M.size(4));
  }
  return M.finish();
}

static Program large(uint64_t Seed) {
  Maker M = begin(Seed);
  M.P.HasSteps = true;
  M.P.Length = 30 + static_cast<double>(M.below(60));
  uint32_t Site = M.site("train", "leak", true),
           Tensor = M.site("train", "forward");
  double Size = M.octaves(1 << 18, 1 << 24);
  for (double Time = 0.2; Time < M.P.Length; Time += 1) {
    M.block(Tensor, Time, Time + 0.9, Size * 4);
    M.block(Site, Time + 0.1, Never, Size);
  }
  M.P.Rate = std::floor(Size);
  return M.finish();
}

static Program sampledLeak(uint64_t Seed, uint64_t Bytes) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.P.SampleBytes = Bytes;
  for (unsigned S = 0, N = 5 + M.below(20); S != N; ++S)
    M.sessions(M.site("serve", "site" + std::to_string(S)), 100,
               M.octaves(1, 16));
  // One or more samples for each step.
  M.leak(M.site("step", "leak", true), M.uniform(10, 40), 0,
         static_cast<double>(Bytes) / 32768);
  return M.finish();
}
static Program sampled64K(uint64_t Seed) { return sampledLeak(Seed, 65536); }
static Program sampled512K(uint64_t Seed) { return sampledLeak(Seed, 524288); }

/// A cache that would be full only after the run.
static Program filling(uint64_t Seed) {
  Maker M = begin(Seed);
  M.leak(M.site("cache", "leak", true), M.uniform(1, 5), 0, M.octaves(4, 100));
  return M.finish();
}

static const Scenario All[] = {
    {"steady", Nature::Leaks, "the same with each step", steady},
    {"random", Nature::Leaks, "0.2 to 5 blocks a step, at random", random},
    {"stepwise", Nature::Leaks, "each 3 to 12 steps", stepwise},
    {"spread", Nature::Leaks, "over 10 to 59 stacks of a caller", spread},
    {"among-sessions", Nature::Leaks, "at a site that also frees",
     amongSessions},
    {"among-sites", Nature::Leaks, "one of 500 sites", amongSites},
    {"late-start", Nature::Leaks, "from 20 to 70 % of the run on", lateStart},
    {"per-epoch", Nature::Leaks, "a block each 5 to 19 steps", perEpoch},
    {"quiet-leak", Nature::Leaks, "few requests, each keeps a block",
     quietLeak},
    {"doubling", Nature::Leaks, "more and more", doubling},
    {"large", Nature::Leaks, "a tensor a step, 30 to 89 steps", large},
    {"leak-64K", Nature::Leaks, "--sample=64K", sampled64K},
    {"leak-512K", Nature::Leaks, "--sample=512K", sampled512K},
    {"filling", Nature::Fills, "a cache that is never full", filling},
};
llvm::ArrayRef<Scenario> leakScenarios() { return All; }

} // namespace memkit::gengrowth
