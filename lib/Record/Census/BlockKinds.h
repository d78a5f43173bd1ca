// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the blocks of a program that runs hold, by their first words.

#ifndef MEMKIT_LIB_RECORD_CENSUS_BLOCKKINDS_H
#define MEMKIT_LIB_RECORD_CENSUS_BLOCKKINDS_H

#include "Record/Shared/TargetMemory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace memkit {

/// Names what begins at an address: an object of Python by its type, an object
/// of C++ by its virtual table's type information. Neither needs symbols.
/// Belongs to one thread.
class BlockKinds {
public:
  BlockKinds(const TargetMemory &Memory, llvm::ArrayRef<TargetMap> Maps)
      : Memory(Memory), Maps(Maps) {}

  enum Language : uint8_t { Unknown, Python, Cxx };
  struct BlockKind {
    uint32_t Name = 0; ///< of name()
    Language Of = Unknown;
    uint8_t Offset = 0; ///< where the object begins in its block
    explicit operator bool() const { return Of != Unknown; }
  };
  /// A block of at least LeastType bytes, where a type of Python may be; by
  /// rising address, before of(). Without, there is no Python.
  void addPlace(uint64_t Block) { Places.push_back(Block); }
  static constexpr uint64_t LeastType = 400;
  /// Bytes: the first ones of the block, at most FirstBytes are looked at.
  BlockKind of(llvm::ArrayRef<uint8_t> Bytes);
  static constexpr size_t FirstBytes = 56;
  const std::string &name(uint32_t Name) const { return Names[Name]; }
  /// The number of a name, which may be a new one.
  uint32_t numberOf(const std::string &Name);

private:
  /// A type object of Python, or a virtual table.
  struct Known {
    uint32_t Name = 0; ///< 0: the address is neither
    bool IsCollected = false, HasDictBefore = false; ///< of Python
  };
  const Known &typeAt(uint64_t Address);
  const Known &tableAt(uint64_t Address);
  bool readType(uint64_t Address, Known &To);
  bool mayBeType(uint64_t Address) const;
  bool readTable(uint64_t Address, Known &To);
  bool isTypeOfTypes(uint64_t Address, unsigned Depth);
  std::string text(uint64_t Address) const;
  const TargetMap *map(uint64_t Address) const { return mapAt(Maps, Address); }

  const TargetMemory &Memory;
  llvm::ArrayRef<TargetMap> Maps;
  std::vector<uint64_t> Places; ///< by address
  llvm::DenseMap<uint64_t, Known> Types, Tables;
  uint64_t TypeOfTypes = 0;
  llvm::StringMap<uint32_t> Numbers;
  std::vector<std::string> Names{""};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_BLOCKKINDS_H
