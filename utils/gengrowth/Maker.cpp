// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes parts of programs.

#include "Maker.h"
#include <algorithm>
#include <cmath>

namespace memkit::gengrowth {

double Maker::uniform(double Low, double High) {
  return Low + (High - Low) * static_cast<double>(R.next() >> 11) * 0x1p-53;
}
double Maker::normal() {
  double Length = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
  return Length * std::cos(2 * M_PI * uniform(0, 1));
}
double Maker::exponential(double Mean) {
  return -Mean * std::log(1 - uniform(0, 1));
}
double Maker::lognormal(double Median, double Sigma) {
  return Median * std::exp(Sigma * normal());
}
double Maker::pareto(double Mean, double Shape) {
  double Min = Mean * (Shape - 1) / Shape;
  return Min * std::pow(1 - uniform(0, 1), -1 / Shape);
}
uint64_t Maker::poisson(double Mean) {
  if (Mean > 50)
    return static_cast<uint64_t>(
        std::max(0.0, std::round(Mean + std::sqrt(Mean) * normal())));
  double Limit = std::exp(-Mean), Product = uniform(0, 1);
  uint64_t Count = 0;
  for (; Product > Limit; Product *= uniform(0, 1))
    ++Count;
  return Count;
}
double Maker::octaves(double Low, double High) {
  return std::exp2(uniform(std::log2(Low), std::log2(High)));
}

uint32_t Maker::site(std::string Group, std::string Name, bool Leaks) {
  P.Sites.push_back({std::move(Group), std::move(Name), Leaks});
  return static_cast<uint32_t>(P.Sites.size()) - 1;
}

void Maker::block(uint32_t Site, double Birth, double Death, double Size) {
  P.Blocks.push_back(
      {Birth, Death, Site, static_cast<uint64_t>(std::max(Size, 1.0))});
}

void Maker::sessions(uint32_t Site, double Population, double Mean, Life LifeOf,
                     const Load &LoadOf, double From, double To, double Scale) {
  double Rate = Population / Mean;
  // Blocks from before the start: enough lives to reach equilibrium.
  double Begin = From > 0 ? From : -40 * Mean;
  for (double Time = Begin + exponential(1 / Rate);
       Time < std::min(To, P.Length); Time += exponential(1 / Rate)) {
    double Load = LoadOf ? LoadOf(std::max(Time, 0.0)) : 1;
    // Thinned: loads are at most 4.
    uint64_t Blocks = 0;
    if (!LoadOf)
      Blocks = 1;
    else if (uniform(0, 1) < Load / std::ceil(std::max(Load, 1.0)))
      Blocks = static_cast<uint64_t>(std::ceil(std::max(Load, 1.0)));
    for (; Blocks; --Blocks) {
      double Death = Time + LifeOf();
      if (Death > 0)
        block(Site, std::max(Time, -9.0), Death, size(Scale));
    }
  }
}

void Maker::vector(uint32_t Site, double Rate, double From, double Factor) {
  double Capacity = std::max(64.0, Rate / 4), Birth = From;
  while (Birth < P.Length) {
    double Full = From + Capacity / Rate;
    block(Site, Birth, Full + 1e-6, Capacity);
    Birth = Full;
    Capacity *= Factor;
  }
}

void Maker::background(unsigned Sites) {
  for (unsigned I = 0; I != Sites; ++I) {
    uint32_t S = site("serve", "other" + std::to_string(I));
    double Mean = octaves(0.3, P.Length / 10);
    sessions(S, octaves(2, 24), Mean);
  }
  uint32_t Kept = site("start", "tables");
  for (unsigned I = 0; I != 20; ++I)
    block(Kept, -uniform(1, 9), Never, size(20));
}

} // namespace memkit::gengrowth
