// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that free all of their memory before the end.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

/// The program frees everything in the last Low to High of its life. A little
/// temporary memory is allocated meanwhile.
static void drain(Maker &M, double Low, double High) {
  M.P.ShutdownAt = M.P.Length * (1 - M.uniform(Low, High));
  M.P.Order = static_cast<ShutdownOrder>(M.below(3));
  uint32_t Site = M.site("stop", "buffer");
  M.P.Sites[Site].InShutdown = true;
  M.requests(Site, M.uniform(0.5, 4), M.octaves(200, 10000), M.P.ShutdownAt);
}

/// Sessions; at the end the program frees everything.
static Program orderlyEnd(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.P.ShutdownAt = M.P.Length * M.uniform(0.8, 0.999);
  M.background(20);
  return M.P;
}

static Program drainClean(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.background(8 + M.below(20));
  // Large noise that changes slowly.
  for (uint64_t N = M.below(3); N; --N) {
    double Mean = M.uniform(5, 20), Scale = M.octaves(1, 30);
    M.sessions(
        M.site("serve", "noise" + std::to_string(N)), 6, Mean,
        [&M, Mean] { return M.exponential(Mean); }, {}, 0, Never, Scale);
  }
  drain(M, 0.01, 0.2);
  return M.P;
}

static Program drainCache(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.background(6);
  M.cache(M.site("cache", "entry"));
  drain(M, 0.01, 0.2);
  return M.P;
}

static Maker beginLeak(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 200;
  M.background();
  return M;
}

static Program freedAtEnd(uint64_t Seed) {
  Maker M = beginLeak(Seed);
  M.P.ShutdownAt = M.P.Length * M.uniform(0.8, 0.9999);
  M.leak(M.site("step", "leak", true), M.uniform(0.5, 4), 0, 12);
  return M.finish();
}

static Program drainLeak(uint64_t Seed) {
  Maker M = beginLeak(Seed);
  M.leak(M.site("step", "leak", true), M.uniform(0.5, 4), 0, M.octaves(8, 50));
  drain(M, 0.01, 0.2);
  return M.finish();
}

static const Scenario All[] = {
    {"orderly-end", Nature::Clean, "frees all in its last 0 to 20 %",
     orderlyEnd},
    {"drain", Nature::Clean, "and allocates temporaries meanwhile", drainClean},
    {"drain-cache", Nature::Clean, "a cache that filled, then is freed",
     drainCache},
    {"freed-at-end", Nature::Leaks, "all is freed in the last 0 to 20 %",
     freedAtEnd},
    {"drain-leak", Nature::Leaks, "with temporaries meanwhile", drainLeak},
};
llvm::ArrayRef<Scenario> drainScenarios() { return All; }

} // namespace memkit::gengrowth
