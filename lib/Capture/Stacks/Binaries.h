// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binaries that own addresses.
//
// Which binary of the program owns an address: asked of the loader without a
// lock when an address is new, entered in the shared table once, and where its
// unwind tables lie.
//
// A binary that is unloaded is marked, and its id is matched again only by the
// same file (by path and build-id) at the same place. Marking happens
// when the loader frees its link_map, which it does after it has unmapped the
// binary and before it lets go of the lock under which anything else could be
// loaded at the same place; so no address is ever taken for another binary's,
// whoever unloads (dlclose, or glibc itself).

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

  /// The unwind tables of binary \p Id, which owns the address that is looked
  /// up; not usable where there are none.
  const EhFrame &tablesOf(uint32_t Id) const { return List[Id].Tables; }

  /// Ids of codes, [First, End): where those of a binary stand that was
  /// unloaded and is loaded again, from the times before. Empty: it was not.
  struct CodeRange {
    uint32_t First, End;
  };
  CodeRange oldCodes(uint32_t Id) const {
    return {List[Id].FirstCode, List[Id].EndCode};
  }

  /// Marks the binary whose link_map this is; false: there is none.
  bool markGone(const void *LinkMap, AddressRange &Where);

  /// Marks one binary that is no longer where it was; false: there is none. One
  /// thread at a time.
  bool markOneGone(AddressRange &Where);

private:
  struct Known {
    uint64_t Start;
    uint64_t End;
    const void *LinkMap;
    std::atomic<uint32_t> Live;
    uint32_t FirstCode, EndCode; ///< see oldCodes; set while it is not live
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
  void enter(uint32_t Id, wire::Binary &M, const FoundObject &O);
  bool stillThere(const Known &K) const;
  bool mark(uint32_t Id, AddressRange &Where);

  wire::Control *Ctl = nullptr;
  FindObjectFn FindObject = nullptr;
  Known *List = nullptr; ///< by id
  uint32_t MaxKnown = 0;
  std::atomic<uint32_t> Lock{0};
  std::atomic<uint32_t> NumFreed{0};     ///< calls of markGone
  std::atomic<uint32_t> Hints[NumHints]; ///< by link_map: an id to try first
  Pieces<wire::Binary, 64> Table;
};

/// Does \p Pc lie in this library?
bool isOwnCode(uintptr_t Pc);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_STACKS_BINARIES_H
