// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, changes and totals of two groups of runs in words.

#ifndef MEMKIT_LIB_REPORT_DIFFTOTALS_H
#define MEMKIT_LIB_REPORT_DIFFTOTALS_H

#include "Report/DiffView.h"
#include "memkit/Analysis/Diff.h"

namespace memkit {

/// A value, and a change, in bytes or allocations.
std::string valueText(uint64_t Value, bool Bytes);
std::string changeText(int64_t Change, bool Bytes);
std::string changeText(double Change, bool Bytes);
/// `+3 KiB`; for groups `+3 KiB (+1 KiB to +5 KiB)`, for estimates `+3 KiB ±1`.
std::string changeText(const DiffView &V, uint64_t Before, uint64_t After,
                       bool Bytes, const std::optional<ConfidenceInterval> &I,
                       double Variance);
/// `+4.2 %`, `0 %`, `new`, `x40`.
std::string shareText(uint64_t Before, uint64_t After);
/// The prefix for the names of a memory space's totals: empty if the only space
/// is the host, or if heaps of one space were chosen.
std::string spacePrefix(const DiffView &V, const SpaceChange &S);

/// A total of a memory space, as text.
struct TotalRow {
  std::string Name, Before, After, Change;
  std::string Share; ///< the change in percent
};
/// Peak, live at end, allocated, allocations, ... of each memory space.
std::vector<TotalRow> totalRows(const DiffView &V);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_DIFFTOTALS_H
