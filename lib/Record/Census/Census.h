// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lives in a program that runs, read from its memory alone.

#ifndef MEMKIT_LIB_RECORD_CENSUS_CENSUS_H
#define MEMKIT_LIB_RECORD_CENSUS_CENSUS_H

#include "Record/Census/BlockGraph.h"
#include <optional>

namespace memkit {

/// The blocks that live in a program, and who holds them.
struct Census {
  struct CountedBlock {
    uint64_t Address = 0, Bytes = 0; ///< that the program may use
    uint32_t Name = 0;               ///< of Names
    uint8_t Owner = MallocOwner;     ///< BlockOwner
  };
  std::vector<CountedBlock> Blocks; ///< by address
  /// From who holds a block to what it is. Node 0 is no node.
  std::vector<BlockGraph::HolderName> Names;

  /// The allocators that are parts of binaries, as a detour names them:
  /// `jemalloc@redis-server`. By owner, from FirstPrivateOwner on.
  struct PrivateSum {
    std::string Name;
    uint64_t Bytes = 0, Blocks = 0;
  };
  std::vector<PrivateSum> Private;

  bool IsAll = false; ///< no recording follows
  /// The file of another allocator in place of glibc's, whose blocks are not
  /// known; empty: none was seen.
  std::string OtherMalloc;
  /// The language whose collected heap is not counted; empty: none was seen.
  std::string Collected;
  uint64_t MallocBytes = 0, MallocBlocks = 0, PythonBytes = 0, PythonBlocks = 0;
  /// Of malloc and private allocators: freed, but kept for later blocks of any
  /// size, of one size, and at the ends of arenas.
  uint64_t FreeBytes = 0, CachedBytes = 0, TopBytes = 0;
  uint64_t ArrayBytes = 0;                ///< of both: tensors and arrays
  uint64_t PythonFreeBytes = 0;           ///< of its pools
  uint64_t UnreadBytes = 0;               ///< of malloc's arenas
  uint64_t LostBytes = 0, LostBlocks = 0; ///< to which no pointer leads
  /// That came or went while the program was read; 0 if it was stopped.
  uint64_t ChangedBlocks = 0;
  uint64_t TookNs = 0;
  uint64_t StoodNs = 0; ///< for so long the program was stopped; 0: not at all
};

/// Reads the memory of a program: the blocks of glibc's malloc and of jemalloc,
/// the objects of Python, and the pointers to them. Nothing in the program
/// changes.
/// Registers: of all threads of a program that is stopped. Without them it goes
/// on meanwhile: blocks that come and go may be missing, and of pointers in
/// registers only those are seen that threads have passed to system calls.
/// Errors: the end of a sentence that begins with the process.
llvm::Expected<Census>
takeCensus(const TargetMemory &Memory,
           std::optional<std::vector<uint64_t>> Registers = std::nullopt);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_CENSUS_H
