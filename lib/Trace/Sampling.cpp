//===- Sampling.cpp - What sampled blocks stand for -------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Trace/Sampling.h"
#include <algorithm>
#include <cmath>

using namespace memkit;

/// Of a block, in units of SampleBytes.
static double chanceOf(double X) { return -std::expm1(-X); }

double memkit::sampleChance(uint64_t Size, uint64_t SampleBytes) {
  return SampleBytes ? chanceOf(double(Size) / double(SampleBytes)) : 1;
}

/// A number from 0 to below 1 that looks random.
static double spread(uint64_t X) {
  X = (X ^ (X >> 30)) * 0xbf58476d1ce4e5b9u;
  X = (X ^ (X >> 27)) * 0x94d049bb133111ebu;
  return double((X ^ (X >> 31)) >> 11) * 0x1p-53;
}

uint32_t memkit::sampleWeight(uint64_t Size, uint64_t SampleBytes,
                              uint64_t Ordinal) {
  if (!SampleBytes || !Size)
    return 1;
  double Weight = 1 / sampleChance(Size, std::min(SampleBytes, MaxSampleBytes));
  double Low = std::floor(Weight);
  bool Up = spread(Ordinal * 0x9e3779b97f4a7c15u + Size) < Weight - Low;
  return uint32_t(Low) + Up;
}

double memkit::sampleVariance(uint64_t Bytes, uint64_t Blocks,
                              uint64_t SampleBytes) {
  if (!SampleBytes || !Bytes || !Blocks)
    return 0;
  double Unit = double(SampleBytes), Count = double(Blocks);
  // Beyond 2 the variance of a block falls, and the mean of different sizes
  // would say too little.
  double X = std::min(double(Bytes) / Count / Unit, 2.0);
  double P = chanceOf(X);
  double Sampling = (1 - P) / P;
  double Rounding = P < 0.64 ? P / 4 : (1 - P) * (2 * P - 1) / P;
  return Count * Unit * Unit * X * X * (Sampling + Rounding);
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

void SampleVariances::add(const SumRow &R, uint64_t SampleBytes) {
  auto Of = [&](uint64_t Bytes, uint64_t Blocks) {
    return sampleVariance(Bytes, Blocks, SampleBytes);
  };
  Allocated += Of(R.AllocatedBytes, R.Allocations);
  Live += Of(R.LiveBytes, R.LiveBlocks);
  LiveExclusive += Of(R.LiveExclusive, R.LiveBlocks);
  HeapPeak += Of(R.HeapPeakBytes, R.HeapPeakBlocks);
  DomainPeak += Of(R.DomainPeakBytes, R.DomainPeakBlocks);
}

void SampleVariances::add(const SampleVariances &Other) {
  Allocated += Other.Allocated;
  Live += Other.Live;
  LiveExclusive += Other.LiveExclusive;
  HeapPeak += Other.HeapPeak;
  DomainPeak += Other.DomainPeak;
}
