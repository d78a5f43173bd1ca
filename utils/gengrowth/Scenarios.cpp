//===- Scenarios.cpp - How the memory of a made-up program moves -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scenarios.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace memkit::gengrowth {

using gentrace::Random;
using Series = std::vector<double>;

/// From Low to High.
static double uniform(Random &R, double Low, double High) {
  return Low + (High - Low) * static_cast<double>(R.next() >> 11) * 0x1p-53;
}
static double normal(Random &R) {
  double Length = std::sqrt(-2 * std::log(1 - uniform(R, 0, 1)));
  return Length * std::cos(2 * M_PI * uniform(R, 0, 1));
}
/// Bytes for each step: from 64 B to 1 MiB.
static double slope(Random &R) { return std::exp2(uniform(R, 6, 20)); }

static Series flat(size_t Steps, double Value) { return Series(Steps, Value); }
static void addNoise(Random &R, Series &Y, double Deviation) {
  for (double &V : Y)
    V += Deviation * normal(R);
}

static std::vector<Series> steady(Random &R, size_t Steps) {
  double Slope = slope(R), At = Slope * uniform(R, 0, 100);
  Series Y;
  for (size_t I = 0; I != Steps; ++I)
    Y.push_back(At += Slope * uniform(R, 0.7, 1.3));
  return {Y};
}

static std::vector<Series> slow(Random &R, size_t Steps) {
  double Slope = slope(R);
  Series Y;
  for (size_t I = 0; I != Steps; ++I)
    Y.push_back(Slope * (100 + static_cast<double>(I)));
  addNoise(R, Y, 10 * Slope);
  return {Y};
}

static std::vector<Series> stepwise(Random &R, size_t Steps) {
  double Slope = slope(R), At = Slope * uniform(R, 0, 100);
  uint64_t Interval = 3 + R.below(13), Left = R.below(Interval) + 1;
  Series Y;
  for (size_t I = 0; I != Steps; ++I) {
    if (--Left == 0) {
      Left = std::max<uint64_t>(1, Interval - 1 + R.below(3));
      At += Slope * static_cast<double>(Interval) * uniform(R, 0.5, 1.5);
    }
    Y.push_back(At);
  }
  return {Y};
}

/// Each step one of many stacks keeps a block: none grows much by itself.
static std::vector<Series> spread(Random &R, size_t Steps) {
  size_t Stacks = 10 + R.below(50);
  double Slope = slope(R);
  std::vector<Series> All(Stacks, flat(Steps, 0));
  for (size_t I = 0; I != Steps; ++I) {
    Series &Y = All[R.below(Stacks)];
    double More = Slope * uniform(R, 0.5, 1.5);
    for (size_t J = I; J != Steps; ++J)
      Y[J] += More;
  }
  return All;
}

static std::vector<Series> warmUp(Random &R, size_t Steps) {
  double Level = slope(R) * 30;
  double End = uniform(R, 0.05, 0.6) * static_cast<double>(Steps);
  bool IsSharp = R.oneIn(2), IsNoisy = R.oneIn(2);
  Series Y;
  for (size_t I = 0; I != Steps; ++I) {
    double At = static_cast<double>(I + 1) / End;
    Y.push_back(Level * (IsSharp ? std::min(1.0, At) : 1 - std::exp(-4 * At)));
  }
  if (IsNoisy)
    addNoise(R, Y, Level / 50);
  return {Y};
}

static std::vector<Series> sawTooth(Random &R, size_t Steps) {
  double Slope = slope(R), Base = Slope * uniform(R, 0, 50);
  uint64_t Period = 3 + R.below(23), At = R.below(Period);
  Series Y;
  for (size_t I = 0; I != Steps; ++I, At = (At + 1) % Period)
    Y.push_back(Base + Slope * static_cast<double>(At));
  if (R.oneIn(2))
    addNoise(R, Y, Slope * static_cast<double>(Period) / 20);
  return {Y};
}

