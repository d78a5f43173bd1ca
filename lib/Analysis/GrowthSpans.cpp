//===- GrowthSpans.cpp - Which slices are measured, as points ---*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowthSpans.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace memkit {

/// How many steps a slice has. A file may say anything.
static double stepsOf(const SliceHead &H) {
  if (H.LastStep == 0)
    return 0; // before the first
  return H.LastStep > H.FirstStep
             ? std::min(static_cast<double>(H.LastStep - H.FirstStep) + 1, 1e9)
             : 1;
}

/// From: from where on each slice's changes hold, never falling.
void SpanPoints::place(ArrayRef<double> From, double Begin, double End) {
  double Width = (End - Begin) / static_cast<double>(Span.Points);
  Places.resize(From.size());
  for (size_t I = 0; I != From.size(); ++I) {
    double At = (From[I] - Begin) / Width;
    if (!(At > 0))
      continue; // before the span
    auto Point = std::min<size_t>(static_cast<size_t>(At), Span.Points - 1);
    double Share = static_cast<double>(Point + 1) - At;
    Places[I] = {static_cast<uint32_t>(Point),
                 static_cast<float>(std::clamp(Share, 0.0, 1.0))};
  }
}

bool SpanPoints::choose(const ImageSlices &I, const GrowthOptions &Options) {
  // The last slice has the end of the process, which frees.
  size_t End = I.Heads.size() - 1;
  Span.Image = I.Image;
  Span.HasSteps = I.hasSteps();
  // Where each slice's changes hold from. With steps a slice tells of its
  // whole steps; by time it tells of its end, for it may begin long before.
  std::vector<double> From;
  double At = 0;
  uint64_t StartNs = I.Heads.front().BeginNs;
  for (size_t S = 0; S != End; ++S) {
    const SliceHead &H = I.Heads[S];
    if (!Span.HasSteps)
      At = static_cast<double>(H.EndNs - std::min(StartNs, H.EndNs));
    From.push_back(At);
    if (Span.HasSteps)
      At += stepsOf(H);
  }
  if (End == 0)
    return false;
  double Total = Span.HasSteps ? At : From.back();
  double Begin = Options.WarmUp * Total;
  if (Span.HasSteps)
    Begin =
        std::max(std::ceil(Begin), static_cast<double>(Options.WarmUpSteps));
  auto Edge = std::lower_bound(From.begin(), From.end(), Begin);
  First = Edge - From.begin();
  if (First >= End || Total <= From[First])
    return false;
  Begin = From[First];
  // By time the value at the last slice's end lasts for none.
  Span.Points = std::min(End - First - !Span.HasSteps, MaxTrendPoints);
  if (Span.Points < MinTrendPoints)
    return false;
  Span.PerPoint = (Total - Begin) / static_cast<double>(Span.Points) /
                  (Span.HasSteps ? 1 : 1e9);
  Span.FirstStep = I.Heads[First].FirstStep;
  Span.LastStep = I.Heads[End - 1].LastStep;
  Span.BeginNs = Span.HasSteps ? I.Heads[First].BeginNs : I.Heads[First].EndNs;
  Span.EndNs = I.Heads[End - 1].EndNs;
  place(From, Begin, Total);
  return true;
}

std::optional<SpanPoints> SpanPoints::create(const ImageSlices &I,
                                             const GrowthOptions &Options) {
  SpanPoints P;
  if (!P.choose(I, Options))
    return std::nullopt;
  return P;
}

size_t SpanPoints::sliceOf(size_t Point) const {
  auto At = std::upper_bound(
      Places.begin() + First, Places.end(), Point,
      [](size_t Wanted, const Place &P) { return Wanted < P.Point; });
  return At == Places.begin() + First ? First : At - Places.begin() - 1;
}

} // namespace memkit
