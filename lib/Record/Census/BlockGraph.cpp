// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which block holds which, in a program that runs.

#include "Census/BlockGraph.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

static constexpr uint32_t NoBlock = ~0u;

void BlockGraph::setBlocks(std::vector<FoundBlock> Found) {
  llvm::sort(Found, [](const FoundBlock &A, const FoundBlock &B) {
    return A.Address < B.Address;
  });
  Blocks.reserve(Found.size());
  Starts.reserve(Found.size());
  uint64_t End = 0;
  for (const FoundBlock &F : Found) {
    // While the program runs, two may seem to overlap.
    if (F.Address < End)
      continue;
    End = F.Address + F.Bytes;
    Blocks.push_back({F.Address, F.Bytes, {}, F.Owner});
    Starts.push_back(F.Address);
  }
  EndOfAll = End;
  for (uint32_t I = 0; I != Blocks.size(); ++I) {
    const GraphBlock &B = Blocks[I];
    if (B.Bytes >= LargeBytes)
      Large.push_back(I);
    for (uint64_t G = B.Address / GranuleBytes;
         G <= (B.Address + std::min(B.Bytes, LargeBytes) - 1) / GranuleBytes;
         ++G) {
      auto [At, IsNew] = Granules.try_emplace(G, std::pair(I, I + 1));
      At->second.second = I + 1;
    }
  }
  readFirst();
}

/// The end of the first words of blocks that lie close to one another, from a
/// block on. What lies between them is read, too, but nothing else: it may
/// never have been touched.
uint64_t BlockGraph::neighboursOf(size_t First) const {
  constexpr uint64_t Window = 1 << 20, Gap = 2048;
  uint64_t End = 0;
  for (size_t I = First; I != Blocks.size(); ++I) {
    const GraphBlock &B = Blocks[I];
    if (End &&
        (B.Address > End + Gap || B.Address - Blocks[First].Address > Window))
      break;
    End = B.Address + std::min<uint64_t>(B.Bytes, BlockKinds::FirstBytes);
  }
  return End;
}

/// Names the blocks by their first words.
void BlockGraph::readFirst() {
  if (HasPython)
    for (const GraphBlock &B : Blocks)
      if (B.Bytes >= BlockKinds::LeastType)
        Kinds.addPlace(B.Address);
  std::vector<uint8_t> Buffer;
  ArrayRef<uint8_t> Bytes;
  uint64_t Start = 0, End = 0; // that were asked for
  for (size_t I = 0; I != Blocks.size(); ++I) {
    GraphBlock &B = Blocks[I];
    size_t Wanted = size_t(std::min<uint64_t>(B.Bytes, BlockKinds::FirstBytes));
    if (B.Address + Wanted > End) {
      Start = B.Address;
      End = neighboursOf(I);
      Bytes = Memory.readUpTo(Start, size_t(End - Start), Buffer);
    }
    if (B.Address + Wanted <= Start + Bytes.size())
      B.Is = Kinds.of(Bytes.slice(size_t(B.Address - Start), Wanted));
  }
}

/// The large block around the address.
uint32_t BlockGraph::inLarge(uint64_t Pointer) const {
  auto It = partition_point(
      Large, [&](uint32_t I) { return Blocks[I].Address <= Pointer; });
  if (It == Large.begin())
    return NoBlock;
  const GraphBlock &B = Blocks[*std::prev(It)];
  return Pointer - B.Address < B.Bytes ? *std::prev(It) : NoBlock;
}

uint32_t BlockGraph::indexOf(uint64_t Pointer) const {
  if (Blocks.empty() || Pointer < Starts.front() || Pointer >= EndOfAll)
    return NoBlock;
  // The blocks from the one that covers the granule's begin on.
  auto Found = Granules.find(Pointer / GranuleBytes);
  if (Found == Granules.end())
    return inLarge(Pointer);
  auto [First, Last] = Found->second;
  auto It =
      std::upper_bound(Starts.begin() + First, Starts.begin() + Last, Pointer);
  if (It == Starts.begin() + First)
    return inLarge(Pointer);
  const GraphBlock &B = Blocks[size_t(It - Starts.begin()) - 1];
  if (Pointer - B.Address >= B.Bytes)
    return NoBlock;
  // The collector's list leads to the bytes before an object.
  if (B.Is.Of == BlockKinds::Python && Pointer < B.Address + B.Is.Offset)
    return NoBlock;
  return uint32_t(&B - Blocks.data());
}

