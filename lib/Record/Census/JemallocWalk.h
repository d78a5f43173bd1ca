// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of jemalloc in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_JEMALLOCWALK_H
#define MEMKIT_LIB_RECORD_CENSUS_JEMALLOCWALK_H

#include "Record/Census/ArenaWalk.h"
#include <array>

namespace memkit {

/// A copy of jemalloc: a library, or a part of a binary.
struct FoundJemalloc {
  const TargetMap *Data = nullptr; ///< the binary's, of the mappings
  uint64_t Root = 0;   ///< of the tree that leads from a page to its extent
  bool IsWide = false; ///< made for addresses of 57 bits; else of 48
};

/// Finds the copies of jemalloc 5 by that tree: no symbol is needed.
std::vector<FoundJemalloc> findJemalloc(const TargetMemory &Memory,
                                        llvm::ArrayRef<TargetMap> Maps);

/// Walks from extent to extent while the program runs: what changes meanwhile
/// may be missing or be told as it was. Tried with jemalloc 5.1, 5.2.1, 5.3.0
/// and 5.3.1. Belongs to one thread.
class JemallocWalk {
public:
  JemallocWalk(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps,
               const FoundJemalloc &Of)
      : Memory(Memory), Maps(Maps), Of(Of) {}

  /// False: the structures are those of no version that is known.
  bool walk();

  /// The live blocks, by address. Also those that threads have freed, and keep.
  const std::vector<FoundBlock> &live() const { return Live; }
  /// Where extents and jemalloc's own memory are: begin and end, in any order.
  const std::vector<std::pair<uint64_t, uint64_t>> &ranges() const {
    return Ranges;
  }
  /// Bytes between blocks, and in extents that wait for the next use.
  uint64_t freeBytes() const { return FreeBytes; }

private:
  /// The words of a `struct edata_s`, before 5.3 `struct extent_s`.
  using PageExtent = std::array<uint64_t, 16>;
  struct ExtentAt {
    uint64_t Page, At; ///< addresses
  };
  struct FieldsOfVersion;
  static const FieldsOfVersion Versions[];

  void walkNode(uint64_t Node, uint64_t Base, unsigned Level);
  void walkLeaf(uint64_t Leaf, uint64_t Base);
  void takeAll(llvm::ArrayRef<ExtentAt> Found);
  void chooseVersion(llvm::ArrayRef<PageExtent> Extents);
  void take(const PageExtent &E);
  void takeSlab(const PageExtent &E, uint64_t Bytes, uint64_t Size);
  void markOwn(uint64_t Address);

  const TargetMemory &Memory;
  llvm::ArrayRef<TargetMap> Maps;
  const FoundJemalloc &Of;
  const FieldsOfVersion *Version = nullptr; ///< null: no slab was found yet
  std::vector<PageExtent> Waiting;          ///< for the version
  llvm::DenseSet<uint64_t> Nodes;           ///< that have been walked
  llvm::DenseSet<uint64_t> OwnBlocks;       ///< markOwn() has looked at
  std::vector<FoundBlock> Live;
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;
  uint64_t FreeBytes = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_JEMALLOCWALK_H
