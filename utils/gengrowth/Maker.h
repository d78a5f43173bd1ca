// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that programs are made of.

#ifndef MEMKIT_UTILS_GENGROWTH_MAKER_H
#define MEMKIT_UTILS_GENGROWTH_MAKER_H

#include "../gentrace/Random.h"
#include "Program.h"
#include <functional>

namespace memkit::gengrowth {

class Maker {
public:
  explicit Maker(uint64_t Seed) : R(Seed * 0x9E3779B97F4A7C15u + 77) {}

  // Chance.
  double uniform(double Low, double High);
  double normal();
  double exponential(double Mean);
  double lognormal(double Median, double Sigma);
  /// With a tail of power Shape, above 1.
  double pareto(double Mean, double Shape);
  /// So many events of a Poisson process.
  uint64_t poisson(double Mean);
  /// From Low to High, each octave as likely.
  double octaves(double Low, double High);
  uint64_t below(uint64_t N) { return R.below(N); }

  // Sites and blocks.
  uint32_t site(std::string Group, std::string Name, bool Leaks = false);
  void block(uint32_t Site, double Birth, double Death, double Size);
  /// A block of 500 to 4,500 bytes times Scale.
  double size(double Scale = 1) { return uniform(500, 4500) * Scale; }

  using Life = std::function<double()>;
  using Load = std::function<double(double Time)>; ///< 1 as usual
  /// Blocks that come at random, so that Population live at once on average,
  /// each for LifeOf() of mean Mean: in equilibrium from the begin on.
  void sessions(uint32_t Site, double Population, double Mean, Life LifeOf,
                const Load &LoadOf = {}, double From = 0, double To = Never,
                double Scale = 1);
  void sessions(uint32_t Site, double Population, double Mean) {
    sessions(Site, Population, Mean,
             [this, Mean] { return exponential(Mean); });
  }
  /// A block that is replaced by one twice as large when it is full; Rate
  /// bytes are put into it for each unit of time.
  void vector(uint32_t Site, double Rate, double From, double Factor = 2);
  /// What other parts of a program do: sites of sessions, and blocks that stay.
  void background(unsigned Sites = 12);

  Program P;

private:
  gentrace::Random R;
};

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_MAKER_H
