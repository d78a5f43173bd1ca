// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that first import many modules, each of which allocates a little.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// Many sites that allocate a few blocks each, up to a time.
static void imports(Maker &M, unsigned Sites, double Until) {
  for (unsigned S = 0; S != Sites; ++S) {
    uint32_t Site =
        M.site("import" + std::to_string(S / 20), "make" + std::to_string(S));
    double At = M.uniform(0, Until);
    for (uint64_t N = 1 + M.below(4); N; --N, At += M.uniform(0, 1))
      M.block(Site, std::min(At, Until), Never, M.size());
  }
}

static Program importsThenWork(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = false;
  M.P.Length = 250;
  imports(M, 400, M.uniform(10, 60));
  M.background();
  return M.P;
}

static Program importsThenLeak(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = false;
  M.P.Length = 250;
  double Until = M.uniform(10, 50);
  imports(M, 400, Until);
  M.leak(M.site("serve", "leak", true), M.uniform(0.5, 3), Until + 1, 20);
  return M.finish();
}

/// A program that imports for 50 to 90 % of its life. Steps begin after the
/// imports.
static Maker importsLong(uint64_t Seed, double &Until) {
  Maker M(Seed);
  M.P.Length = 300;
  Until = std::round(M.uniform(0.5, 0.9) * M.P.Length);
  M.P.HasSteps = Seed % 2;
  M.P.FirstStep = Until;
  imports(M, static_cast<unsigned>(M.octaves(200, 2000)), Until);
  M.background(8, Until);
  return M;
}

static Program longThenWork(uint64_t Seed) {
  double Until = 0;
  return importsLong(Seed, Until).P;
}

static Program longThenLeak(uint64_t Seed) {
  double Until = 0;
  Maker M = importsLong(Seed, Until);
  M.leak(M.site("serve", "leak", true), M.uniform(1, 4), Until,
         M.octaves(8, 50));
  return M.finish();
}

/// The leak has several call paths below one function, at the same time or one
/// after another.
static Program longThenPaths(uint64_t Seed) {
  double Until = 0;
  Maker M = importsLong(Seed, Until);
  uint64_t Paths = 3 + M.below(6);
  bool TakesTurns = M.below(2);
  std::vector<uint32_t> Sites;
  for (uint64_t I = 0; I != Paths; ++I)
    Sites.push_back(M.site("leak", "path" + std::to_string(I), true));
  double PerUnit = M.uniform(1, 6), Scale = M.octaves(8, 50);
  for (double Time = Until; Time < M.P.Length;
       Time += M.exponential(1 / PerUnit)) {
    double At = (Time - Until) / (M.P.Length - Until);
    auto Turn = static_cast<uint64_t>(At * static_cast<double>(Paths));
    M.block(Sites[TakesTurns ? Turn : M.below(Paths)], Time, Never,
            M.size(Scale));
  }
  M.P.Rate = PerUnit * 2500 * Scale;
  return M.finish();
}

static const Scenario All[] = {
    {"imports", Nature::Clean, "starts, then works", importsThenWork},
    {"imports-long", Nature::Clean, "for 50 to 90 %, then works", longThenWork},
    {"imports-leak", Nature::Leaks, "starts, then leaks", importsThenLeak},
    {"imports-long-leak", Nature::Leaks, "for 50 to 90 %, then leaks",
     longThenLeak},
    {"imports-long-paths", Nature::Leaks, "then leaks on 3 to 8 call paths",
     longThenPaths},
};
llvm::ArrayRef<Scenario> importScenarios() { return All; }

} // namespace memkit::gengrowth
