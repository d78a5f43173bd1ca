//===- GrowthSpans.h - Which slices are measured, as points -----*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_LIB_ANALYSIS_GROWTHSPANS_H
#define MEMKIT_LIB_ANALYSIS_GROWTHSPANS_H

#include "memkit/Analysis/Growth.h"

namespace memkit {

/// How the slices of an image become points of series. A point is the mean of
/// what was live in an equal part of the span, a step or more. What changes at
/// a slice holds from some place on: it has a share in the point there, and
/// counts whole in those after it. So a series is kept by adding differences.
class SpanPoints {
public:
  /// Nothing when the image has too few slices.
  static std::optional<SpanPoints> create(const ImageSlices &I,
                                          const GrowthOptions &Options);

  const GrowthSpan &span() const { return Span; }
  size_t points() const { return Span.Points; }
  /// Slices before it are before the span.
  size_t firstSlice() const { return First; }
  /// The first slice that is behind the span.
  size_t endSlice() const { return Places.size(); }
  bool isInside(size_t Slice) const {
    return Slice >= First && Slice < endSlice();
  }

  /// Adds what a slice before endSlice() changed to a series of differences,
  /// which has points() + 1 values.
  void add(double *Series, size_t Slice, double Change) const {
    const Place &P = Places[Slice];
    Series[P.Point] += Change * P.Share;
    Series[P.Point + 1] += Change * (1 - P.Share);
  }
  /// The last slice that has to do with a point.
  size_t sliceOf(size_t Point) const;

private:
  struct Place {
    uint32_t Point = 0;
    float Share = 1;
  };
  SpanPoints() = default;
  bool choose(const ImageSlices &I, const GrowthOptions &Options);
  void place(llvm::ArrayRef<double> From, double Begin, double End);

  GrowthSpan Span;
  size_t First = 0;
  std::vector<Place> Places; ///< by slice
};

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_GROWTHSPANS_H
