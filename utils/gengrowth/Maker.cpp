// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes parts of programs.

#include "Maker.h"
#include "Truth.h"
#include <algorithm>
#include <cmath>
#include <deque>

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

uint32_t Maker::site(std::string Group, std::string Name, bool Grows,
                     uint32_t Heap, uint32_t Process) {
  P.Sites.push_back(
      {std::move(Group), std::move(Name), Grows, Heap, Process, false});
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

void Maker::leak(uint32_t Site, double PerUnit, double From, double Scale) {
  for (double Time = From + exponential(1 / PerUnit); Time < P.Length;
       Time += exponential(1 / PerUnit))
    block(Site, Time, Never, size(Scale));
  P.Rate += PerUnit * 2500 * Scale;
}

void Maker::cache(uint32_t Site) {
  double Full = uniform(0.05, 0.6) * P.Length, PerUnit = octaves(1, 20);
  bool Replaces = below(2), Saturates = below(2);
  std::deque<double> Entries;
  double Max = std::max(8.0, Full * PerUnit);
  for (double Time = 0; Time < P.Length; Time += exponential(1 / PerUnit)) {
    auto Size = static_cast<double>(Entries.size());
    bool IsFull = Size >= std::floor(Max);
    if (!Replaces && IsFull)
      break;
    // Misses become rarer as the cache fills.
    if (Saturates && !Replaces && uniform(0, 1) < Size / Max)
      continue;
    if (IsFull) {
      block(Site, Entries.front(), Time, 1500);
      Entries.pop_front();
    }
    Entries.push_back(Time);
  }
  for (double Birth : Entries)
    block(Site, Birth, Never, 1500);
}

void Maker::requests(uint32_t Site, double PerUnit, double Size, double From) {
  for (double Time = From + exponential(1 / PerUnit); Time < P.Length;
       Time += exponential(1 / PerUnit))
    block(Site, Time, Time + uniform(0.02, 0.6), Size * uniform(0.5, 1.5));
}

void Maker::background(unsigned Sites, double From, uint32_t Process) {
  for (unsigned I = 0; I != Sites; ++I) {
    uint32_t S = site("serve", "other" + std::to_string(I), false, 0, Process);
    double Mean = octaves(0.3, (P.Length - From) / 10);
    sessions(
        S, octaves(2, 24), Mean, [this, Mean] { return exponential(Mean); }, {},
        From);
  }
  uint32_t Kept = site("start", "tables", false, 0, Process);
  for (unsigned I = 0; I != 20; ++I)
    block(Kept, -uniform(1, 9), Never, size(20));
  someRequests(From, Process);
}

void Maker::someRequests(double From, uint32_t Process) {
  if (below(2))
    requests(site("serve", "buffer", false, 0, Process), uniform(1, 6),
             octaves(1000, 100000), From);
}

void Maker::dilute(double Ratio, uint32_t Process) {
  MadeGrowth G = growthOf(P, Process);
  double Needed = G.Kept / Ratio - G.Allocated, Time = G.To - G.From;
  if (Needed <= 0 || Time <= 0)
    return;
  double PerUnit = uniform(4, 16);
  requests(site("serve", "request", false, 0, Process), PerUnit,
           Needed / Time / PerUnit);
}

Program Maker::finish() {
  uint64_t Draw = below(4);
  double Ratio = Draw == 0   ? 1
                 : Draw == 1 ? uniform(0.16, 0.6)
                             : uniform(0.005, 0.06);
  for (uint32_t Process = 0; Process != P.Processes; ++Process)
    if (Draw && P.grows(Process))
      dilute(Ratio, Process);
  return P;
}

void Maker::idle(double Share) {
  P.insertQuiet(P.Length, P.Length * Share / (1 - Share));
}

} // namespace memkit::gengrowth
