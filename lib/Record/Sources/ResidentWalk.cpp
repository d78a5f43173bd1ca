// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the resident pages of a process hold.

#include "Sources/ResidentWalk.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

/// Blocks from here on wait for finish(): a block may have millions of pages.
/// glibc maps blocks from 128 KiB on alone, so smaller blocks show its arenas.
static constexpr uint64_t LargeBytes = 128 << 10;

ResidentWalk::ResidentWalk(ResidentPages Pages, bool Inherits)
    : P(std::move(Pages)), Inherits(Inherits) {
  addArenas();
}

void ResidentWalk::addPiece(uint64_t Begin, uint32_t Arena, uint32_t Age) {
  Pieces[Begin] = {Arena, Age};
  ++Arenas[Arena].Pieces;
}

/// Adds the arenas that the pages know, each with its pieces from the oldest
/// on.
void ResidentWalk::addArenas() {
  DenseMap<uint64_t, uint64_t> After; // a piece to the next newer one
  for (const ArenaPiece &A : P.Arenas)
    if (A.Before)
      After[A.Before] = A.Begin;
  for (const ArenaPiece &A : P.Arenas) {
    if (A.Before || Pieces.contains(A.Begin))
      continue;
    uint32_t Index = uint32_t(Arenas.size());
    Arenas.emplace_back().Begin = A.Begin;
    uint32_t Age = 0;
    // A damaged chain may have a loop.
    for (uint64_t At = A.Begin; At && !Pieces.contains(At);
         At = After.lookup(At))
      addPiece(At, Index, Age++);
  }
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void ResidentWalk::addPinned(uint64_t Begin, uint64_t End, uint32_t Row) {
  MappedRange M{Begin, End, wire::MapClass::Used, Row};
  M.IsPinned = true;
  for (uint64_t At = Begin; At < End;) {
    const ResidentRange *R = P.find(At);
    if (!R)
      break;
    uint64_t Until = std::min(R->End, End);
    for (; At < Until; At = (At / P.PageBytes + 1) * P.PageBytes) {
      uint8_t &Page = P.Pages[P.pageOf(*R, At)];
      if (Page & PB_Resident && !(Page & PB_Pinned)) {
        Page |= PB_Pinned;
        M.Resident += P.PageBytes;
      }
    }
  }
  Pinned.push_back(M);
}

void ResidentWalk::addBlock(uint64_t Address, const LiveEntry &E) {
  if (E.Size >= LargeBytes)
    Large.push_back({Address, E, false});
  else
    add(Address, E, false);
}

void ResidentWalk::addObject(uint64_t Address, const LiveEntry &E) {
  if (E.Size >= LargeBytes)
    Large.push_back({Address, E, true});
  else
    add(Address, E, true);
}

void ResidentWalk::addReported(uint64_t Address, uint64_t Bytes) {
  uint64_t End = Address + std::max<uint64_t>(Bytes, 1);
  for (uint64_t At = Address; At < End;) {
    const ResidentRange *R = P.find(At);
    if (!R)
      return;
    uint64_t Until = std::min(R->End, End);
    for (; At < Until; At = (At / P.PageBytes + 1) * P.PageBytes)
      P.Pages[P.pageOf(*R, At)] |= PB_Reported;
  }
}

void ResidentWalk::addMapping(uint64_t Begin, uint64_t End,
                              wire::MapClass Class, const LiveEntry &E) {
  Mapped.push_back({Begin, End, Class, E.Row, E.AllocationId});
}

/// Sets Bit in the pages of [Begin, End), and returns the bytes there that are
/// resident.
uint64_t ResidentWalk::cover(const ResidentRange &R, uint64_t Begin,
                             uint64_t End, uint8_t Bit) {
  uint64_t Bytes = 0;
  End = std::min(End, R.End);
  do {
    uint64_t PageEnd = (Begin / P.PageBytes + 1) * P.PageBytes;
    uint8_t &Page = P.Pages[P.pageOf(R, Begin)];
    uint64_t Here = std::min(PageEnd, End) - Begin;
    bool IsOther = Bit == PB_Object && Page & PB_Block;
    if (Page & PB_Pinned) {
      PinnedBlocks += Bit == PB_Block ? Here : 0;
      IsOther = true;
    }
    if (Page & PB_Resident && !IsOther) {
      Bytes += Here;
      Page |= Bit;
    }
    if (Page & PB_Swapped && Bit == PB_Block)
      SwappedBlocks += Here;
    Begin = PageEnd;
  } while (Begin < End);
  return Bytes;
}

void ResidentWalk::add(uint64_t Address, const LiveEntry &E, bool IsObject) {
  if (!Last || Address < Last->Begin || Address >= Last->End)
    Last = P.find(Address);
  if (!Last)
    return;
  // A block of 0 bytes has a page, too.
  uint64_t End = Address + std::max<uint64_t>(E.Size, 1);
  uint8_t Bit = IsObject ? PB_Object : PB_Block;
  uint64_t PinnedBefore = PinnedBlocks;
  uint64_t Bytes = cover(*Last, Address, End, Bit);
  // madvise() and others make several ranges of one mapping.
  for (uint64_t At = Last->End; At < End;) {
    const ResidentRange *Next = P.find(At);
    if (!Next)
      break;
    Bytes += cover(*Next, At, End, Bit);
    At = Next->End;
  }
  part(IsObject ? ResidentPart::Object : ResidentPart::Malloc) += Bytes;
  if (IsObject)
    return;
  uint64_t Touched = Bytes + PinnedBlocks - PinnedBefore;
  Untouched += E.Size - std::min(E.Size, Touched);
  if (PieceOfArena *Of = pieceOf(*Last, Address, E.Size < LargeBytes))
    noteInArena(*Of, Address, E, Bytes);
}

/// Make: a small block is there, so an arena is.
ResidentWalk::PieceOfArena *ResidentWalk::pieceOf(const ResidentRange &R,
                                                  uint64_t Address, bool Make) {
  uint64_t Begin;
  if (R.Kind == ResidentRange::Break)
    Begin = R.Begin;
  else if (R.Kind == ResidentRange::Anonymous)
    Begin = ArenaPiece::beginOf(Address);
  else
    return nullptr;
  auto It = Pieces.find(Begin);
  if (It != Pieces.end())
    return &It->second;
  if (!Make)
    return nullptr;
  Arenas.emplace_back().Begin = Begin;
  addPiece(Begin, uint32_t(Arenas.size() - 1), 0);
  return &Pieces[Begin];
}

void ResidentWalk::noteInArena(PieceOfArena &Of, uint64_t Address,
                               const LiveEntry &E, uint64_t Bytes) {
  ArenaPart &A = Arenas[Of.Arena];
  A.Live += Bytes;
  uint64_t End = Address + E.Size;
  if (std::pair(Of.Age, End) < std::pair(A.TopPiece, A.TopEnd))
    return;
  A.TopPiece = Of.Age;
  A.TopEnd = End;
  A.Top = E;
}

//===----------------------------------------------------------------------===//
// Mappings and arenas
//===----------------------------------------------------------------------===//

const ResidentWalk::MappedRange *
ResidentWalk::mappingAt(uint64_t Address) const {
  auto After = partition_point(
      Mapped, [Address](const MappedRange &M) { return M.Begin <= Address; });
  if (After == Mapped.begin())
    return nullptr;
  const MappedRange &M = *std::prev(After);
  return Address < M.End ? &M : nullptr;
}

bool ResidentWalk::isOwn(uint64_t Address) const {
  auto After = partition_point(
      Own, [Address](const auto &R) { return R.first <= Address; });
  return After != Own.begin() && Address < std::prev(After)->second;
}

/// Notes which mappings hold blocks, and which hold objects. An allocator may
/// have mappings without a live block, made by the same stacks.
void ResidentWalk::noteMappings() {
  DenseSet<uint32_t> RowsWithBlocks, RowsWithObjects;
  for (MappedRange &M : Mapped)
    for (uint64_t At = M.Begin; At < M.End;) {
      const ResidentRange *R = P.find(At);
      if (!R) {
        auto Next = partition_point(
            P.Ranges, [At](const ResidentRange &O) { return O.Begin <= At; });
        At = Next == P.Ranges.end() ? M.End : Next->Begin;
        continue;
      }
      size_t Begin = P.pageOf(*R, At),
             End = P.pageOf(*R, std::min(R->End, M.End) - 1) + 1;
      for (size_t I = Begin; I != End; ++I) {
        M.HasBlocks |= (P.Pages[I] & PB_Block) != 0;
        M.HasObjects |= (P.Pages[I] & PB_Object) != 0;
      }
      At = R->End;
    }
  for (const MappedRange &M : Mapped) {
    if (M.HasBlocks && M.Row)
      RowsWithBlocks.insert(M.Row);
    if (M.HasObjects && M.Row)
      RowsWithObjects.insert(M.Row);
  }
  for (MappedRange &M : Mapped) {
    M.HasBlocks |= RowsWithBlocks.contains(M.Row);
    M.HasObjects |= RowsWithObjects.contains(M.Row);
  }
}

/// Blocks of other allocators lie in recorded mappings, or in areas without
/// memory at the start of an arena.
void ResidentWalk::dropOtherArenas() {
  for (ArenaPart &A : Arenas) {
    const ResidentRange *R = P.find(A.Begin);
    bool IsArena =
        R && (R->Kind == ResidentRange::Break ||
              (R->Kind == ResidentRange::Anonymous && !mappingAt(A.Begin)));
    if (!IsArena)
      Pieces.erase(A.Begin);
  }
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

void ResidentWalk::finish() {
  for (const LargeBlock &B : Large)
    add(B.Address, B.E, B.IsObject);
  llvm::sort(Mapped, [](const MappedRange &A, const MappedRange &B) {
    return A.Begin < B.Begin;
  });
  llvm::sort(Own);
  noteMappings();
  dropOtherArenas();
  Files.resize(P.Files.size());
  for (const ResidentRange &R : P.Ranges)
    if (!R.IsReserved)
      classify(R);
  sortFiles();
  divideMalloc();
  part(ResidentPart::ObjectFree) -=
      std::min(part(ResidentPart::ObjectFree), part(ResidentPart::Object));
  llvm::erase_if(Arenas, [](const ArenaPart &A) { return !A.Resident; });
  llvm::sort(Arenas, [](const ArenaPart &A, const ArenaPart &B) {
    return A.Resident > B.Resident;
  });
  listReserved();
  sumMappings();
}

/// The memory of malloc was counted as free; a part of it lives. A block that
/// ended and another that began in its place, both during the walk, count
/// twice, so the live bytes are a bound.
void ResidentWalk::divideMalloc() {
  uint64_t &Free = part(ResidentPart::MallocFree);
  uint64_t &Touched = part(ResidentPart::Malloc);
  uint64_t Bound = Live - std::min(Live, Untouched + PinnedBlocks);
  Touched = std::min({OfSamples ? Bound : Touched, Bound, Free});
  Free -= Touched;
}

/// A range of one kind as a whole, or page by page.
void ResidentWalk::classify(const ResidentRange &R) {
  size_t Begin = R.FirstPage,
         End = Begin + size_t((R.End - R.Begin) / P.PageBytes);
  if (R.Kind == ResidentRange::Anonymous || R.Kind == ResidentRange::Break)
    return classifyPrivate(R);
  uint64_t Pages = 0, Written = 0;
  for (size_t I = Begin; I != End; ++I) {
    bool IsResident = P.Pages[I] & PB_Resident;
    if (P.Pages[I] & PB_Pinned)
      part(ResidentPart::Pinned) += P.PageBytes;
    // What malloc has mapped right behind a binary's data looks like its zeroed
    // data.
    else if (IsResident && P.Pages[I] & PB_Block)
      part(ResidentPart::MallocFree) += P.PageBytes;
    else if (IsResident && P.Pages[I] & PB_Object)
      part(ResidentPart::ObjectFree) += P.PageBytes;
    else if (IsResident) {
      ++Pages;
      Written += !(P.Pages[I] & PB_OfFile);
    }
    Swapped += P.Pages[I] & PB_Swapped ? P.PageBytes : 0;
  }
  static constexpr ResidentPart Of[] = {
      ResidentPart::Other,  ResidentPart::Other,   ResidentPart::Stack,
      ResidentPart::Module, ResidentPart::File,    ResidentPart::Shared,
      ResidentPart::Device, ResidentPart::Recorder};
  part(Of[R.Kind]) += Pages * P.PageBytes;
  if (R.Kind != ResidentRange::Recorder)
    noteFile(R, Of[R.Kind], Pages, Written);
}

void ResidentWalk::noteFile(const ResidentRange &R, ResidentPart Part,
                            uint64_t Pages, uint64_t Written) {
  if (!R.OfFile)
    return;
  ResidentFilePart &To = Files[R.OfFile];
  To.Part = Part;
  To.Path = P.Files[R.OfFile];
  To.Resident += Pages * P.PageBytes;
  To.Written += Written * P.PageBytes;
  To.Size += R.End - R.Begin;
  ++To.Mappings;
}

void ResidentWalk::sortFiles() {
  llvm::erase_if(Files, [](const ResidentFilePart &F) { return !F.Resident; });
  llvm::stable_sort(Files,
                    [](const ResidentFilePart &A, const ResidentFilePart &B) {
                      return A.Resident > B.Resident;
                    });
}

ResidentPart ResidentWalk::partOf(const ResidentRange &R, const MappedRange *M,
                                  const ArenaPart *A, uint64_t At) const {
  uint8_t Page = P.Pages[P.pageOf(R, At)];
  if (Page & PB_Pinned)
    return ResidentPart::Pinned;
  if (Page & PB_Block)
    return ResidentPart::MallocFree;
  if (Page & PB_Object)
    return ResidentPart::ObjectFree;
  if (Inherits && (Page & PB_Shared || (!M && A)))
    return ResidentPart::Inherited;
  if (M && M->HasObjects)
    return ResidentPart::ObjectFree;
  if (M && M->Class == wire::MapClass::Stack)
    return ResidentPart::Stack;
  if (M && M->HasBlocks)
    return ResidentPart::MallocFree;
  if (M && M->Class == wire::MapClass::Reserved)
    return ResidentPart::Reserved;
  if (A)
    return ResidentPart::MallocFree;
  if (M || R.Kind == ResidentRange::Break)
    return ResidentPart::Mapping;
  if (isOwn(At))
    return ResidentPart::Recorder;
  // Blocks of a private allocator, in a mapping from before the recording.
  if (Page & PB_Reported)
    return ResidentPart::Mapping;
  return Inherits ? ResidentPart::Inherited : ResidentPart::Other;
}

void ResidentWalk::classifyPrivate(const ResidentRange &R) {
  auto NextMapping = partition_point(
      Mapped, [&R](const MappedRange &M) { return M.End <= R.Begin; });
  ArenaPart *A = nullptr;
  uint64_t ArenaEnd = R.Begin; // where to look for the next arena
  for (uint64_t At = R.Begin; At != R.End; At += P.PageBytes) {
    while (NextMapping != Mapped.end() && NextMapping->End <= At)
      ++NextMapping;
    bool IsMapped = NextMapping != Mapped.end() && NextMapping->Begin <= At;
    if (At >= ArenaEnd) {
      PieceOfArena *Of = pieceOf(R, At, false);
      A = Of ? &Arenas[Of->Arena] : nullptr;
      ArenaEnd = R.Kind == ResidentRange::Break
                     ? R.End
                     : ArenaPiece::beginOf(At) + ArenaPiece::MaxBytes;
    }
    uint8_t Page = P.Pages[P.pageOf(R, At)];
    MappedRange *M = IsMapped ? &*NextMapping : nullptr;
    Swapped += Page & PB_Swapped ? P.PageBytes : 0;
    if (!(Page & PB_Resident))
      continue;
    part(partOf(R, M, A, At)) += P.PageBytes;
    if (Page & PB_Pinned)
      continue;
    if (M) {
      M->Resident += P.PageBytes;
      M->Reported += Page & PB_Reported ? P.PageBytes : 0;
    } else if (A) {
      A->Resident += P.PageBytes;
      A->PagesFree += Page & PB_Block ? 0 : P.PageBytes;
    }
  }
}

/// Shared anonymous memory is a mapping of the program, too.
uint64_t ResidentWalk::untouchedOf(const MappedRange &M) const {
  if (M.Class != wire::MapClass::Used || M.HasBlocks || M.HasObjects)
    return 0;
  uint64_t Bytes = 0;
  for (uint64_t At = M.Begin; At < M.End;) {
    const ResidentRange *R = P.find(At);
    if (!R)
      return 0;
    uint64_t End = std::min(R->End, M.End);
    for (; At < End; At += P.PageBytes)
      if (!(P.Pages[P.pageOf(*R, At)] & (PB_Resident | PB_Swapped)))
        Bytes += P.PageBytes;
  }
  return Bytes;
}

/// Before the mappings are summed.
void ResidentWalk::listReserved() {
  for (const MappedRange &M : Mapped)
    if (M.Class == wire::MapClass::Reserved && M.Row)
      Reserved.push_back(
          {M.Begin, M.Id,
           M.HasBlocks || M.HasObjects ? 0 : M.Resident - M.Reported});
}

/// Sums the mappings by row.
void ResidentWalk::sumMappings() {
  NeverTouched = Untouched - std::min(Untouched, SwappedBlocks);
  for (const MappedRange &M : Mapped)
    NeverTouched += untouchedOf(M);
  DenseMap<uint32_t, size_t> OfRow;
  llvm::append_range(Mapped, Pinned);
  for (const MappedRange &M : Mapped) {
    if (!M.Resident || !M.Row)
      continue;
    ResidentPart Part = M.IsPinned     ? ResidentPart::Pinned
                        : M.HasObjects ? ResidentPart::ObjectFree
                        : M.HasBlocks  ? ResidentPart::MallocFree
                        : M.Class == wire::MapClass::Stack ? ResidentPart::Stack
                        : M.Class == wire::MapClass::Reserved
                            ? ResidentPart::Reserved
                            : ResidentPart::Mapping;
    auto [It, New] = OfRow.try_emplace(M.Row, Touched.size());
    if (New) {
      Touched.emplace_back();
      Touched.back().Part = Part;
      Touched.back().Row = M.Row;
    }
    MappingPart &To = Touched[It->second];
    To.Resident += M.Resident;
    To.Size += M.End - M.Begin;
    ++To.Blocks;
  }
  llvm::sort(Touched, [](const MappingPart &A, const MappingPart &B) {
    return A.Resident > B.Resident;
  });
}
