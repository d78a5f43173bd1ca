// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks live, and how old others became.

#ifndef MEMKIT_TRACE_LIFETIMES_H
#define MEMKIT_TRACE_LIFETIMES_H

#include <cstdint>
#include <vector>

namespace memkit {

/// A class of ages: those of 2^n to below 2^(n+1) units. In steps (0: it was
/// allocated before the first step, or no step ran), and in units of AgeUnitNs.
struct AgeClass {
  uint8_t Steps = 0; ///< n + 1
  uint8_t Time = 0;  ///< n
  bool operator==(const AgeClass &) const = default;
};
inline constexpr uint64_t AgeUnitNs = 10'000'000;
inline constexpr uint8_t NumAgeClasses = 64;

/// Of the blocks of a row that were allocated in one interval, those that live;
/// where a row has many cohorts, of a few neighbouring ones.
struct Cohort {
  uint32_t Interval = 0; ///< the first, as Interval::Index numbers them
  uint32_t Last = 0;     ///< the last
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  bool operator==(const Cohort &) const = default;
};

/// Blocks of a row that were freed in another interval than that of their
/// allocation, at one class of ages.
struct LateFrees {
  AgeClass Age;
  uint32_t Intervals = 0; ///< in so many of them
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  bool operator==(const LateFrees &) const = default;
};

/// How long the blocks of a (heap, stack) of a process live, at the cut.
struct LifetimeRow {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  std::vector<Cohort> Cohorts; ///< rising intervals, all before the cut
  std::vector<LateFrees> Frees;
  bool operator==(const LifetimeRow &) const = default;
};

/// Where the lifetimes of a space end: before its frees at the end of the
/// process.
struct LifetimeCut {
  uint32_t Space =
      0; ///< 0: of heaps outside the totals; else a memory space + 1
  uint32_t Intervals = 0; ///< so many lie before it
  bool operator==(const LifetimeCut &) const = default;
};

/// The lifetimes of a process, in one section or several: Last ends them. The
/// last whole set of a process counts.
struct Lifetimes {
  uint32_t Process = 0;
  bool Last = true;
  std::vector<LifetimeCut> Cuts; ///< in the last section
  std::vector<LifetimeRow> Rows; ///< sorted by heap and stack
  bool operator==(const Lifetimes &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_LIFETIMES_H
