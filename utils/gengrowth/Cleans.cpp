// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that do not leak.

#include "Maker.h"
#include "Scenarios.h"
#include <algorithm>
#include <cmath>
#include <deque>

namespace memkit::gengrowth {

static std::string numbered(const char *Name, size_t N) {
  return Name + std::to_string(N);
}

/// Stationary sessions at Sites sites, with lives of 1 to 40 steps; the run is
/// at least 8 lives long.
static Program sessionsAt(uint64_t Seed, size_t Sites, double Population) {
  Maker M(Seed);
  double Mean = std::round(M.octaves(1, 40));
  if (Sites > 1000)
    Mean = std::max(Mean, 8.0); // shorter lives make very many events
  M.P.Length = std::max(120.0, 8 * Mean);
  M.P.HasSteps = M.below(4) != 0;
  for (size_t I = 0; I != Sites; ++I)
    M.sessions(M.site(numbered("group", I / 50), numbered("site", I)),
               Population, Mean);
  return M.P;
}
static Program sessions1(uint64_t Seed) { return sessionsAt(Seed, 1, 16); }
static Program sessions50(uint64_t Seed) { return sessionsAt(Seed, 50, 16); }
static Program sessions500(uint64_t Seed) { return sessionsAt(Seed, 500, 16); }
static Program sessions5000(uint64_t Seed) { return sessionsAt(Seed, 5000, 6); }

/// A working set that moves: the youngest blocks are freed first.
static Program workingSet(uint64_t Seed) {
  Maker M(Seed);
  unsigned Sites = 1 + M.below(20);
  double Mean = M.octaves(2, 15);
  for (unsigned S = 0; S != Sites; ++S) {
    uint32_t Site = M.site("work", numbered("set", S));
    double A = std::exp(-1 / Mean), X = M.normal();
    std::vector<double> Births;
    std::vector<double> Sizes;
    for (double Time = 0; Time < M.P.Length; Time += 1) {
      X = A * X + std::sqrt(1 - A * A) * M.normal();
      auto Wanted = static_cast<size_t>(std::max(0.0, 100 + 15 * X));
      for (; Births.size() < Wanted; Sizes.push_back(M.size()))
        Births.push_back(Time > 0 ? Time + M.uniform(0, 0.9) : -1);
      for (; Births.size() > Wanted; Births.pop_back(), Sizes.pop_back())
        M.block(Site, Births.back(), Time + 0.95, Sizes.back());
    }
    for (size_t I = 0; I != Births.size(); ++I)
      M.block(Site, Births[I], Never, Sizes[I]);
  }
  return M.P;
}

/// A queue with one server, loaded by half to 90 %: first come, first served.
static Program queue(uint64_t Seed) {
  Maker M(Seed);
  M.P.Length = 400;
  M.P.HasSteps = M.below(2);
  unsigned Sites = 1 + M.below(8);
  for (unsigned S = 0; S != Sites; ++S) {
    uint32_t Site = M.site("queue", numbered("job", S));
    double Load = M.uniform(0.5, 0.9), Free = -1000;
    for (double Time = -1000 + M.exponential(0.2 / Load); Time < M.P.Length;
         Time += M.exponential(0.2 / Load)) {
      Free = std::max(Free, Time) + M.exponential(0.2);
      if (Free > 0)
        M.block(Site, std::max(Time, -9.0), Free, M.size());
    }
  }
  return M.P;
}

static Program heavyTails(uint64_t Seed) {
  Maker M(Seed);
  bool IsPareto = M.below(2);
  double Mean = M.octaves(2, 10), Shape = M.uniform(2.1, 3);
  M.P.Length = 20 * Mean > 120 ? 20 * Mean : 120;
  for (unsigned S = 0, N = 1 + M.below(40); S != N; ++S) {
    uint32_t Site = M.site("serve", numbered("tail", S));
    double Sigma = 1.3;
    M.sessions(Site, 24, Mean, [&] {
      return IsPareto ? M.pareto(Mean, Shape)
                      : M.lognormal(Mean * std::exp(-Sigma * Sigma / 2), Sigma);
    });
  }
  return M.P;
}

/// Sessions under a load with bursts, or with days and nights.
static Program load(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = M.below(2);
  M.P.Length = 240;
  double Period = M.uniform(20, 60), Phase = M.uniform(0, 1),
         Depth = M.uniform(0.3, 0.9);
  bool Bursts = M.below(2);
  auto LoadOf = [=](double Time) {
    double At = Time / Period + Phase;
    return Bursts ? (At - std::floor(At) < 0.2 ? 1 + 3 * Depth : 1 - Depth)
                  : 1 + Depth * std::sin(2 * M_PI * At);
  };
  for (unsigned S = 0, N = 1 + M.below(30); S != N; ++S) {
    double Mean = M.octaves(1, 15);
    M.sessions(
        M.site("serve", numbered("site", S)), 16, Mean,
        [&M, Mean] { return M.exponential(Mean); }, LoadOf);
  }
  return M.P;
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
  return M.P;
}

/// The work moves from some sites to others; live memory stays the same.
static Program turnover(uint64_t Seed) {
  Maker M(Seed);
  M.P.Length = 200;
  double From = M.uniform(0.2, 0.6) * M.P.Length, Over = M.uniform(1, 40);
  for (unsigned S = 0, N = 2 + 2 * M.below(10); S != N; ++S) {
    bool IsNew = S % 2;
    double Mean = M.octaves(1, 16);
    auto LoadOf = [=](double Time) {
      double Share = std::clamp((Time - From) / Over, 0.0, 1.0);
      return IsNew ? Share : 1 - Share;
    };
    M.sessions(
        M.site(IsNew ? "after" : "before", numbered("site", S)), 16, Mean,
        [&M, Mean] { return M.exponential(Mean); }, LoadOf);
  }
  return M.P;
}

/// A map in which each insertion goes with an erasure of a random entry.
static Program map(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = M.below(2);
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

/// Many sites that allocate once during start-up; then sessions.
static void imports(Maker &M, double Until) {
  for (unsigned S = 0; S != 400; ++S) {
    uint32_t Site = M.site(numbered("import", S / 20), numbered("make", S));
    double At = M.uniform(0, Until);
    for (uint64_t N = 1 + M.below(4); N; --N, At += M.uniform(0, 1))
      M.block(Site, std::min(At, Until), Never, M.size());
  }
}
static Program importsThenWork(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = false;
  M.P.Length = 250;
  imports(M, M.uniform(10, 60));
  M.background();
  return M.P;
}

/// Sessions; at the end the program frees everything.
static Program orderlyEnd(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = M.below(2);
  M.P.Length = 200;
  M.P.ShutdownAt = M.P.Length * M.uniform(0.8, 0.999);
  M.background(20);
  return M.P;
}

/// A cache that fills in 5 to 60 % of the run, then keeps or replaces entries.
static Program cache(uint64_t Seed) {
  Maker M(Seed);
  M.P.HasSteps = M.below(2);
  M.background(6);
  uint32_t Site = M.site("cache", "entry");
  double Full = M.uniform(0.05, 0.6) * M.P.Length, PerUnit = M.octaves(1, 20);
  bool Replaces = M.below(2), Saturates = M.below(2);
  std::deque<double> Entries;
  auto Max = static_cast<size_t>(std::max(8.0, Full * PerUnit));
  for (double Time = 0; Time < M.P.Length; Time += M.exponential(1 / PerUnit)) {
    bool IsFull = Entries.size() >= Max;
    if (!Replaces && IsFull)
      break;
    // Misses become rarer as the cache fills.
    if (Saturates && !Replaces &&
        M.uniform(0, 1) <
            static_cast<double>(Entries.size()) / static_cast<double>(Max))
      continue;
    if (IsFull) {
      M.block(Site, Entries.front(), Time, 1500);
      Entries.pop_front();
    }
    Entries.push_back(Time);
  }
  for (double Birth : Entries)
    M.block(Site, Birth, Never, 1500);
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
  M.P.HasSteps = M.below(2);
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
  M.P.HasSteps = M.below(2);
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

static Program sampled(uint64_t Seed, uint64_t Bytes) {
  Maker M(Seed);
  M.P.HasSteps = M.below(2);
  M.P.Length = 200;
  M.P.SampleBytes = Bytes;
  for (unsigned S = 0, N = 5 + M.below(60); S != N; ++S)
    M.sessions(M.site("serve", numbered("site", S)), 200, M.octaves(1, 16));
  // A full cache.
  uint32_t Site = M.site("cache", "entry");
  double PerUnit = 40;
  for (double Time = -9; Time < M.P.Length; Time += M.exponential(1 / PerUnit))
    M.block(Site, Time, std::max(Time, 0.0) + 20, 5000);
  return M.P;
}
static Program sampled64K(uint64_t Seed) { return sampled(Seed, 65536); }
static Program sampled512K(uint64_t Seed) { return sampled(Seed, 524288); }

static const Scenario All[] = {
    {"sessions-1", Truth::Clean, "blocks come and go at 1 site", sessions1},
    {"sessions-50", Truth::Clean, "at 50 sites", sessions50},
    {"sessions-500", Truth::Clean, "at 500 sites", sessions500},
    {"sessions-5000", Truth::Clean, "at 5,000 sites", sessions5000},
    {"working-set", Truth::Clean, "wanders, the youngest go first", workingSet},
    {"queue", Truth::Clean, "one server, load 50 to 90 %", queue},
    {"heavy-tails", Truth::Clean, "a few live very long", heavyTails},
    {"load", Truth::Clean, "bursts, or day and night", load},
    {"ramp", Truth::Clean, "the load grows 1.5 to 4 times", ramp},
    {"turnover", Truth::Clean, "work moves to other sites", turnover},
    {"map", Truth::Clean, "inserts and erases entries", map},
    {"quiet", Truth::Clean, "few requests, the last few are kept", quiet},
    {"imports", Truth::Clean, "starts, then works", importsThenWork},
    {"orderly-end", Truth::Clean, "frees all in its last 0 to 20 %",
     orderlyEnd},
    {"cache", Truth::Clean, "fills in 5 to 60 % of the run", cache},
    {"saw-tooth", Truth::Clean, "comes back after 3 to 20 steps", sawTooth},
    {"one-off", Truth::Clean, "a few jumps that stay", oneOff},
    {"buffers", Truth::Clean, "resized up and down", buffers},
    {"sampled-64K", Truth::Clean, "sessions, --sample=64K", sampled64K},
    {"sampled-512K", Truth::Clean, "sessions, --sample=512K", sampled512K},
};
llvm::ArrayRef<Scenario> cleanScenarios() { return All; }

} // namespace memkit::gengrowth