const BlockGraph::GraphBlock *BlockGraph::find(uint64_t Address) const {
  uint32_t I = indexOf(Address);
  return I == NoBlock ? nullptr : &Blocks[I];
}

//===----------------------------------------------------------------------===//
// The tree of names
//===----------------------------------------------------------------------===//

uint32_t BlockGraph::newNode(uint32_t Parent, StringRef Name) {
  Tree.push_back({Parent, Name.str(), ""});
  KindOfNode.push_back(0);
  return uint32_t(Tree.size() - 1);
}

/// The node of a block that one of node Parent holds. Memory of no known kind
/// belongs to its holder; what repeats itself, as a list or a tree of nodes,
/// stays where it began.
uint32_t BlockGraph::nodeBelow(uint32_t Parent, const GraphBlock &B) {
  if (!B.Is)
    return Parent;
  unsigned Depth = 0;
  for (uint32_t N = Parent; N; N = Tree[N].Parent, ++Depth)
    if (KindOfNode[N] == B.Is.Name)
      return N;
  if (Depth == MaxDepth || Tree.size() >= MaxNodes)
    return Parent;
  uint32_t &Node = Below[uint64_t(Parent) << 32 | B.Is.Name];
  if (!Node) {
    Node = newNode(Parent, Kinds.name(B.Is.Name));
    KindOfNode[Node] = B.Is.Name;
  }
  return Node;
}

uint32_t BlockGraph::rootOf(StringRef Name, StringRef File) {
  uint32_t &Root = Roots[(File + Twine('\0') + Name).str()];
  if (!Root) {
    Root = newNode(0, Name);
    Tree[Root].File = File.str();
  }
  return Root;
}

