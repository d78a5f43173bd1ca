// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with containers: blocks that are replaced by larger blocks.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

static Maker begin(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.background();
  return M;
}

/// Vectors at one site. Live bytes rise in jumps while the data grow evenly, so
/// the rate is unknown.
static Program vectors(uint64_t Seed, uint64_t Count) {
  Maker M = begin(Seed);
  M.P.IsContainer = true;
  uint32_t Site = M.site("push_back", "leak", true);
  double Factor = M.octaves(1.1, 2);
  for (; Count; --Count)
    M.vector(Site, M.octaves(10000, 1e6), M.uniform(0.1, 1), Factor);
  return M.P;
}
static Program vector1(uint64_t Seed) { return vectors(Seed, 1); }
static Program vector4(uint64_t Seed) { return vectors(Seed, 2 + Seed % 3); }

/// A map: nodes that stay, and a table that is replaced.
static Program mapLeak(uint64_t Seed) {
  Maker M = begin(Seed);
  double PerUnit = M.octaves(4, 60), Size = M.octaves(56, 1000);
  uint32_t Node = M.site("leak", "node", true);
  for (double Time = 0; Time < M.P.Length; Time += 1 / PerUnit)
    M.block(Node, Time, Never, Size);
  M.vector(M.site("leak", "table", true), PerUnit * 8, 0.1);
  return M.finish();
}

/// A full cache that evicts its oldest entries. Its table has grown while the
/// cache filled, and is rebuilt once more later.
static Program lruRebuilt(uint64_t Seed) {
  Maker M = begin(Seed);
  uint32_t Entry = M.site("cache", "entry"), Table = M.site("cache", "table");
  auto Max = static_cast<size_t>(M.octaves(100, 1000));
  double Full = M.uniform(0.05, 0.6) * M.P.Length,
         PerUnit = static_cast<double>(Max) / Full, Slot = M.octaves(16, 512);
  std::vector<double> Births;
  double Capacity = 8, Made = 0;
  for (double Time = 0; Time < M.P.Length; Time += 1 / PerUnit) {
    Births.push_back(Time);
    if (Births.size() > Max || static_cast<double>(Births.size()) <= Capacity)
      continue;
    M.block(Table, Made, Time, Capacity * Slot);
    Capacity *= 2;
    Made = Time;
  }
  double Rebuilt = M.uniform(Full / M.P.Length, 0.97) * M.P.Length;
  M.block(Table, Made, Rebuilt, Capacity * Slot);
  M.block(Table, Rebuilt - 1e-6, Never,
          Capacity * Slot * static_cast<double>(1 + M.below(2)));
  double Size = M.octaves(50, 5000);
  for (size_t I = 0; I != Births.size(); ++I)
    M.block(Entry, Births[I], I + Max < Births.size() ? Births[I + Max] : Never,
            Size);
  return M.P;
}

static const Scenario All[] = {
    {"lru-rebuilt", Nature::Clean, "a full cache rebuilds its table",
     lruRebuilt},
    {"container", Nature::Leaks, "a vector grows by factors of 1.1 to 2",
     vector1},
    {"containers", Nature::Leaks, "2 to 4 vectors at one site", vector4},
    {"map-grows", Nature::Leaks, "nodes stay, tables are replaced", mapLeak},
};
llvm::ArrayRef<Scenario> containerScenarios() { return All; }

} // namespace memkit::gengrowth
