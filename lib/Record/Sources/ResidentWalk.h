// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the resident pages of a process hold.

#ifndef MEMKIT_LIB_RECORD_SOURCES_RESIDENTWALK_H
#define MEMKIT_LIB_RECORD_SOURCES_RESIDENTWALK_H

#include "Shared/ResidentPages.h"
#include "Sources/LiveTable.h"
#include "Wire/HostRecords.h"
#include "memkit/Trace/Marks.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <vector>

namespace memkit {

/// Lays the live blocks of a process over its resident pages.
///
/// Each resident page counts once, for the first of these that is true: CUDA's
/// driver has pinned the page; a block of malloc is in the page; an object of
/// Python is; a recorded mapping or a stack has the page; an arena of malloc
/// has the page. A page with blocks is divided: the bytes of its blocks, and
/// the remainder. So the parts add up to all resident pages.
///
/// glibc maps its arenas without a call that memrec records: the arenas are
/// known by their pieces, or by the small blocks in an area that begins at a
/// multiple of 64 MiB. Another allocator's memory are the mappings that hold
/// blocks.
class ResidentWalk {
public:
  /// Inherits: a child of fork, whose parent's blocks are not known.
  ResidentWalk(ResidentPages Pages, bool Inherits);

  // First, on the recorder's thread.
  /// Before all blocks, which may lie in pinned memory.
  void addPinned(uint64_t Begin, uint64_t End, uint32_t Row);
  // A block takes 20 to 60 ns.
  void addBlock(uint64_t Address, const LiveEntry &E);
  /// The live bytes of malloc at the time of the pages. The blocks come later,
  /// when some are gone and others are new. IsSampled: few blocks come.
  void setLive(uint64_t Bytes, bool IsSampled) {
    Live = Bytes;
    OfSamples = IsSampled;
  }
  /// After all blocks.
  void addObject(uint64_t Address, const LiveEntry &E);
  /// A block that the program reports, of a heap that counts in the totals.
  void addReported(uint64_t Address, uint64_t Bytes);
  void addMapping(uint64_t Begin, uint64_t End, wire::MapClass Class,
                  const LiveEntry &E);
  /// Memory that memrec's library has mapped for itself.
  void addOwn(uint64_t Begin, uint64_t End) { Own.push_back({Begin, End}); }

  /// Then, on any thread: the parts.
  void finish();

  /// Bytes by ResidentPart.
  using PartBytes = std::array<uint64_t, NumResidentParts>;
  const PartBytes &parts() const { return Parts; }
  uint64_t swapped() const { return Swapped; }
  /// Bytes of malloc's blocks and of accessible mappings without a page, in
  /// memory or swapped out: the program has never touched them.
  uint64_t untouched() const { return NeverTouched; }

  /// An arena of malloc.
  struct ArenaPart {
    uint64_t Begin = 0;
    uint64_t Resident = 0, Live = 0;
    uint64_t PagesFree = 0; ///< resident pages without a block
    uint32_t Pieces = 0;
    /// The highest block of the newest piece with a block, which keeps glibc
    /// from giving back what is below.
    LiveEntry Top;
    uint32_t TopPiece = 0; ///< age of its piece; the oldest is 0
    uint64_t TopEnd = 0;
  };
  /// The most resident bytes first.
  const std::vector<ArenaPart> &arenas() const { return Arenas; }

  /// The mappings of a row of LiveStats.
  struct MappingPart {
    ResidentPart Part;
    uint32_t Row = 0;
    uint64_t Resident = 0, Size = 0, Blocks = 0;
  };
  /// The most resident bytes first.
  const std::vector<MappingPart> &mappings() const { return Touched; }

  /// A binary, a mapped file or shared memory with a name.
  struct ResidentFilePart {
    ResidentPart Part = ResidentPart::File;
    llvm::StringRef Path; ///< while this object lives
    uint64_t Resident = 0, Size = 0, Mappings = 0;
    uint64_t Written = 0; ///< resident pages that are the process's own copies
  };
  /// The most resident bytes first.
  const std::vector<ResidentFilePart> &files() const { return Files; }

  /// A mapping of class Reserved.
  struct ReservedPages {
    uint64_t Begin, Id; ///< of the mapping; Id: of its allocation
    /// Resident bytes that no block of malloc's, of Python's or of a pool has.
    uint64_t Bytes;
  };
  /// By rising address; those whose rows are known.
  const std::vector<ReservedPages> &reserved() const { return Reserved; }

private:
  struct LargeBlock {
    uint64_t Address;
    LiveEntry E;
    bool IsObject;
  };
  struct MappedRange {
    uint64_t Begin, End;
    wire::MapClass Class;
    uint32_t Row;
    uint64_t Id = 0; ///< of the allocation
    bool HasBlocks = false, HasObjects = false;
    uint64_t Resident = 0, Reported = 0; ///< bytes
    bool IsPinned = false;
  };
  void add(uint64_t Address, const LiveEntry &E, bool IsObject);
  uint64_t cover(const ResidentRange &R, uint64_t Begin, uint64_t End,
                 uint8_t Bit);
  struct PieceOfArena {
    uint32_t Arena = 0; ///< index in Arenas
    uint32_t Age = 0;   ///< the oldest is 0
  };
  void addArenas();
  PieceOfArena *pieceOf(const ResidentRange &R, uint64_t Address, bool Make);
  void addPiece(uint64_t Begin, uint32_t Arena, uint32_t Age);
  void noteInArena(PieceOfArena &Of, uint64_t Address, const LiveEntry &E,
                   uint64_t Bytes);
  void noteMappings();
  void dropOtherArenas();
  const MappedRange *mappingAt(uint64_t Address) const;
  void classify(const ResidentRange &R);
  void noteFile(const ResidentRange &R, ResidentPart Part, uint64_t Pages,
                uint64_t Written);
  void sortFiles();
  void classifyPrivate(const ResidentRange &R);
  ResidentPart partOf(const ResidentRange &R, const MappedRange *M,
                      const ArenaPart *A, uint64_t At) const;
  bool isOwn(uint64_t Address) const;
  uint64_t untouchedOf(const MappedRange &M) const;
  void listReserved();
  void sumMappings();
  void divideMalloc();
  uint64_t &part(ResidentPart P) { return Parts[size_t(P)]; }

  ResidentPages P;
  bool Inherits;
  const ResidentRange *Last = nullptr; ///< the range of the previous block
  std::vector<LargeBlock> Large;
  std::vector<MappedRange> Mapped, Pinned;
  std::vector<std::pair<uint64_t, uint64_t>> Own; ///< begin, end
  llvm::DenseMap<uint64_t, PieceOfArena> Pieces;  ///< by start
  std::vector<ArenaPart> Arenas;
  std::vector<MappingPart> Touched;
  std::vector<ReservedPages> Reserved;
  std::vector<ResidentFilePart>
      Files; ///< until finish() by ResidentRange::OfFile
  PartBytes Parts{};
  uint64_t Swapped = 0;
  uint64_t Live = 0; ///< setLive()
  bool OfSamples = false;
  uint64_t Untouched = 0;     ///< bytes of blocks without a resident page
  uint64_t SwappedBlocks = 0; ///< the part of Untouched that is swapped out
  uint64_t PinnedBlocks = 0;  ///< bytes of malloc's blocks in pinned pages
  uint64_t NeverTouched = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SOURCES_RESIDENTWALK_H
