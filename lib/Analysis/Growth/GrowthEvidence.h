// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evidence that a program without steps repeats itself while memory grows.
//
// A program that loads also keeps what it allocates. A program that leaks
// repeats itself: it allocates far more than it keeps, and all other live bytes
// come back to their level again and again.

#ifndef MEMKIT_LIB_ANALYSIS_GROWTHEVIDENCE_H
#define MEMKIT_LIB_ANALYSIS_GROWTHEVIDENCE_H

#include "memkit/Analysis/GrowthReport.h"
#include "llvm/ADT/ArrayRef.h"

namespace memkit {

/// The course of a growth, bin by bin of its span.
struct GrowthCourse {
  llvm::ArrayRef<double> Kept; ///< bytes that survive, by bin of allocation
  double Blocks = 0;           ///< the number of surviving blocks
  /// Of the memory space: allocated bytes; live bytes of all that grows, and of
  /// the rest, at the end of each bin.
  llvm::ArrayRef<double> Allocated, Growing, Others;
  size_t From = 0, To = 0; ///< the first and the last bin of the growth
};

struct EvidenceOf {
  GrowthEvidence Evidence = GrowthEvidence::None;
  uint64_t Count = 0; ///< rounds or bursts
};

/// Looks for at least MinRounds rounds, or MinBursts bursts.
EvidenceOf findEvidence(const GrowthCourse &C);

inline constexpr size_t MinRounds = 6, MinBursts = 4;
/// Single blocks now and then are no bursts.
inline constexpr double MinOfBurst = 3;

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_GROWTHEVIDENCE_H