static std::vector<Series> oneOff(Random &R, size_t Steps) {
  double Unit = slope(R);
  auto When =
      static_cast<size_t>(uniform(R, 0.1, 0.95) * static_cast<double>(Steps));
  Series Y = flat(Steps, Unit * 50);
  for (size_t I = When; I < Steps; ++I)
    Y[I] += Unit * uniform(R, 49, 51);
  if (R.oneIn(2))
    addNoise(R, Y, Unit * uniform(R, 0, 5));
  return {Y};
}

static std::vector<Series> noise(Random &R, size_t Steps) {
  double Unit = slope(R);
  Series Y = flat(Steps, Unit * 50);
  addNoise(R, Y, Unit * 10);
  return {Y};
}

/// What comes stays for a while: a working set that changes slowly.
static std::vector<Series> wander(Random &R, size_t Steps) {
  double Unit = slope(R), Off = 0;
  Series Y;
  for (size_t I = 0; I != Steps; ++I) {
    Off = 0.8 * Off + 6 * normal(R);
    Y.push_back(Unit * (50 + Off));
  }
  return {Y};
}

static const Scenario All[] = {
    {"steady", true, "grows with each step", steady},
    {"slow", true, "noise of 10 times what it grows by in a step", slow},
    {"stepwise", true, "grows by jumps, 3 to 15 steps apart", stepwise},
    {"spread", true,
     "each step one of 10 to 59 stacks of a caller keeps a block", spread},
    {"warm-up", false, "a cache that fills in 5 to 60 % of the run, and stops",
     warmUp},
    {"saw-tooth", false, "comes back after 3 to 25 steps", sawTooth},
    {"one-off", false, "one jump, that stays", oneOff},
    {"noise", false, "nothing else", noise},
    {"wander", false, "a working set that changes slowly", wander},
};
ArrayRef<Scenario> scenarios() { return All; }

std::string makeTrace(const Scenario &S, uint64_t Seed, size_t Steps) {
  Random R(Seed);
  std::vector<Series> Subject = S.Make(R, Steps);
  std::vector<Series> Whole = Subject;
  // What else a program has: what it keeps, and what it uses for a while.
  Whole.push_back(flat(Steps, slope(R) * 10));
  Whole.push_back(noise(R, Steps).front());
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "header command=[\"./" << S.Name << "\" \"" << Seed << "\"]\n"
     << "dictionary\n  image 1 pid=1 exe=\"/bin/" << S.Name << "\"\n"
     << "  thread 1 image=1 tid=1\n  heap 1 name=\"host.malloc\"\n";
  for (size_t I = 0; I != Whole.size(); ++I) {
    OS << "  stack " << I + 1 << " main > step > ";
    if (I >= Subject.size())
      OS << "other" << I << " > malloc\n";
    else if (Subject.size() == 1)
      OS << "subject > malloc\n";
    else
      OS << "subject > part" << I << " > malloc\n";
  }
  // Each stack has one block, which is resized.
  OS << "events image=1\n";
  for (size_t I = 0; I != Whole.size(); ++I)
    OS << "  " << I * 100 << " th1 alloc #" << I << " heap=1 stack=" << I + 1
       << " size=0\n";
  const uint64_t StepNs = 1'000'000;
  for (size_t Step = 0; Step != Steps; ++Step)
    for (size_t I = 0; I != Whole.size(); ++I)
      OS << "  " << (Step + 1) * StepNs + (I + 1) * 100 << " th1 resize #" << I
         << " size=" << static_cast<uint64_t>(std::max(0.0, Whole[I][Step]))
         << "\n";
  OS << "marks\n";
  for (size_t Step = 0; Step <= Steps; ++Step)
    OS << "  " << (Step + 1) * StepNs << " step image=1 id=" << Step + 1
       << "\n";
  OS << "complete\n";
  return Text;
}

} // namespace memkit::gengrowth
