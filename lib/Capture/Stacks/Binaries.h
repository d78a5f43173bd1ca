// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binaries that own addresses.
//
// Finds the binary that owns an address: asks the loader, without a lock, about
// a new address, adds a new binary to the shared table, and finds the binary's
// unwind tables.
//
// An unloaded binary is marked, and its id is used again only for the same file
// (by path and build-id) at the same place. The mark is set when the loader
// frees the link_map. The loader does this after unmapping the binary, and
// before releasing the lock without which no other binary can be loaded at the
// same place. So no address is ever taken for another binary's, whether dlclose
// or glibc itself unloads the binary.

#ifndef MEMKIT_CAPTURE_STACKS_BINARIES_H
#define MEMKIT_CAPTURE_STACKS_BINARIES_H

#include "Loader.h"
#include "Runtime/Pieces.h"
#include "Unwind/EhFrame.h"

namespace memkit::capture {

class Binaries {
public:
  bool begin(int Fd, const wire::Regions &R, wire::Control &C,
             FindObjectFn Find);

  /// The id of the binary that owns \p Pc; 0: none, or no room. Any thread.
  uint32_t binaryOf(uint64_t Pc);

  /// The unwind tables of binary \p Id, which owns the address in question; not
  /// usable if the binary has none.
  const EhFrame &tablesOf(uint32_t Id) const { return List[Id].Tables; }

  /// Ids of codes, [First, End): the earlier codes of a binary that was
  /// unloaded and loaded again. Empty for a binary that was never unloaded.
  struct CodeRange {
    uint32_t First, End;
  };
  CodeRange oldCodes(uint32_t Id) const {
    return {List[Id].FirstCode, List[Id].EndCode};
  }

  /// Marks the binary with the link_map as unloaded; false: none.
  bool markGone(const void *LinkMap, AddressRange &Where);

  /// Marks one binary that the loader no longer has at its place; false: none.
  /// One thread at a time.
  bool markOneGone(AddressRange &Where);

private:
  struct KnownBinary {
    uint64_t Start;
    uint64_t End;
    const void *LinkMap;
    std::atomic<uint32_t> Live;
    uint32_t FirstCode, EndCode; ///< see oldCodes()
    EhFrame Tables;
  };
  static constexpr uint32_t NumHints = 256;

  uint32_t next() const;
  std::atomic<uint32_t> &hint(const void *LinkMap) {
    return Hints[uintptr_t(LinkMap) / 64 % NumHints];
  }
  uint32_t findKnown(const FoundObject &O);
  uint32_t resume(const FoundObject &O);
  bool lock();
  bool add(const FoundObject &O, uint32_t Seen, uint32_t &Id);
  void enter(uint32_t Id, wire::MappedBinary &M, const FoundObject &O);
  bool stillThere(const KnownBinary &K) const;
  bool mark(uint32_t Id, AddressRange &Where);

  wire::Control *Ctl = nullptr;
  FindObjectFn FindObject = nullptr;
  KnownBinary *List = nullptr; ///< by id
  uint32_t MaxKnown = 0;
  std::atomic<uint32_t> Lock{0};
  std::atomic<uint32_t> NumFreed{0};     ///< calls of markGone
  std::atomic<uint32_t> Hints[NumHints]; ///< by link_map: the id to try first
  Pieces<wire::MappedBinary, 64> Table;
};

/// Is \p Pc in this library?
bool isOwnCode(uintptr_t Pc);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_BINARIES_H
