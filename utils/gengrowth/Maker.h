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
  uint32_t site(std::string Group, std::string Name, bool Leaks = false);
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
  /// The other parts of a program: sites of sessions, and blocks that stay.
  void background(unsigned Sites = 12);

  Program P;

private:
  gentrace::Random R;
};

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_MAKER_H
