// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the names of Python that hold blocks.

#ifndef MEMKIT_TOOLS_MEMDUMP_HOLDERPRINTER_H
#define MEMKIT_TOOLS_MEMDUMP_HOLDERPRINTER_H

#include "memkit/Analysis/HeldBlocks.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Prints for people: each search, and a row for each name of blocks of a heap.
void printHolders(llvm::raw_ostream &OS, const Trace &T, const HeldBlocks &B);

/// Writes `{"searches": [...], "holders": [...]}`.
void writeHoldersJson(llvm::raw_ostream &OS, const Trace &T,
                      const HeldBlocks &B);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_HOLDERPRINTER_H
