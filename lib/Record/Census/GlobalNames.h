// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables, stacks and other memory of a program that hold its blocks.

#ifndef MEMKIT_LIB_RECORD_CENSUS_GLOBALNAMES_H
#define MEMKIT_LIB_RECORD_CENSUS_GLOBALNAMES_H

#include "Record/Census/BlockGraph.h"

namespace memkit {

/// Makes all pointers outside of blocks roots of the graph, and follows them:
/// global variables by their symbols, else by their binary; then stacks and
/// other memory; shared memory last. Taken: the ranges of the blocks'
/// allocators, by address; Unread: the parts of them that hold no blocks.
void followGlobals(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps,
                   llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Taken,
                   llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Unread,
                   BlockGraph &To);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_GLOBALNAMES_H
