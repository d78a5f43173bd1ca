// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sorted set of blocks: by size, then address.
//
// The set is an array of sorted arrays of up to 64 blocks. Programs allocate
// and free blocks of the same sizes again and again, so most searches stay in
// few cache lines.

#ifndef MEMKIT_LIB_SIMULATE_FREEBLOCKS_H
#define MEMKIT_LIB_SIMULATE_FREEBLOCKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace memkit {

/// A block in FreeBlocks. Size and address together name a block.
struct FreeBlock {
  uint64_t Size = 0, Address = 0; ///< bytes
  uint32_t Block = 0;             ///< the caller's number
  bool operator<(const FreeBlock &O) const {
    return Size != O.Size ? Size < O.Size : Address < O.Address;
  }
};

class FreeBlocks {
public:
  /// A place in the set; a change of the set ends all places.
  struct FreePlace {
    uint32_t Chunk = 0, At = 0;
    bool operator==(const FreePlace &) const = default;
  };

  bool empty() const { return Chunks.empty(); }
  /// The first block that is not before (Size, Address).
  FreePlace find(uint64_t Size, uint64_t Address = 0) const;
  bool isEnd(FreePlace P) const { return P.Chunk == Chunks.size(); }
  /// Not of the end.
  const FreeBlock &get(FreePlace P) const {
    return Chunks[P.Chunk]->Blocks[P.At];
  }
  FreePlace next(FreePlace P) const; ///< not of the end
  /// Not of an empty set.
  const FreeBlock &largest() const {
    return Chunks.back()->Blocks[Chunks.back()->Count - 1];
  }

  void insert(const FreeBlock &B);
  void erase(FreePlace P);
  /// The block must be in the set.
  void erase(uint64_t Size, uint64_t Address) { erase(find(Size, Address)); }
  /// Smallest first. Do must not change the set.
  void forEach(llvm::function_ref<void(const FreeBlock &)> Do) const;

private:
  static constexpr uint32_t MaxCount = 64;
  struct FreeChunk {
    uint32_t Count = 0;
    FreeBlock Blocks[MaxCount];
  };
  void noteLast(size_t Chunk);
  void divide(size_t Chunk);

  /// None is empty.
  std::vector<std::unique_ptr<FreeChunk>> Chunks;
  std::vector<FreeBlock> Last; ///< of each chunk
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_FREEBLOCKS_H
