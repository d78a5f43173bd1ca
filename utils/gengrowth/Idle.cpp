// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that leak, then are idle.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// The leak has evidence before the idle time.
static Program leakIdle(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = M.octaves(60, 240);
  M.background(6);
  M.leak(M.site("step", "leak", true), M.uniform(1, 4), 0, M.octaves(4, 50));
  if (!M.P.HasSteps)
    M.dilute(M.uniform(0.005, 0.05));
  M.idle(M.uniform(0.01, 0.9));
  // Without steps it depends on the reader whether the rate is of all time.
  if (!M.P.HasSteps)
    M.P.Rate = 0;
  return M.P;
}

static const Scenario All[] = {
    {"leak-idle", Nature::Leaks, "then is idle for 1 to 90 %", leakIdle},
};
llvm::ArrayRef<Scenario> idleScenarios() { return All; }

} // namespace memkit::gengrowth
