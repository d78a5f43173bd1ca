// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The live blocks of a recording that is being imported.

#ifndef MEMKIT_LIB_IMPORT_BLOCKTABLE_H
#define MEMKIT_LIB_IMPORT_BLOCKTABLE_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <optional>

namespace memkit {

/// Live blocks by their address, for formats whose frees name an address. A
/// free takes the block out of the table, so no block is freed twice. Memory:
/// about 32 bytes for each live block.
class BlockTable {
public:
  struct Entry {
    uint64_t Block = 0; ///< TraceBuilder::allocate()
    uint64_t Size = 0;
  };
  /// Adds the block at Address. The block that the table has there already:
  /// the recording has missed its free.
  std::optional<Entry> add(uint64_t Address, Entry E) {
    auto [It, New] = Blocks.try_emplace(Address ^ Flip, E);
    if (New)
      return std::nullopt;
    return std::exchange(It->second, E);
  }
  /// Takes out the block at Address; none: the recording has no such block.
  std::optional<Entry> take(uint64_t Address) {
    auto It = Blocks.find(Address ^ Flip);
    if (It == Blocks.end())
      return std::nullopt;
    Entry E = It->second;
    Blocks.erase(It);
    return E;
  }
  Entry *find(uint64_t Address) {
    auto It = Blocks.find(Address ^ Flip);
    return It == Blocks.end() ? nullptr : &It->second;
  }
  size_t size() const { return Blocks.size(); }
  auto begin() const { return Blocks.begin(); }
  auto end() const { return Blocks.end(); }
  /// The address of an entry of begin() to end().
  static uint64_t addressOf(uint64_t Key) { return Key ^ Flip; }
  /// Whether a table can hold the address: two values are the map's own.
  static bool takes(uint64_t Address) {
    return (Address ^ Flip) < ~uint64_t(1);
  }

  /// Moves the map's two reserved keys away from -1 and -2, which files have.
  static constexpr uint64_t Flip = 0x5555000000000000;

private:
  llvm::DenseMap<uint64_t, Entry> Blocks;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_BLOCKTABLE_H
