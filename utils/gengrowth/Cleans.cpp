// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other programs that do not leak.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>
#include <deque>

namespace memkit::gengrowth {

static std::string numbered(const char *Name, size_t N) {
  return Name + std::to_string(N);
}

/// A load that grows through the run, or up to a time.
static Program ramp(uint64_t Seed) {
  Maker M(Seed);
  double Until = M.below(2) ? 1.0 : M.uniform(0.4, 0.9),
         Factor = M.uniform(1.5, 4);
  M.P.Length = 160;
  double Length = M.P.Length;
  auto LoadOf = [=](double Time) {
    return 1 + (Factor - 1) * std::min(1.0, Time / Length / Until);
  };
  for (unsigned S = 0, N = 1 + M.below(30); S != N; ++S) {
    double Mean = M.octaves(1, 16);
    M.sessions(
        M.site("serve", numbered("site", S)), 12, Mean,
        [&M, Mean] { return M.exponential(Mean); }, LoadOf);
  }
  M.someRequests();
  return M.P;
}

/// Sessions whose load rises, then is level, with large noise that changes
/// slowly: few large blocks with long lives.
static Program rampLevel(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.P.Length = 300;
  double Until = M.uniform(0.4, 0.8) * M.P.Length, Low = M.uniform(0, 0.5);
  auto LoadOf = [=](double Time) {
    return Low + (1 - Low) * std::min(1.0, Time / Until);
  };
  auto Add = [&](const char *Name, uint64_t Sites, double Population,
                 double Mean, double Scale) {
    for (; Sites; --Sites)
      M.sessions(
          M.site("serve", numbered(Name, Sites)), Population, Mean,
          [&M, Mean] { return M.exponential(Mean); }, LoadOf, 0, Never, Scale);
  };
  Add("site", 2 + M.below(20), 12, M.octaves(1, 8), 1);
  Add("noise", 1 + M.below(4), M.uniform(2, 8), M.uniform(8, 30),
      M.octaves(10, 100));
  if (M.below(2))
    M.requests(M.site("serve", "request"), M.uniform(2, 8),
               M.octaves(2000, 200000));
  return M.P;
}

/// A map in which each insertion goes with an erasure of a random entry.
static Program map(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  auto Entries = static_cast<size_t>(M.octaves(50, 1500));
  double PerUnit = static_cast<double>(Entries) / M.octaves(2, 15);
  uint32_t Node = M.site("map", "node"), Table = M.site("map", "table");
  std::vector<double> Births(Entries, -1);
  for (double Time = M.exponential(1 / PerUnit); Time < M.P.Length;
       Time += M.exponential(1 / PerUnit)) {
    size_t At = M.below(Entries);
    M.block(Node, Births[At], Time, 56);
    Births[At] = Time;
  }
  for (double Birth : Births)
    M.block(Node, Birth, Never, 56);
  M.block(Table, -1, Never, static_cast<double>(Entries) * 8);
  M.someRequests();
  return M.P;
}

/// A service with little work.
static Program quiet(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = false;
  M.P.Length = 300;
  double PerUnit = M.uniform(0.2, 2);
  uint32_t Request = M.site("serve", "request"), Body = M.site("serve", "body"),
           Recent = M.site("serve", "recent");
  std::deque<double> Last;
  auto Max = static_cast<size_t>(4 + M.below(12));
  for (double Time = M.exponential(1 / PerUnit); Time < M.P.Length;
       Time += M.exponential(1 / PerUnit)) {
    double End = Time + M.uniform(0.01, 0.6);
    M.block(Request, Time, End, 2000);
    M.block(Body, Time + 0.001, End, M.size());
    Last.push_back(Time);
    if (Last.size() > Max) {
      M.block(Recent, Last.front(), Time, 900);
      Last.pop_front();
    }
  }
  for (double Birth : Last)
    M.block(Recent, Birth, Never, 900);
  return M.P;
}

static Program cache(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.background(6);
  M.cache(M.site("cache", "entry"));
  return M.P;
}

/// Falls back every 3 to 20 steps: an epoch, or a garbage collection.
static Program sawTooth(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = M.below(3) != 0;
  M.P.Length = 200;
  M.background(6);
  double Period = 3 + static_cast<double>(M.below(18)),
         Phase = M.uniform(0, Period);
  bool Survivors = M.below(2);
  for (unsigned S = 0, N = 1 + M.below(6); S != N; ++S) {
    uint32_t Site = M.site("epoch", numbered("part", S));
    double PerUnit = M.octaves(1, 16);
    for (double Time = 0; Time < M.P.Length;
         Time += M.exponential(1 / PerUnit)) {
      double End = (std::floor((Time + Phase) / Period) + 1) * Period - Phase;
      if (Survivors && M.below(8) == 0)
        End += Period * static_cast<double>(1 + M.below(2));
      M.block(Site, Time, End + M.uniform(0, 0.3), M.size());
    }
  }
  return M.P;
}

/// One or a few lasting jumps, and blocks that are remade now and then.
static Program oneOff(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.background(8);
  uint32_t Site = M.site("setup", "table");
  for (uint64_t N = 1 + M.below(3); N; --N) {
    double At = M.uniform(0.1, 0.95) * M.P.Length;
    for (uint64_t B = 1 + M.below(40); B; --B)
      M.block(Site, At + M.uniform(0, 0.5), Never, M.size(4));
  }
  uint32_t Pool = M.site("setup", "pool");
  for (unsigned N = 0; N != 3; ++N)
    M.block(Pool, M.uniform(0, M.P.Length * 0.6), Never, 4096);
  uint32_t Reloaded = M.site("setup", "config");
  double Birth = -1, Every = M.uniform(10, 40);
  for (double Time = Every; Time < M.P.Length; Birth = Time, Time += Every)
    M.block(Reloaded, Birth, Time, 60000 + M.size());
  M.block(Reloaded, Birth, Never, 60000);
  return M.P;
}

/// Buffers that grow and shrink with the work.
static Program buffers(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = Seed % 2;
  M.background(6);
  for (unsigned S = 0, N = 1 + M.below(5); S != N; ++S) {
    uint32_t Site = M.site("buffer", numbered("resize", S));
    double Birth = -1, Size = 4096 * M.octaves(1, 64);
    for (double Time = M.exponential(3); Time < M.P.Length;
         Time += M.exponential(3)) {
      M.block(Site, Birth, Time + 1e-6, Size);
      Birth = Time;
      Size = std::clamp(Size * (M.below(2) ? 2.0 : 0.5), 4096.0, 1e7);
    }
    M.block(Site, Birth, Never, Size);
  }
  return M.P;
}

static const Scenario All[] = {
    {"ramp", Nature::Clean, "the load grows 1.5 to 4 times", ramp},
    {"ramp-level", Nature::Clean, "up to 40 to 80 % of the run, much noise",
     rampLevel},
    {"map", Nature::Clean, "inserts and erases entries", map},
    {"quiet", Nature::Clean, "few requests, the last few are kept", quiet},
    {"cache", Nature::Clean, "fills in 5 to 60 % of the run", cache},
    {"saw-tooth", Nature::Clean, "comes back after 3 to 20 steps", sawTooth},
    {"one-off", Nature::Clean, "a few jumps that stay", oneOff},
    {"buffers", Nature::Clean, "resized up and down", buffers},
};
llvm::ArrayRef<Scenario> cleanScenarios() { return All; }

} // namespace memkit::gengrowth
