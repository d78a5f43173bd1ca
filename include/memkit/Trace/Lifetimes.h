// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifetimes of blocks: live blocks by interval of allocation, and ages of freed
// blocks.

#ifndef MEMKIT_TRACE_LIFETIMES_H
#define MEMKIT_TRACE_LIFETIMES_H

#include <cstdint>
#include <vector>

namespace memkit {

/// A class of ages, from 2^n to below 2^(n+1) units: in steps (0: allocated
/// before the first step, or no step ran), and in units of AgeUnitNs.
struct AgeClass {
  uint8_t Steps = 0; ///< n + 1
  uint8_t Time = 0;  ///< n
  bool operator==(const AgeClass &) const = default;
};
inline constexpr uint64_t AgeUnitNs = 10'000'000;
inline constexpr uint8_t NumAgeClasses = 64;

/// The live blocks of a row that were allocated in one interval; in a row with
/// many cohorts, in a few neighbouring intervals.
struct Cohort {
  uint32_t Interval = 0; ///< the first Interval::Index
  uint32_t Last = 0;     ///< the last Interval::Index
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  bool operator==(const Cohort &) const = default;
};

/// Blocks of a row, of one class of ages, that were freed in a later interval
/// than the interval of their allocation.
struct LateFrees {
  AgeClass Age;
  uint32_t Intervals = 0; ///< number of intervals with such frees
  uint64_t Blocks = 0;
  uint64_t Bytes = 0;
  bool operator==(const LateFrees &) const = default;
};

/// The lifetimes of the blocks of a (heap, stack) of a process, up to the cut.
struct LifetimeRow {
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  std::vector<Cohort> Cohorts; ///< rising intervals, all before the cut
  std::vector<LateFrees> Frees;
  bool operator==(const LifetimeRow &) const = default;
};

/// The end of the lifetimes of a memory space: before the frees at the end of
/// the process.
struct LifetimeCut {
  uint32_t Space = 0; ///< 0: heaps outside the totals; else a memory space + 1
  uint32_t Intervals = 0; ///< number of intervals before the cut
  bool operator==(const LifetimeCut &) const = default;
};

/// The lifetimes of a process, in one or several sections; the last section has
/// Last. The last complete set of a process counts.
struct Lifetimes {
  uint32_t Process = 0;
  bool Last = true;
  std::vector<LifetimeCut> Cuts; ///< in the last section
  std::vector<LifetimeRow> Rows; ///< sorted by heap and stack
  bool operator==(const Lifetimes &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_LIFETIMES_H
