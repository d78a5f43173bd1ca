// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of jemalloc in a program that runs.
//
// A tree leads from a page to its extent (include/jemalloc/internal/rtree.h):
// for addresses of 48 bits two levels of 18 bits, and an entry of a leaf is one
// word, the extent's address with flags in the low 6 and the size class in the
// high 16 bits; for 57 bits three levels of 15 bits, and an entry is the
// address and a word of flags. All pages of a slab have an entry, of other
// extents the first and the last.
//
// An extent (edata.h, before 5.3 extent_structs.h), in words: fields of bits;
// the address; the size, with a number in the low 12 bits; five words that
// differ by version; of a slab 8 words of bits, 1: the place is free.

#include "Census/JemallocWalk.h"
#include "Census/TargetFile.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;
using namespace memkit;

namespace {

/// The tree's levels, from the root on.
struct TreeShape {
  struct TreeLevel {
    unsigned Shift, Bits; ///< of an address: the index
  };
  std::array<TreeLevel, 3> Levels;
  unsigned NumLevels;
  uint64_t EntryBytes; ///< of a leaf
  uint64_t Pointer;    ///< the bits of an entry that are an extent's address

  uint64_t bytesOf(unsigned Level) const {
    return (Level + 1 == NumLevels ? EntryBytes : 8) << Levels[Level].Bits;
  }
};

constexpr TreeShape Narrow = {
    {{{30, 18}, {12, 18}, {0, 0}}}, 2, 8, 0x0000'ffff'ffff'ffc0};
constexpr TreeShape Wide = {
    {{{42, 15}, {27, 15}, {12, 15}}}, 3, 16, 0x00ff'ffff'ffff'ffc0};

const TreeShape &shapeOf(bool IsWide) { return IsWide ? Wide : Narrow; }

uint64_t indexIn(const TreeShape::TreeLevel &L, uint64_t Address) {
  return Address >> L.Shift & ((uint64_t(1) << L.Bits) - 1);
}

constexpr uint64_t NodeAlign = 64; ///< of addresses of the tree's nodes

constexpr unsigned NumClasses = 232;

/// The bytes of a size class: 8, 16, 32, 48, 64, then four for each doubling
/// (sc.h).
uint64_t classBytes(uint64_t Class) {
  if (!Class)
    return 8;
  uint64_t Group = (Class - 1) / 4, Step = (Class - 1) % 4 + 1;
  return Group ? (uint64_t(64) << (Group - 1)) +
                     (uint64_t(16) << (Group - 1)) * Step
               : 16 * Step;
}

constexpr uint64_t pageOf(uint64_t Address) {
  return alignDown(Address, TargetPage);
}

class TreeSearch {
public:
  TreeSearch(const TargetMemory &Memory, ArrayRef<TargetMap> Maps)
      : Memory(Memory), Maps(Maps) {}

  /// The tree whose root lies in a binary's data from Begin to End.
  std::optional<FoundJemalloc> search(uint64_t Begin, uint64_t End) {
    std::optional<FoundJemalloc> Found;
    forEachTouched(Memory, Begin, End, [&](uint64_t From, uint64_t Size) {
      if (Found)
        return;
      std::vector<uint8_t> Bytes = Memory.readUpTo(From, size_t(Size));
      for (size_t At = 0; At + 8 <= Bytes.size() && !Found; At += 8)
        for (bool IsWide : {false, true}) {
          uint64_t RootBytes = shapeOf(IsWide).bytesOf(0);
          uint64_t Node = wordAt(Bytes, At);
          if (End - Begin < RootBytes || !mayBeEntry(Bytes, At) ||
              (Node >= Begin && Node < End) || Tried[IsWide].contains(Node))
            continue;
          uint64_t Root = rootAround(From + At, Node, shapeOf(IsWide));
          if (!Root)
            Tried[IsWide].insert(Node);
          else if (Root >= Begin && Root + RootBytes <= End)
            Found = FoundJemalloc{nullptr, Root, IsWide};
        }
    });
    return Found;
  }

private:
  /// Whether a root may have the word at At: the words around it are 0 or
  /// addresses of nodes. Most data are not so, and this takes no system call.
  static bool mayBeEntry(ArrayRef<uint8_t> Bytes, size_t At) {
    constexpr size_t Around = 8 * 8;
    if (!wordAt(Bytes, At))
      return false;
    for (size_t O = At - std::min(At, Around); O <= At + Around; O += 8)
      if (wordAt(Bytes, O) % NodeAlign)
        return false;
    return true;
  }
  /// The root with the word at At that leads to Node; 0: there is none.
  uint64_t rootAround(uint64_t At, uint64_t Node, const TreeShape &Shape) {
    uint64_t Low = 0; // of the address of the page: what the way tells
    for (unsigned L = 1; L != Shape.NumLevels; ++L) {
      if (!Node || Node % NodeAlign || !isRoom(Node, Shape.bytesOf(L)))
        return 0;
      bool IsLeaf = L + 1 == Shape.NumLevels;
      uint64_t Step = IsLeaf ? Shape.EntryBytes : 8, Index = 0;
      Node = firstPointer(Node, Shape.bytesOf(L), Step,
                          IsLeaf ? Shape.Pointer : ~uint64_t(0), Index);
      Low |= Index << Shape.Levels[L].Shift;
    }
    // Node is an extent's address now.
    uint64_t E[3];
    if (!Node || !isRoom(Node, sizeof(E)) || !Memory.read(Node, E))
      return 0;
    const TreeShape::TreeLevel &Root = Shape.Levels[0];
    uint64_t Page = (E[1] >> Root.Shift << Root.Shift) | Low,
             Size = pageOf(E[2]);
    // Page - a page before the extent's wraps around.
    if (!isRoom(E[1], 1) || Page - pageOf(E[1]) >= Size)
      return 0;
    return At - 8 * indexIn(Root, Page);
  }
  /// The first word of the node at Node that has bits of Mask, every Step
  /// bytes, and its index; 0: there is none.
  uint64_t firstPointer(uint64_t Node, uint64_t Size, uint64_t Step,
                        uint64_t Mask, uint64_t &Index) {
    constexpr uint64_t AtOnce = 64 << 10;
    for (uint64_t At = Node, To = Node + Size; At < To;) {
      uint64_t Next = To;
      for (auto [Start, Length] : Memory.touched(At, To, Next))
        for (uint64_t P = Start; P < Start + Length; P += AtOnce) {
          uint64_t From = std::max(P, Node);
          ArrayRef<uint8_t> Bytes = Memory.readUpTo(
              From, size_t(std::min({P + AtOnce, Start + Length, To}) - From),
              Buffer);
          for (uint64_t O = alignTo(From - Node, Step) - (From - Node);
               O + 8 <= Bytes.size(); O += Step)
            if (uint64_t V = wordAt(Bytes, O) & Mask) {
              Index = (From + O - Node) / Step;
              return V;
            }
        }
      if (Next <= At)
        return 0;
      At = Next;
    }
    return 0;
  }
  /// Whether the bytes lie in memory that jemalloc may have from the kernel.
  bool isRoom(uint64_t At, uint64_t Bytes) const {
    const TargetMap *M = mapAt(Maps, At);
    // A program may name its memory.
    return M && !M->IsShared && M->End - At >= Bytes &&
           (M->Path.empty() || StringRef(M->Path).starts_with("[anon"));
  }

  const TargetMemory &Memory;
  ArrayRef<TargetMap> Maps;
  std::vector<uint8_t> Buffer;
  DenseSet<uint64_t> Tried[2]; ///< nodes of no tree, by shape
};

} // namespace

std::vector<FoundJemalloc> memkit::findJemalloc(const TargetMemory &Memory,
                                                ArrayRef<TargetMap> Maps) {
  constexpr uint64_t MaxDataBytes = 256 << 20;
  std::vector<FoundJemalloc> Found;
  TreeSearch Search(Memory, Maps);
  for (size_t I = 0; I != Maps.size(); ++I) {
    const TargetMap &M = Maps[I];
    if (!M.IsWritable || M.IsShared || !M.Inode)
      continue;
    // The zeros behind the data are a mapping of their own.
    bool HasZeros = I + 1 != Maps.size() && Maps[I + 1].Start == M.End &&
                    Maps[I + 1].IsWritable && Maps[I + 1].Path.empty();
    // The kernel may have joined them with memory behind them.
    uint64_t End = M.End;
    if (HasZeros)
      End = std::clamp(alignTo(endOfImage(Memory, Maps, M), TargetPage), M.End,
                       Maps[I + 1].End);
    if (std::optional<FoundJemalloc> F =
            Search.search(M.Start, std::min(End, M.Start + MaxDataBytes))) {
      F->Data = &M;
      Found.push_back(*F);
    }
  }
  return Found;
}

/// Where an extent's fields lie in its first word. Bit 12 says whether it is a
/// slab; the size class has 8 bits, the number of free places 10.
struct JemallocWalk::FieldsOfVersion {
  unsigned State, StateBits, Class, Free;

  static bool isSlab(const PageExtent &E) { return E[0] >> 12 & 1; }
  uint64_t state(const PageExtent &E) const {
    return E[0] >> State & ((1u << StateBits) - 1);
  }
  uint64_t sizeClass(const PageExtent &E) const { return E[0] >> Class & 0xff; }
  uint64_t free(const PageExtent &E) const { return E[0] >> Free & 0x3ff; }
};

// From 5.3, 5.1, 5.0 on.
const JemallocWalk::FieldsOfVersion JemallocWalk::Versions[] = {
    {17, 3, 20, 28}, {16, 2, 18, 26}, {15, 2, 17, 25}};

enum : uint64_t { StateActive, StateDirty, StateMuzzy };
static constexpr unsigned FirstBits = 8, MaxPlaces = 512;

static uint64_t sizeOf(ArrayRef<uint64_t> Extent) { return pageOf(Extent[2]); }

/// Whether the place of a slab is free.
static bool isFree(ArrayRef<uint64_t> Extent, unsigned Place) {
  return Extent[FirstBits + Place / 64] >> (Place % 64) & 1;
}

static unsigned countFree(ArrayRef<uint64_t> Extent, unsigned Places) {
  unsigned Count = 0;
  for (unsigned I = 0; I != Places; ++I)
    Count += isFree(Extent, I);
  return Count;
}

/// The version with which most slabs are what they say.
void JemallocWalk::chooseVersion(ArrayRef<PageExtent> Extents) {
  constexpr unsigned Enough = 1000;
  unsigned Best = 0;
  for (const FieldsOfVersion &V : Versions) {
    unsigned Good = 0, Bad = 0;
    for (const PageExtent &E : Extents.take_back(Enough)) {
      if (!V.isSlab(E) || V.state(E) != StateActive)
        continue;
      uint64_t Class = V.sizeClass(E);
      uint64_t Places = Class < NumClasses ? sizeOf(E) / classBytes(Class) : 0;
      bool Is = Places && Places <= MaxPlaces &&
                countFree(E, unsigned(Places)) == V.free(E);
      ++(Is ? Good : Bad);
    }
    // The program may change some meanwhile.
    if (Good > Best && Good / 4 >= Bad) {
      Best = Good;
      Version = &V;
    }
  }
}

void JemallocWalk::takeSlab(const PageExtent &E, uint64_t Bytes,
                            uint64_t Size) {
  unsigned Places = unsigned(std::min<uint64_t>(Size / Bytes, MaxPlaces));
  for (unsigned I = 0; I != Places; ++I)
    if (isFree(E, I))
      FreeBytes += Bytes;
    else
      Live.push_back({E[1] + I * Bytes, Bytes, MallocOwner});
}

/// From 5.3.1 on a large block may be smaller than its class: it has whole
/// pages, and where it does not begin with one another is for the offset.
static uint64_t largeBytes(ArrayRef<uint64_t> Extent, uint64_t OfClass) {
  uint64_t Size = sizeOf(Extent), Offset = Extent[1] % TargetPage;
  return std::min(OfClass,
                  Offset && Size > TargetPage ? Size - TargetPage : Size);
}

void JemallocWalk::take(const PageExtent &E) {
  uint64_t Size = sizeOf(E), Page = pageOf(E[1]);
  Ranges.push_back({Page, Page + Size});
  uint64_t State = Version->state(E);
  if (State == StateDirty || State == StateMuzzy)
    FreeBytes += Size;
  uint64_t Class = Version->sizeClass(E);
  const TargetMap *M = mapAt(Maps, E[1]);
  if (State != StateActive || Class >= NumClasses || !M || !M->IsWritable)
    return;
  if (Version->isSlab(E))
    takeSlab(E, classBytes(Class), Size);
  else
    Live.push_back({E[1], largeBytes(E, classBytes(Class)), MallocOwner});
}

/// jemalloc's own memory is in blocks of at least 2 MiB, aligned so, that begin
/// with their size and the address of the next one (base.h).
void JemallocWalk::markOwn(uint64_t Address) {
  constexpr uint64_t Align = 2 << 20, MaxSize = uint64_t(1) << 40;
  if (!OwnBlocks.insert(Address / Align).second)
    return;
  const TargetMap *M = mapAt(Maps, Address);
  for (uint64_t At = alignDown(Address, Align); M && At >= M->Start;
       At -= Align) {
    uint64_t Head[2];
    if (!Memory.read(At, Head))
      break;
    if (Head[0] && Head[0] % Align == 0 && Head[0] <= MaxSize &&
        At + Head[0] > Address && At + Head[0] <= M->End &&
        Head[1] % Align == 0) {
      Ranges.push_back({At, At + Head[0]});
      for (uint64_t P = At; P < At + Head[0]; P += Align)
        OwnBlocks.insert(P / Align);
      return;
    }
  }
  Ranges.push_back({pageOf(Address), pageOf(Address) + TargetPage});
}

/// Found: of a leaf.
void JemallocWalk::takeAll(ArrayRef<ExtentAt> Found) {
  std::vector<PageExtent> Extents(Found.size());
  std::vector<TargetMemory::Range> Places;
  Places.reserve(Found.size());
  for (const ExtentAt &F : Found)
    Places.push_back({F.At, sizeof(PageExtent)});
  if (!Memory.readAll(Places, reinterpret_cast<uint8_t *>(Extents.data()))) {
    // One is gone.
    for (size_t I = 0; I != Found.size(); ++I)
      if (!Memory.read(Found[I].At, Extents[I]))
        Extents[I] = {};
  }
  // An entry of a later page leads to the same extent. No extent is larger than
  // what a program can have.
  constexpr uint64_t MaxSize = uint64_t(1) << 56;
  for (size_t I = 0; I != Found.size(); ++I)
    if (sizeOf(Extents[I]) && sizeOf(Extents[I]) < MaxSize &&
        pageOf(Extents[I][1]) == Found[I].Page) {
      Waiting.push_back(Extents[I]);
      markOwn(Found[I].At);
    }
  if (!Version)
    chooseVersion(Waiting);
  if (!Version)
    return;
  for (const PageExtent &E : Waiting)
    take(E);
  Waiting.clear();
}

/// Base: the address of the first page.
void JemallocWalk::walkLeaf(uint64_t Leaf, uint64_t Base) {
  const TreeShape &Shape = shapeOf(Of.IsWide);
  uint64_t End = Leaf + Shape.bytesOf(Shape.NumLevels - 1), Last = 0;
  Ranges.push_back({pageOf(Leaf), alignTo(End, TargetPage)});
  std::vector<ExtentAt> Found;
  forEachTouched(Memory, pageOf(Leaf), End, [&](uint64_t From, uint64_t Size) {
    From = std::max(From, Leaf);
    std::vector<uint8_t> Bytes =
        Memory.readUpTo(From, size_t(std::min(Size, End - From)));
    for (uint64_t O = alignTo(From - Leaf, Shape.EntryBytes) - (From - Leaf);
         O + 8 <= Bytes.size(); O += Shape.EntryBytes) {
      uint64_t At = wordAt(Bytes, O) & Shape.Pointer;
      if (At && At != Last)
        Found.push_back(
            {Base + (From + O - Leaf) / Shape.EntryBytes * TargetPage,
             Last = At});
    }
  });
  takeAll(Found);
}

/// Base: the first address that the node stands for.
void JemallocWalk::walkNode(uint64_t Node, uint64_t Base, unsigned Level) {
  const TreeShape &Shape = shapeOf(Of.IsWide);
  if (Level + 1 == Shape.NumLevels)
    return walkLeaf(Node, Base);
  uint64_t End = Node + Shape.bytesOf(Level);
  Ranges.push_back({pageOf(Node), alignTo(End, TargetPage)});
  forEachTouched(Memory, pageOf(Node), End, [&](uint64_t From, uint64_t Size) {
    From = std::max(From, Node);
    std::vector<uint8_t> Bytes =
        Memory.readUpTo(From, size_t(std::min(Size, End - From)));
    for (uint64_t O = 0; O + 8 <= Bytes.size(); O += 8) {
      uint64_t Child = wordAt(Bytes, O);
      if (Child && Child % NodeAlign == 0 && Nodes.insert(Child).second)
        walkNode(Child,
                 Base + ((From + O - Node) / 8 << Shape.Levels[Level].Shift),
                 Level + 1);
    }
  });
}

bool JemallocWalk::walk() {
  walkNode(Of.Root, 0, 0);
  llvm::sort(Live, [](const FoundBlock &A, const FoundBlock &B) {
    return A.Address < B.Address;
  });
  return Version;
}
