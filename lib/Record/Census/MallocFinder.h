// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where glibc's malloc keeps its memory in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_MALLOCFINDER_H
#define MEMKIT_LIB_RECORD_CENSUS_MALLOCFINDER_H

#include "Record/Shared/TargetMemory.h"

namespace memkit {

/// An arena of glibc's malloc: a `struct malloc_state`.
struct FoundArena {
  uint64_t At = 0;     ///< its address
  uint64_t End = 0;    ///< of the structure
  uint64_t Top = 0;    ///< the chunk at the end of its memory
  uint64_t System = 0; ///< bytes from the system; 0: not known
  bool IsMain = false; ///< its memory is the break; else heaps of HeapBytes
  std::vector<uint64_t> Fast; ///< the first chunk of each fast bin
};

/// A copy of glibc's malloc.
struct FoundMalloc {
  std::vector<FoundArena> Arenas; ///< the main one first
  uint64_t BreakStart = 0;        ///< of the main arena; 0: it has no break
  /// What it says of its blocks with mappings of their own.
  bool KnowsMapped = false;
  uint64_t MappedBlocks = 0, MappedBytes = 0;
};

/// Memory of the arenas that are not the main one begins at multiples of it.
inline constexpr uint64_t HeapBytes = 64 << 20;

/// Finds the copies of malloc in the data of the program's binaries.
///
/// A stripped libc has no symbol for `main_arena`. Its table of bins shows it:
/// 127 pairs of pointers, which point at themselves or at lists that lead back.
/// Static programs have one, too. Tried with glibc 2.31, 2.36, 2.41 and 2.43.
std::vector<FoundMalloc> findMalloc(const TargetMemory &Memory,
                                    llvm::ArrayRef<TargetMap> Maps);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_MALLOCFINDER_H
