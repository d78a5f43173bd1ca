// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sorted set of blocks: by size, then address.
//
// The set is an array of sorted arrays of up to 32 blocks. Programs allocate
// and free blocks of the same sizes again and again, so most searches stay in
// few cache lines. Sizes have an array of their own: a search reads them alone,
// and addresses only among blocks of one size.

#ifndef MEMKIT_LIB_SIMULATE_FREEBLOCKS_H
#define MEMKIT_LIB_SIMULATE_FREEBLOCKS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace memkit {

/// A block in FreeBlocks. Size and address together name a block.
struct FreeBlock {
  uint64_t Size = 0, Address = 0; ///< bytes
  uint32_t Block = 0;             ///< the caller's number
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
  uint64_t size(FreePlace P) const { return Chunks[P.Chunk]->Sizes[P.At]; }
  uint32_t block(FreePlace P) const {
    return Chunks[P.Chunk]->Blocks[P.At].Block;
  }
  FreePlace next(FreePlace P) const; ///< not of the end
  /// The last block. Not of an empty set.
  FreePlace largest() const {
    return {uint32_t(Chunks.size() - 1), Chunks.back()->Count - 1};
  }

  void insert(const FreeBlock &B);
  void erase(FreePlace P);
  /// Replaces the block at P. Faster than the other two where the new block has
  /// the same place, as what is left of the largest block often has.
  void replace(FreePlace P, const FreeBlock &By);
  /// The block must be in the set.
  void erase(uint64_t Size, uint64_t Address) { erase(find(Size, Address)); }
  /// Smallest first. Do must not change the set.
  void forEach(llvm::function_ref<void(const FreeBlock &)> Do) const;

private:
  static constexpr uint32_t MaxCount = 32;
  static constexpr uint64_t NoSize = UINT64_MAX;
  struct BlockPlace {
    uint64_t Address;
    uint32_t Block;
  };
  /// Never empty.
  struct FreeChunk {
    FreeChunk() { std::fill_n(Sizes, MaxCount, NoSize); }
    uint32_t Count = 0;
    uint64_t Sizes[MaxCount]; ///< behind Count: NoSize
    BlockPlace Blocks[MaxCount];
  };
  bool fits(FreePlace P, const FreeBlock &By) const;
  static uint32_t firstOf(const FreeChunk &In, uint64_t Size);
  size_t findChunk(uint64_t Size, uint64_t Address) const;
  void noteLast(size_t Chunk) {
    LastSizes[Chunk] = Chunks[Chunk]->Sizes[Chunks[Chunk]->Count - 1];
  }
  void divide(size_t Chunk);

  std::vector<std::unique_ptr<FreeChunk>> Chunks;
  std::vector<uint64_t> LastSizes; ///< of each chunk
};

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_FREEBLOCKS_H
