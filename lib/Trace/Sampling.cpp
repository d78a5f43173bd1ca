// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates from sampled blocks.

#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace memkit;

/// The chance that a block of X times SampleBytes is sampled.
static double chanceOf(double X) { return -std::expm1(-X); }

double memkit::sampleChance(uint64_t Size, uint64_t SampleBytes) {
  return SampleBytes ? chanceOf(double(Size) / double(SampleBytes)) : 1;
}

/// A hash of X as a number from 0 to below 1.
static double spread(uint64_t X) {
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9u;
  X = (X ^ (X >> 27)) * 0x94d049bb133111ebu;
  return double((X ^ (X >> 31)) >> 11) * 0x1p-53;
}

uint32_t memkit::sampleWeight(uint64_t Size, uint64_t SampleBytes,
                              uint64_t AllocationId) {
  if (!SampleBytes || !Size)
    return 1;
  double Weight = 1 / sampleChance(Size, std::min(SampleBytes, MaxSampleBytes));
  double Low = std::floor(Weight);
  bool Up = spread(AllocationId * 0x9e3779b97f4a7c15u + Size) < Weight - Low;
  return uint32_t(Low) + Up;
}

/// The variance of the bytes that one sampled block stands for, in squares of
/// SampleBytes; X as for chanceOf().
static double blockVariance(double X) {
  double P = chanceOf(X);
  if (P <= 0 || P >= 1)
    return 0;
  double Sampling = (1 - P) / P;
  double Rounding = P < 0.64 ? P / 4 : (1 - P) * (2 * P - 1) / P;
  return X * X * (Sampling + Rounding);
}

/// The largest variance of a block in a class of sizes from X to 2 X.
static double classVariance(double X) {
  const int Steps = 16;
  double Max = 0;
  for (int I = 0; I <= Steps; ++I)
    Max = std::max(Max, blockVariance(X * (1 + double(I) / Steps)));
  return Max;
}

SampledHeap::SampledHeap(uint64_t SampleBytes, llvm::ArrayRef<uint64_t> Sizes)
    : SampleBytes(SampleBytes) {
  if (!SampleBytes)
    return;
  double Unit = double(SampleBytes);
  std::vector<ErrorSum> Classes; // with the variance of one block
  for (size_t C = 0; C != Sizes.size(); ++C) {
    double X = double(sizeClassBegin(unsigned(C))) / Unit;
    if (Sizes[C])
      Classes.push_back({Sizes[C], Unit * Unit * classVariance(X)});
  }
  llvm::sort(Classes, [](const ErrorSum &A, const ErrorSum &B) {
    return A.Variance > B.Variance;
  });
  for (const ErrorSum &C : Classes) {
    ErrorSum Sum = Largest.empty() ? ErrorSum() : Largest.back();
    Sum.Blocks = llvm::SaturatingAdd(Sum.Blocks, C.Blocks);
    Sum.Variance += double(C.Blocks) * C.Variance;
    Largest.push_back(Sum);
  }
}

double SampledHeap::largestVariance(uint64_t Blocks) const {
  ErrorSum Before;
  for (const ErrorSum &E : Largest) {
    if (Blocks <= E.Blocks)
      return Before.Variance + (E.Variance - Before.Variance) *
                                   double(Blocks - Before.Blocks) /
                                   double(E.Blocks - Before.Blocks);
    Before = E;
  }
  // The heap's sizes are not those of all its blocks.
  return std::numeric_limits<double>::infinity();
}

double SampledHeap::variance(uint64_t Bytes, uint64_t Blocks) const {
  if (!SampleBytes || !Bytes || !Blocks)
    return 0;
  double Unit = double(SampleBytes), Count = double(Blocks);
  // Above 2 the variance of a block falls, so the mean of different sizes would
  // give too low a variance.
  double X = std::min(double(Bytes) / Count / Unit, 2.0);
  return std::min(Count * Unit * Unit * blockVariance(X),
                  largestVariance(Blocks));
}

double SampledHeap::variance(uint64_t Bytes, uint64_t OtherBytes,
                             uint64_t OtherBlocks) const {
  double Blocks =
      OtherBytes ? double(Bytes) / double(OtherBytes) * double(OtherBlocks) : 0;
  return variance(Bytes, uint64_t(std::ceil(Blocks)));
}

uint64_t memkit::standardError(double Variance) {
  return uint64_t(std::llround(std::sqrt(Variance)));
}

void SampleVariances::add(const StackStats &R, const SampledHeap &H) {
  auto Of = [&](uint64_t Bytes, uint64_t Blocks) {
    return H.variance(Bytes, Blocks);
  };
  Allocated += Of(R.AllocatedBytes, R.Allocations);
  Live += Of(R.LiveBytes, R.LiveBlocks);
  LiveExclusive += Of(R.LiveExclusive, R.LiveBlocks);
  HeapPeak += Of(R.HeapPeakBytes, R.HeapPeakBlocks);
  SpacePeak += Of(R.SpacePeakBytes, R.SpacePeakBlocks);
}

void SampleVariances::add(const SampleVariances &Other) {
  Allocated += Other.Allocated;
  Live += Other.Live;
  LiveExclusive += Other.LiveExclusive;
  HeapPeak += Other.HeapPeak;
  SpacePeak += Other.SpacePeak;
  Allocations += Other.Allocations;
}

void SampleVariances::refine(const HeapStats &Stats, const SampledHeap &H) {
  if (Stats.Sizes.empty() || !H)
    return;
  // At most the most blocks that ever lived, or those that live.
  Allocated = std::min(Allocated, H.largestVariance(Stats.Allocations));
  Live = std::min(Live, H.largestVariance(Stats.LiveBlocks));
  LiveExclusive = std::min(LiveExclusive, H.largestVariance(Stats.LiveBlocks));
  HeapPeak = std::min(HeapPeak, H.largestVariance(Stats.PeakBlocks));
  SpacePeak = std::min(SpacePeak, H.largestVariance(Stats.Allocations));
  Allocations = 0;
  for (size_t C = 1; C < Stats.Sizes.size(); ++C) {
    // The smallest blocks of a class have the largest error.
    double P = sampleChance(sizeClassBegin(unsigned(C)), H.sampleBytes());
    Allocations += double(Stats.Sizes[C]) * ((1 - P) / P + P / 4);
  }
}
