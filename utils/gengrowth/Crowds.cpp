// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with many stacks, or many processes, of which some leak.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// 10,000 to 100,000 stacks with a small block each, and a leak in another
/// heap.
static Program manyStacks(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Heaps.push_back({"app.pool", "pool_alloc"});
  M.background();
  double Until = M.below(2) ? -1 : M.uniform(0.02, 0.2) * M.P.Length,
         Scale = M.octaves(0.02, 1);
  for (auto N = static_cast<unsigned>(M.octaves(10000, 100000)); N; --N)
    M.block(
        M.site("group" + std::to_string(N / 50), "make" + std::to_string(N)),
        M.uniform(-9, Until), Never, M.size(Scale));
  M.leak(M.site("step", "leak", true, 1), M.uniform(1, 4), std::max(Until, 0.0),
         M.octaves(20, 200));
  return M.finish();
}

/// Workers of one program. The workers that do not leak free the same blocks.
static Program workers(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Processes = 2 + M.below(7);
  uint64_t Leaking = 1 + M.below(M.P.Processes);
  double PerUnit = M.uniform(1, 4), Scale = M.octaves(8, 50);
  for (uint32_t Process = 0; Process != M.P.Processes; ++Process) {
    M.background(4, 0, Process);
    // The leaking processes are not always the first ones.
    bool Leaks = (Process + Seed) % M.P.Processes < Leaking;
    uint32_t Site = M.site("serve", "leak", Leaks, 0, Process);
    if (Leaks)
      M.leak(Site, PerUnit, 0, Scale);
    else
      M.sessions(Site, PerUnit * 4, 4);
  }
  M.P.Rate = PerUnit * 2500 * Scale;
  return M.finish();
}

static const Scenario All[] = {
    {"many-stacks", Nature::Leaks, "beside 10,000 to 100,000 stacks",
     manyStacks},
    {"workers", Nature::Leaks, "some of 2 to 8 processes leak", workers},
};
llvm::ArrayRef<Scenario> crowdScenarios() { return All; }

} // namespace memkit::gengrowth
