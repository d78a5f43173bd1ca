// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a program have freed, and jemalloc keeps for them.

#ifndef MEMKIT_LIB_RECORD_CENSUS_JEMALLOCCACHES_H
#define MEMKIT_LIB_RECORD_CENSUS_JEMALLOCCACHES_H

#include "Record/Shared/TargetMemory.h"

namespace memkit {

/// The freed blocks of a thread.
struct JemallocCache {
  uint64_t List = 0;            ///< an address in the memory with the list
  std::vector<uint64_t> Blocks; ///< addresses
};

/// Finds tables that look like a thread's cache in the memory of threads. Not
/// all that look so are one: its blocks must be jemalloc's. Taken: address
/// ranges of allocators, sorted; a thread's table lies outside of them.
std::vector<JemallocCache>
findJemallocCaches(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps,
                   llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Taken);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_JEMALLOCCACHES_H
