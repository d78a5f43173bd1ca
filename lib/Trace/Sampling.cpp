// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates from sampled blocks.

#include "memkit/Trace/Sampling.h"
#include <algorithm>
#include <cmath>

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

double memkit::sampleVariance(uint64_t Bytes, uint64_t Blocks,
                              uint64_t SampleBytes) {
  if (!SampleBytes || !Bytes || !Blocks)
    return 0;
  double Unit = double(SampleBytes), Count = double(Blocks);
  // Above 2 the variance of a block falls, so the mean of different sizes would
  // give too low a variance.
  double X = std::min(double(Bytes) / Count / Unit, 2.0);
  return Count * Unit * Unit * blockVariance(X);
}

uint64_t memkit::standardError(double Variance) {
  return uint64_t(std::llround(std::sqrt(Variance)));
}

double memkit::sampleVariance(uint64_t Bytes, uint64_t OtherBytes,
                              uint64_t OtherBlocks, uint64_t SampleBytes) {
  double Blocks =
      OtherBytes ? double(Bytes) / double(OtherBytes) * double(OtherBlocks) : 0;
  return sampleVariance(Bytes, uint64_t(std::ceil(Blocks)), SampleBytes);
}

void SampleVariances::add(const StackStats &R, uint64_t SampleBytes) {
  auto Of = [&](uint64_t Bytes, uint64_t Blocks) {
    return sampleVariance(Bytes, Blocks, SampleBytes);
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

/// The largest variance of a block in a class of sizes from X to 2 X.
static double classVariance(double X) {
  const int Steps = 16;
  double Max = 0;
  for (int I = 0; I <= Steps; ++I)
    Max = std::max(Max, blockVariance(X * (1 + double(I) / Steps)));
  return Max;
}

void SampleVariances::refine(const HeapStats &H, uint64_t SampleBytes) {
  if (H.Sizes.empty() || !SampleBytes)
    return;
  double Unit = double(SampleBytes);
  /// Counts at most Blocks blocks of each size: the most that ever lived, or
  /// that live.
  auto Bound = [&](uint64_t Blocks) {
    double Sum = 0;
    for (size_t C = 0; C != H.Sizes.size(); ++C)
      Sum += double(std::min(H.Sizes[C], Blocks)) * Unit * Unit *
             classVariance(double(sizeClassBegin(unsigned(C))) / Unit);
    return Sum;
  };
  Allocated = std::min(Allocated, Bound(H.Allocations));
  Live = std::min(Live, Bound(H.LiveBlocks));
  LiveExclusive = std::min(LiveExclusive, Bound(H.LiveBlocks));
  HeapPeak = std::min(HeapPeak, Bound(H.PeakBlocks));
  SpacePeak = std::min(SpacePeak, Bound(H.Allocations));
  Allocations = 0;
  for (size_t C = 1; C < H.Sizes.size(); ++C) {
    // The smallest blocks of a class have the largest error.
    double P = chanceOf(double(sizeClassBegin(unsigned(C))) / Unit);
    Allocations += double(H.Sizes[C]) * ((1 - P) / P + P / 4);
  }
}
