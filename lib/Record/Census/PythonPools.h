// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small blocks of Python in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_PYTHONPOOLS_H
#define MEMKIT_LIB_RECORD_CENSUS_PYTHONPOOLS_H

#include "Record/Census/ArenaWalk.h"

namespace memkit {

/// The blocks of pymalloc: up to 512 bytes, in pools of one size. A pool's
/// header shows it, so no symbol of Python is needed. Python 3.6 to 3.15, but
/// for free-threaded ones, which have no pools. Belongs to one thread.
class PythonPools {
public:
  PythonPools(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps)
      : Memory(Memory), Maps(Maps) {}

  /// Taken: address ranges without pools, sorted.
  void walk(llvm::ArrayRef<std::pair<uint64_t, uint64_t>> Taken);

  /// By address.
  const std::vector<FoundBlock> &live() const { return Live; }
  /// Bytes of pools without a block.
  uint64_t freeBytes() const { return FreeBytes; }
  uint64_t numPools() const { return NumPools; }

private:
  uint64_t takePool(llvm::ArrayRef<uint8_t> Bytes, uint64_t At);

  const TargetMemory &Memory;
  llvm::ArrayRef<TargetMap> Maps;
  std::vector<FoundBlock> Live;
  uint64_t FreeBytes = 0, NumPools = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_PYTHONPOOLS_H
