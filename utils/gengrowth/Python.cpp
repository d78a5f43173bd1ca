// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose Python objects leak.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// A job keeps objects, which need arenas of 1 MiB, and a little memory of
/// malloc. The last arena has room for the last 8 to 15 % of the run.
static Program arenas(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = M.octaves(100, 400);
  M.P.Heaps.push_back({"host.mmap", "mmap"});
  M.background(6);
  constexpr double Arena = 1 << 20;
  uint32_t Start = M.site("start", "new_arena", false, 1);
  for (uint64_t N = 2 + M.below(6); N; --N)
    M.block(Start, -M.uniform(1, 9), Never, Arena);
  double To = M.P.Length * M.uniform(0.85, 0.92),
         Every = To / M.octaves(12, 80);
  uint32_t Site = M.site("job", "new_arena", true, 1),
           Buffer = M.site("job", "leak", true);
  for (double Time = Every * M.uniform(0.1, 1); Time < To;
       Time += Every * M.uniform(0.6, 1.4))
    M.block(Site, Time, Never, Arena);
  M.leak(Buffer, M.octaves(0.5, 8), 0, M.octaves(0.1, 4));
  M.P.Rate = 0; // of two heaps
  return M.finish();
}

static const Scenario All[] = {
    {"arenas", Nature::Leaks, "Python objects, the last arena has room",
     arenas},
};
llvm::ArrayRef<Scenario> pythonScenarios() { return All; }

} // namespace memkit::gengrowth
