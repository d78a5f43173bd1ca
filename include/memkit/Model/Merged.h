// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a header says about merged traces.

#ifndef MEMKIT_MODEL_MERGED_H
#define MEMKIT_MODEL_MERGED_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

/// The option of a merged trace's header: `merged=8`.
inline constexpr llvm::StringLiteral MergedOption = "merged=";

/// The number of traces that memmerge has merged into the trace; 0: none.
uint64_t numMerged(const Header &H);

/// The option of a merged trace without events.
inline constexpr llvm::StringLiteral SummedPeaksOption = "peaks=sums";
/// Whether peaks of heaps and memory spaces are sums of the peaks of several
/// traces, which may have been at different times: upper bounds.
bool hasSummedPeaks(const Header &H);

} // namespace memkit

#endif // MEMKIT_MODEL_MERGED_H
