// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that load data, without steps while they load.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// Loads data from time 0 to To, at a rate that may change slowly. The data
/// stay.
static void load(Maker &M, double To) {
  std::vector<uint32_t> Sites;
  for (uint64_t N = 1 + static_cast<uint64_t>(M.octaves(1, 30)); N; --N)
    Sites.push_back(M.site("load", "table" + std::to_string(N), true));
  double Blocks = std::floor(To * M.octaves(1, 20)), Scale = M.octaves(1, 100),
         Shape = M.octaves(0.7, 1.5);
  bool InTurn = M.below(2); // table by table
  for (double I = 0; I < Blocks; I += 1) {
    double At = (I + M.uniform(0, 1)) / Blocks;
    auto Turn = static_cast<size_t>(At * static_cast<double>(Sites.size()));
    M.block(Sites[InTurn ? Turn : M.below(Sites.size())],
            std::pow(At, Shape) * To, Never, M.size(Scale));
  }
}

static Maker begin(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = false;
  M.P.Length = M.octaves(60, 400);
  M.block(M.site("start", "tables"), -5, Never, M.size(100));
  return M;
}

static Program loader(uint64_t Seed) {
  Maker M = begin(Seed);
  load(M, M.P.Length);
  return M.P;
}

static Program loaderTemporaries(uint64_t Seed) {
  Maker M = begin(Seed);
  load(M, M.P.Length);
  M.dilute(M.uniform(0.17, 0.8));
  return M.P;
}

/// Loads for a part of the life, then works, in half of the programs in steps.
static Program loaderHalf(uint64_t Seed) {
  Maker M = begin(Seed);
  double To = std::round(M.uniform(0.3, 0.7) * M.P.Length);
  M.P.HasSteps = Seed % 2;
  // The load is no growth of the steps.
  M.P.FirstStep = To;
  load(M, To);
  M.background(8, To);
  if (M.below(2) && !M.P.HasSteps)
    M.dilute(M.uniform(0.17, 0.8));
  return M.P;
}

/// The program is idle after the load.
static Program loaderIdle(uint64_t Seed) {
  Maker M = begin(Seed);
  load(M, M.P.Length);
  if (M.below(2))
    M.dilute(M.uniform(0.17, 0.8));
  M.idle(M.uniform(0.01, 0.9));
  return M.P;
}

static const Scenario All[] = {
    {"loader", Nature::Load, "loads all of its life", loader},
    {"loader-buffers", Nature::Load, "with temporary memory beside",
     loaderTemporaries},
    {"loader-works", Nature::Load, "loads for 30 to 70 %, then works",
     loaderHalf},
    {"loader-idle", Nature::Load, "loads, then is idle for 1 to 90 %",
     loaderIdle},
};
llvm::ArrayRef<Scenario> loadScenarios() { return All; }

} // namespace memkit::gengrowth
