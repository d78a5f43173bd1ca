// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that leak in bursts.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// Leaks in bursts, with other work before each burst, then inserts quiet times
/// between the bursts.
static Program bursts(uint64_t Seed, bool AreQuiet) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  // A fifth has few bursts.
  M.P.Bursts = M.below(5) ? 4 + M.below(17) : 3;
  double Burst = M.uniform(4, 20), Work = AreQuiet ? 0 : M.uniform(5, 30);
  M.P.Length = std::round(M.P.Bursts * (Burst + Work));
  M.background(6);
  uint32_t Site = M.site("step", "leak", true);
  double PerUnit = M.octaves(1, 10), Scale = M.octaves(8, 50);
  for (unsigned I = 0; I != M.P.Bursts; ++I) {
    double From = I * (Burst + Work) + Work;
    for (double Time = From + 0.1; Time < From + Burst - 0.1;
         Time += M.exponential(1 / PerUnit))
      M.block(Site, Time, Never, M.size(Scale));
  }
  M.finish();
  for (unsigned I = AreQuiet ? M.P.Bursts : 0; I > 1; --I)
    M.P.insertQuiet((I - 1) * Burst, M.octaves(10, 200));
  return M.P;
}
static Program burstsQuiet(uint64_t Seed) { return bursts(Seed, true); }
static Program burstsWork(uint64_t Seed) { return bursts(Seed, false); }

static const Scenario All[] = {
    {"bursts-quiet", Nature::Leaks, "3 to 20 bursts, quiet between",
     burstsQuiet},
    {"bursts-work", Nature::Leaks, "other work between", burstsWork},
};
llvm::ArrayRef<Scenario> burstScenarios() { return All; }

} // namespace memkit::gengrowth
