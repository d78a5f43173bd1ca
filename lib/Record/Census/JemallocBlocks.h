// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of all copies of jemalloc in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_JEMALLOCBLOCKS_H
#define MEMKIT_LIB_RECORD_CENSUS_JEMALLOCBLOCKS_H

#include "Record/Census/ArenaWalk.h"

namespace memkit {

/// The live blocks, without those that threads have freed and keep. Belongs to
/// one thread.
class JemallocBlocks {
public:
  JemallocBlocks(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps)
      : Memory(Memory), Maps(Maps) {}

  /// Taken: address ranges of other allocators, in any order.
  void find(std::vector<std::pair<uint64_t, uint64_t>> Taken);

  /// In any order.
  const std::vector<FoundBlock> &live() const { return Live; }
  /// The copies that are not malloc, by owner from FirstPrivateOwner on:
  /// `jemalloc@libarrow`.
  const std::vector<std::string> &privateNames() const { return Names; }
  /// Where the memory of the copies is: begins and ends, in any order.
  const std::vector<std::pair<uint64_t, uint64_t>> &ranges() const {
    return Ranges;
  }
  uint64_t freeBytes() const { return FreeBytes; }
  uint64_t cachedBytes() const { return CachedBytes; } ///< freed by threads

private:
  uint8_t ownerOf(const TargetMap &Data);
  void dropCached(llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Taken);
  size_t indexOf(uint64_t Address) const;

  const TargetMemory &Memory;
  llvm::ArrayRef<TargetMap> Maps;
  std::vector<FoundBlock> Live; ///< by address
  std::vector<std::string> Names;
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;
  uint64_t FreeBytes = 0, CachedBytes = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_JEMALLOCBLOCKS_H