void BlockGraph::addRoot(uint64_t Pointer, StringRef Name, StringRef File) {
  uint32_t I = indexOf(Pointer);
  if (I == NoBlock || Blocks[I].Node || Tree.size() >= MaxNodes)
    return;
  uint32_t Root = rootOf(Name, File);
  if (!isBegin(Blocks[I], Pointer)) {
    if (!Blocks[I].Inner)
      Blocks[I].Inner = Root;
    return;
  }
  Blocks[I].Node = nodeBelow(Root, Blocks[I]);
  Waiting.push_back(I);
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

void BlockGraph::scanWords(ArrayRef<uint8_t> Bytes, const GraphBlock &From) {
  for (size_t At = 0; At + 8 <= Bytes.size(); At += 8) {
    uint64_t Word = wordAt(Bytes, At);
    uint32_t I = indexOf(Word);
    if (I == NoBlock)
      continue;
    GraphBlock &To = Blocks[I];
    if (To.Node)
      continue;
    if (!isBegin(To, Word)) {
      if (!To.Inner)
        To.Inner = From.Node;
      continue;
    }
    To.Node = nodeBelow(From.Node, To);
    Waiting.push_back(I);
  }
}

/// Whether a few samples of a large block hold a pointer: much data has none.
bool BlockGraph::mayPoint(const GraphBlock &B) {
  constexpr uint64_t Sample = 4096, Samples = 8;
  if (B.Bytes <= 2 * Sample * Samples) // soon read
    return true;
  for (uint64_t I = 0; I != Samples; ++I) {
    uint64_t At = alignDown((B.Bytes - Sample) / (Samples - 1) * I, 8);
    uint64_t Page = alignDown(B.Address + At, TargetPage), To;
    if (Memory.touched(Page, Page + TargetPage, To).empty())
      continue;
    // Not further than this page: the next one may not have been touched.
    ArrayRef<uint8_t> Bytes = Memory.readUpTo(
        B.Address + At, TargetPage - (B.Address + At) % TargetPage, Buffer);
    for (size_t W = 0; W + 8 <= Bytes.size(); W += 8)
      if (indexOf(wordAt(Bytes, W)) != NoBlock)
        return true;
  }
  return false;
}

/// Whether the block never holds a pointer that counts.
bool BlockGraph::isPlain(const GraphBlock &B) const {
  if (B.Is.Of != BlockKinds::Python)
    return false;
  StringRef Name = Kinds.name(B.Is.Name);
  return Name == "str" || Name == "bytes" || Name == "int" || Name == "float" ||
         Name.starts_with("weakref");
}

/// Bytes: the first ones of the block.
void BlockGraph::scanStart(ArrayRef<uint8_t> Bytes, const GraphBlock &B) {
  if (B.Is.Of == BlockKinds::Python) {
    // Not the collector's words, nor the count and the type.
    if (B.Is.Offset == 32)
      scanWords(Bytes.take_front(16), B);
    Bytes = Bytes.drop_front(std::min<size_t>(Bytes.size(), B.Is.Offset + 16));
  }
  scanWords(Bytes, B);
}

void BlockGraph::scanLarge(const GraphBlock &B) {
  if (!mayPoint(B)) {
    Skipped.push_back(uint32_t(&B - Blocks.data()));
    return;
  }
  scanWhole(B);
}

/// Of large blocks only the pages that the program has touched.
void BlockGraph::scanWhole(const GraphBlock &B) {
  uint64_t End = B.Address + B.Bytes;
  auto Scan = [&](uint64_t From, uint64_t Size) {
    uint64_t Begin = std::max(From, B.Address);
    ArrayRef<uint8_t> Bytes = Memory.readUpTo(
        Begin, size_t(std::min(From + Size, End) - Begin), Buffer);
    Begin == B.Address ? scanStart(Bytes, B) : scanWords(Bytes, B);
  };
  if (B.Bytes < LargeBytes)
    Scan(B.Address, B.Bytes);
  else
    forEachTouched(Memory, alignDown(B.Address, TargetPage),
                   alignTo(End, TargetPage), Scan);
}

/// Goes on from the blocks to whose middles pointers lead; false: there are
/// none.
bool BlockGraph::followInner() {
  for (uint32_t I = 0; I != Blocks.size(); ++I) {
    GraphBlock &B = Blocks[I];
    if (B.Node || !B.Inner)
      continue;
    B.Node = nodeBelow(B.Inner, B);
    Waiting.push_back(I);
  }
  bool HasMore = !Waiting.empty();
  follow();
  return HasMore;
}

/// Looks into the large blocks that seemed to have no pointers, as long as
/// there are blocks without a holder: one word among a million may lead to
/// them.
bool BlockGraph::followSkipped() {
  constexpr uint64_t MostBytes = uint64_t(4) << 30;
  if (Skipped.empty() ||
      none_of(Blocks, [](const GraphBlock &B) { return !B.Node; }))
    return false;
  uint64_t Bytes = 0;
  for (uint32_t I : std::exchange(Skipped, {}))
    if ((Bytes += Blocks[I].Bytes) <= MostBytes)
      scanWhole(Blocks[I]);
  follow();
  return true;
}

void BlockGraph::followAll() {
  follow();
  while (followInner() || followSkipped()) {
  }
}

void BlockGraph::follow() {
  // Small blocks are read many at a time.
  constexpr uint64_t Small = 4096;
  constexpr size_t MaxBatch = 512;
  std::vector<uint8_t> Bytes(MaxBatch * Small);
  std::vector<TargetMemory::Range> Ranges;
  std::vector<uint32_t> Batch;
  for (size_t Next = 0; Next != Waiting.size();) {
    Batch.clear();
    Ranges.clear();
    for (; Next != Waiting.size() && Batch.size() != MaxBatch; ++Next) {
      const GraphBlock &B = Blocks[Waiting[Next]];
      if (isPlain(B))
        continue;
      if (B.Bytes > Small) {
        scanLarge(B);
        continue;
      }
      Batch.push_back(Waiting[Next]);
      Ranges.push_back({B.Address, size_t(B.Bytes)});
    }
    bool IsRead = Memory.readAll(Ranges, Bytes.data());
    size_t At = 0;
    for (uint32_t I : Batch) {
      const GraphBlock &B = Blocks[I];
      if (!IsRead)
        scanLarge(B);
      else
        scanStart(ArrayRef(Bytes).slice(At, size_t(B.Bytes)), B);
      At += size_t(B.Bytes);
    }
  }
  Waiting.clear();
}
