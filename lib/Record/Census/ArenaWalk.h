// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of glibc's malloc in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_ARENAWALK_H
#define MEMKIT_LIB_RECORD_CENSUS_ARENAWALK_H

#include "Record/Census/MallocFinder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Whose a block is; from FirstPrivateOwner on of an allocator that is a part
/// of a binary.
enum BlockOwner : uint8_t { MallocOwner, PythonOwner, FirstPrivateOwner };

/// A block of the program's.
struct FoundBlock {
  uint64_t Address = 0;
  uint64_t Bytes = 0;          ///< that the program may use
  uint8_t Owner = MallocOwner; ///< BlockOwner
};

/// Walks from chunk to chunk while the program runs: what changes meanwhile may
/// be missing or be told as it was. Belongs to one thread.
class ArenaWalk {
public:
  ArenaWalk(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps,
            const FoundMalloc &Of)
      : Memory(Memory), Maps(Maps), Of(Of) {}

  /// Walks all arenas and mapped blocks.
  void walk();

  /// The live blocks, by address within an arena.
  const std::vector<FoundBlock> &live() const { return Live; }
  /// Where an arena's memory, or a mapped block, is: begin and end, by address.
  const std::vector<std::pair<uint64_t, uint64_t>> &ranges() const {
    return Ranges;
  }

  /// Ranges of arenas without chunks: memory of the program's own between, or
  /// what changed meanwhile.
  const std::vector<std::pair<uint64_t, uint64_t>> &unread() const {
    return Unread;
  }

  struct Sums {
    uint64_t FreeBytes = 0;   ///< in bins, between blocks
    uint64_t CachedBytes = 0; ///< freed blocks that threads or fast bins keep
    uint64_t TopBytes = 0;    ///< at the ends of arenas
    uint64_t MappedBlocks = 0, MappedBytes = 0; ///< in mappings of their own
    uint64_t UnreadBytes = 0; ///< of arenas: no chunks could be found there
  };
  const Sums &sums() const { return Total; }

private:
  void walkMain(const FoundArena &A);
  void walkHeaps(const FoundArena &A);
  void walkRange(uint64_t Begin, uint64_t End, uint64_t Top);
  uint64_t resync(uint64_t At, uint64_t End, uint64_t Top) const;
  void takeChunk(uint64_t At, uint64_t Size);
  bool isInArena(uint64_t At) const;
  uint64_t chunkOf(uint64_t Block) const;
  void follow(uint64_t Block, uint64_t Offset);
  bool followCache(uint64_t Cache);
  void findCached();
  void dropCached();
  void walkMapping(uint64_t Begin, uint64_t End);
  void walkMapped();

  const TargetMemory &Memory;
  llvm::ArrayRef<TargetMap> Maps;
  const FoundMalloc &Of;
  std::vector<FoundBlock> Live;
  std::vector<std::pair<uint64_t, uint64_t>> Ranges, Unread;
  std::vector<uint64_t> Caches;    ///< blocks that may be a thread's cache
  llvm::DenseSet<uint64_t> Cached; ///< addresses of blocks
  Sums Total;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_ARENAWALK_H
