// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes parts of programs.

#ifndef MEMKIT_UTILS_GENGROWTH_MAKER_H
#define MEMKIT_UTILS_GENGROWTH_MAKER_H

#include "../gentrace/Random.h"
#include "Program.h"
#include <functional>

namespace memkit::gengrowth {

class Maker {
public:
  explicit Maker(uint64_t Seed) : R(Seed * 0x9E3779B97F4A7C15u + 77) {}

  // Random values
  double uniform(double Low, double High);
  double normal();
  double exponential(double Mean);
  double lognormal(double Median, double Sigma);
  /// A Pareto distribution of power Shape, which must be above 1.
  double pareto(double Mean, double Shape);
  /// The number of events of a Poisson process.
  uint64_t poisson(double Mean);
  /// Log-uniform: each octave from Low to High is equally likely.
  double octaves(double Low, double High);
  uint64_t below(uint64_t N) { return R.below(N); }

  // Sites and blocks
  uint32_t site(std::string Group, std::string Name, bool Grows = false,
                uint32_t Heap = 0, uint32_t Process = 0);
  void block(uint32_t Site, double Birth, double Death, double Size);
  /// A block of 500 to 4,500 bytes times Scale.
  double size(double Scale = 1) { return uniform(500, 4500) * Scale; }

  using Life = std::function<double()>;
  using Load = std::function<double(double Time)>; ///< 1: normal load
  /// Blocks that arrive at random. On average Population blocks live at the
  /// same time, each for LifeOf() with mean Mean. The population is in
  /// equilibrium from the start on.
  void sessions(uint32_t Site, double Population, double Mean, Life LifeOf,
                const Load &LoadOf = {}, double From = 0, double To = Never,
                double Scale = 1);
  void sessions(uint32_t Site, double Population, double Mean) {
    sessions(Site, Population, Mean,
             [this, Mean] { return exponential(Mean); });
  }
  /// A growing vector: a full block is replaced by a block Factor times as
  /// large. Rate bytes are added in each unit of time.
  void vector(uint32_t Site, double Rate, double From, double Factor = 2);
  /// Blocks of random size that arrive at random, PerUnit on average, and stay.
  void leak(uint32_t Site, double PerUnit, double From, double Scale = 1);
  /// A cache that fills in 5 to 60 % of the run, then keeps or replaces
  /// entries.
  void cache(uint32_t Site);
  /// The other parts of a program: sites of sessions, and blocks that stay. In
  /// half of the programs also temporary memory.
  void background(unsigned Sites = 12, double From = 0, uint32_t Process = 0);
  /// Temporary memory: blocks that live for at most 0.6 units.
  void requests(uint32_t Site, double PerUnit, double Size, double From = 0);
  /// Adds temporary memory to half of the programs.
  void someRequests(double From = 0, uint32_t Process = 0);
  /// Adds temporary memory so that the growth of a process keeps at most this
  /// ratio of the bytes that are allocated meanwhile.
  void dilute(double Ratio, uint32_t Process = 0);
  /// Dilutes the growth of three of four programs: in two the growth keeps
  /// little of the allocated bytes, in one much.
  Program finish();
  /// Ends the program with an idle time, a Share of the whole life.
  void idle(double Share);

  Program P;

private:
  gentrace::Random R;
};

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_MAKER_H
