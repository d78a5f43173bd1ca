// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages of a program that runs have been touched.

#ifndef MEMKIT_LIB_RECORD_CENSUS_TOUCHEDPAGES_H
#define MEMKIT_LIB_RECORD_CENSUS_TOUCHEDPAGES_H

#include "Record/Shared/TargetMemory.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Calls Do with the begin and the size of runs of pages from Begin to End that
/// are in memory or swapped out, none of them over a multiple of MaxRun.
/// Reading other pages would fill the program's page tables.
void forEachTouched(const TargetMemory &Memory, uint64_t Begin, uint64_t End,
                    llvm::function_ref<void(uint64_t, uint64_t)> Do);
inline constexpr uint64_t MaxRun = 1 << 20;

/// Sorts address ranges, and joins those that meet.
void joinRanges(std::vector<std::pair<uint64_t, uint64_t>> &Ranges);

/// Calls Do with the begins and ends of the gaps between address ranges from
/// Begin to End. The ranges are sorted and apart.
void forEachBeside(llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Ranges,
                   uint64_t Begin, uint64_t End,
                   llvm::function_ref<void(uint64_t, uint64_t)> Do);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_TOUCHEDPAGES_H
