// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that free grown memory before the end, and go on.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// Memory grows from the share From of the active life on, and is freed in a
/// burst at the share At.
static void growAndFree(Maker &M, double From, double At) {
  double Begin = From * M.P.Length, End = At * M.P.Length,
         PerUnit = M.octaves(1, 10), Scale = M.octaves(2, 50),
         Over = M.uniform(0.2, 4);
  std::vector<uint32_t> Sites;
  for (uint64_t N = 1 + M.below(8); N; --N)
    Sites.push_back(M.site("batch", "result" + std::to_string(N)));
  for (double Time = Begin; Time < End; Time += M.exponential(1 / PerUnit))
    M.block(Sites[M.below(Sites.size())], Time, End + M.uniform(0, Over),
            M.size(Scale));
}

static Maker beginClean(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.background(8);
  return M;
}

/// In half of the programs the rest of the life is idle.
static Program freedMidLife(uint64_t Seed) {
  Maker M = beginClean(Seed);
  bool IsIdle = M.below(2);
  double From = M.uniform(0, 0.3),
         At = IsIdle ? M.uniform(0.8, 0.97) : M.uniform(0.4, 0.8);
  growAndFree(M, From, At);
  if (IsIdle)
    M.idle(M.uniform(0.2, 0.7));
  return M.P;
}

/// Other work goes on to the end.
static Program freedLate(uint64_t Seed) {
  Maker M = beginClean(Seed);
  growAndFree(M, M.uniform(0, 0.5), M.uniform(0.85, 0.97));
  return M.P;
}

static const Scenario All[] = {
    {"freed-mid-life", Nature::Clean, "grows, then all is freed in a burst",
     freedMidLife},
    {"freed-late", Nature::Clean, "in a burst at 85 to 97 %", freedLate},
};
llvm::ArrayRef<Scenario> freeScenarios() { return All; }

} // namespace memkit::gengrowth
