// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences on the names of Python that hold blocks.

#ifndef MEMKIT_LIB_REPORT_HOLDERSENTENCES_H
#define MEMKIT_LIB_REPORT_HOLDERSENTENCES_H

#include "memkit/Analysis/HeldBlocks.h"

namespace memkit {

/// The first name, with its bytes, and how many others there are:
/// `train.history[*].loss (2.93 KiB in 3 blocks looked at)`. Empty: no names.
std::string holdersText(llvm::ArrayRef<HeldPath> Paths);

/// Why blocks of a process have no name although names were looked for, and
/// which condition finds the names; empty: names were not looked for.
std::string noHolderText(const Trace &T, llvm::ArrayRef<HolderSearch> Searches,
                         uint32_t Process);

/// How to find the names at the peak, if names were looked for only at the ends
/// of processes, and the blocks that they hold, of NamedBytes, are less than
/// half of the highest peak; else empty.
std::string earlierSearchText(const Trace &T,
                              llvm::ArrayRef<HolderSearch> Searches,
                              uint64_t NamedBytes);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_HOLDERSENTENCES_H
