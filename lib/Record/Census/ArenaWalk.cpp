// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of glibc's malloc in a program that runs.
//
// A chunk begins with the size of the chunk before, valid if that is free, and
// its own size with three bits: 1, the chunk before is in use; 2, the chunk has
// a mapping of its own; 4, the arena is not the main one. The block begins
// behind these 16 bytes, and has the first 8 bytes of the next chunk, too.

#include "Census/ArenaWalk.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

namespace {

constexpr uint64_t HeaderBytes = 16, BlockAlign = 16, LeastChunk = 32;
constexpr uint64_t BeforeInUse = 1, HasMapping = 2, HeadBits = 7;
constexpr size_t WindowBytes = 1 << 20;

/// A thread's cache of freed blocks, `struct tcache_perthread_struct`: counts,
/// then the first block of each bin.
struct CacheLayout {
  uint64_t Chunk;   ///< size of the structure's chunk
  unsigned Entries; ///< offset of the first block of bin 0
  unsigned Bins;
};
constexpr CacheLayout CacheLayouts[] = {
    {0x250, 64, 64},  // 2.26 to 2.29: counts of one byte
    {0x290, 128, 64}, // 2.30 to 2.41
    {0x300, 152, 76}, // from 2.42 on: large blocks, too
    {0x310, 152, 76},
};
constexpr unsigned ExactBins = 64; ///< bin I has chunks of LeastChunk + 16 I
constexpr unsigned MaxInList = 1 << 16;

} // namespace

namespace memkit {

/// The chunks from one address on, read some at a time.
class ChunkWindow {
public:
  explicit ChunkWindow(const TargetMemory &Memory) : Memory(Memory) {}

  /// Reads anew from At on.
  void refill(uint64_t At, uint64_t End) {
    Start = At;
    Bytes = Memory.readUpTo(
        At, size_t(std::min<uint64_t>(WindowBytes, End - At)), Buffer);
  }
  bool has(uint64_t At, uint64_t Size) const {
    return At >= Start && At + Size <= Start + Bytes.size();
  }
  /// 0: not readable.
  uint64_t word(uint64_t At) const {
    if (has(At, 8))
      return wordAt(Bytes, At - Start);
    uint64_t V = 0;
    Memory.read(At, V);
    return V;
  }
  uint64_t start() const { return Start; }
  uint64_t end() const { return Start + Bytes.size(); }

private:
  const TargetMemory &Memory;
  uint64_t Start = 0;
  std::vector<uint8_t> Buffer;
  ArrayRef<uint8_t> Bytes;
};

} // namespace memkit

void ArenaWalk::walk() {
  for (const FoundArena &A : Of.Arenas)
    A.IsMain ? walkMain(A) : walkHeaps(A);
  llvm::sort(Ranges);
  findCached();
  dropCached();
  if (!Of.KnowsMapped || Of.MappedBlocks)
    walkMapped();
  llvm::sort(Ranges);
}

/// The end of the mappings that follow one another from Maps[I] on, all with
/// its name: advice to the kernel, as of huge pages, divides mappings.
static size_t endOfRun(ArrayRef<TargetMap> Maps, size_t I) {
  size_t End = I + 1;
  while (Maps[I].IsWritable && End != Maps.size() &&
         Maps[End].Start == Maps[End - 1].End &&
         Maps[End].Path == Maps[I].Path && Maps[End].IsWritable &&
         Maps[End].IsShared == Maps[I].IsShared)
    ++End;
  return End;
}

/// The main arena's memory is the break. Where the break could not grow, malloc
/// has mapped more; that is found by its top alone.
void ArenaWalk::walkMain(const FoundArena &A) {
  auto EndAt = [this](const TargetMap &M) {
    return Maps[endOfRun(Maps, size_t(&M - Maps.begin())) - 1].End;
  };
  const TargetMap *Break = mapAt(Maps, Of.BreakStart);
  uint64_t End = Of.BreakStart && Break ? EndAt(*Break) : 0;
  walkRange(alignTo(Of.BreakStart, BlockAlign), End, A.Top);
  const TargetMap *Last = mapAt(Maps, A.Top);
  if (Last && !(A.Top >= Of.BreakStart && A.Top < End))
    walkRange(Last->Start, EndAt(*Last), A.Top);
}

/// `heap_info`: the arena, the heap before, the size.
void ArenaWalk::walkHeaps(const FoundArena &A) {
  constexpr unsigned MaxHeaps = 1 << 16;
  uint64_t Heap = A.Top & ~(HeapBytes - 1);
  DenseSet<uint64_t> Seen; // a program may have destroyed the list
  for (unsigned I = 0; Heap && I != MaxHeaps; ++I) {
    uint64_t Info[3];
    if (!Seen.insert(Heap).second)
      return;
    if (!Memory.read(Heap, Info) || Info[0] != A.At || Info[2] > HeapBytes)
      return;
    bool IsFirst = A.At > Heap && A.At < Heap + HeapBytes;
    // The information has 32 bytes, from 2.35 on 48.
    uint64_t FirstArena = A.At & (HeapBytes - 1);
    uint64_t Begin = IsFirst ? alignTo(A.End, BlockAlign) : Heap + FirstArena;
    walkRange(Begin, Heap + Info[2], A.Top);
    if (Info[1] % HeapBytes)
      return;
    Heap = Info[1];
  }
}

/// The chunks from Begin to End; Top: may be the last one.
void ArenaWalk::walkRange(uint64_t Begin, uint64_t End, uint64_t Top) {
  if (Begin >= End)
    return;
  Ranges.push_back({Begin, End});
  ChunkWindow Window(Memory);
  uint64_t At = Begin;
  unsigned Tries = 0, Gaps = 0;
  while (At < End) {
    if (At == Top) {
      Total.TopBytes += End - At;
      return;
    }
    if (!Window.has(At, HeaderBytes))
      Window.refill(At, End);
    uint64_t Size = Window.word(At + 8) & ~HeadBits, Next = At + Size;
    bool IsGood = Size >= LeastChunk && Size % BlockAlign == 0 &&
                  Size < End - At && Next <= End - HeaderBytes;
    if (IsGood && Next != Top && !Window.has(Next, HeaderBytes))
      Window.refill(At, End);
    uint64_t NextHead = IsGood ? Window.word(Next + 8) : 0;
    uint64_t NextSize = NextHead & ~HeadBits;
    // The last chunks of memory that malloc has left have 16 bytes.
    IsGood &= NextSize >= BlockAlign && NextSize % BlockAlign == 0 &&
              Next + NextSize <= End;
    bool IsFree = IsGood && !(NextHead & BeforeInUse);
    IsGood &= !IsFree || Window.word(Next) == Size;
    if (!IsGood) {
      // The program may have joined or divided chunks meanwhile.
      constexpr unsigned MaxTries = 2;
      if (Tries++ < MaxTries) {
        Window.refill(At, End);
        continue;
      }
      // A heap of nonsense is not searched through to its end.
      constexpr unsigned MaxGaps = 1000;
      uint64_t On = ++Gaps == MaxGaps ? End : resync(At + BlockAlign, End, Top);
      Total.UnreadBytes += On - At;
      Unread.push_back({At, On});
      At = On;
      Tries = 0;
      continue;
    }
    Tries = 0;
    if (IsFree)
      Total.FreeBytes += Size;
    else
      takeChunk(At, Size);
    At = Next;
  }
}

/// The first address from At on where chunks follow one another.
uint64_t ArenaWalk::resync(uint64_t At, uint64_t End, uint64_t Top) const {
  constexpr unsigned Enough = 8;
  ChunkWindow Window(Memory);
  for (; At < End; At += BlockAlign) {
    if (!Window.has(At, HeaderBytes))
      Window.refill(At, End);
    if (!Window.has(At, HeaderBytes))
      return End;
    uint64_t Next = At;
    for (unsigned I = 0; I != Enough; ++I) {
      if (Next == Top)
        return At;
      if (Next > End - HeaderBytes)
        break;
      uint64_t Size = Window.word(Next + 8) & ~HeadBits;
      if (Size < LeastChunk || Size % BlockAlign ||
          Size > End - Next - HeaderBytes)
        break;
      bool IsFree = !(Window.word(Next + Size + 8) & BeforeInUse);
      if (IsFree && Window.word(Next + Size) != Size)
        break;
      Next += Size;
      if (I + 1 == Enough)
        return At;
    }
  }
  return End;
}

void ArenaWalk::takeChunk(uint64_t At, uint64_t Size) {
  Live.push_back({At + HeaderBytes, Size - 8});
  if (any_of(CacheLayouts,
             [=](const CacheLayout &L) { return L.Chunk == Size; }))
    Caches.push_back(At + HeaderBytes);
}

//===----------------------------------------------------------------------===//
// Freed blocks that look live
//===----------------------------------------------------------------------===//

bool ArenaWalk::isInArena(uint64_t At) const {
  auto It = partition_point(Ranges, [=](auto &R) { return R.second <= At; });
  return It != Ranges.end() && It->first <= At;
}

/// The size of the chunk of a block; 0: there is none.
uint64_t ArenaWalk::chunkOf(uint64_t Block) const {
  uint64_t Size = 0;
  if (Block % BlockAlign || !isInArena(Block - HeaderBytes) ||
      !Memory.read(Block - 8, Size))
    return 0;
  return Size & ~HeadBits;
}

/// Adds the blocks of a list; a block's first word leads to the next one, from
/// 2.32 on mixed with the block's address.
void ArenaWalk::follow(uint64_t Block, uint64_t Offset) {
  for (unsigned I = 0; I != MaxInList && Block; ++I) {
    uint64_t Next = 0;
    if (!chunkOf(Block) || !Memory.read(Block, Next))
      return;
    if (!Cached.insert(Block).second)
      return;
    uint64_t Clear = Next ^ (Block >> 12);
    auto IsBlock = [&](uint64_t V) { return !V || chunkOf(V + Offset); };
    Next = IsBlock(Clear) ? Clear : Next;
    Block = Next ? Next + Offset : 0;
  }
}

/// Whether the block holds a thread's cache: all lists begin with a block of
/// their size. Then follows the lists.
bool ArenaWalk::followCache(uint64_t Cache) {
  uint64_t Size = chunkOf(Cache);
  const auto *L = find_if(
      CacheLayouts, [=](const CacheLayout &C) { return C.Chunk == Size; });
  if (L == std::end(CacheLayouts))
    return false;
  std::vector<uint8_t> Bytes = Memory.readUpTo(Cache, size_t(Size - 8));
  if (Bytes.size() < L->Entries + 8 * L->Bins)
    return false;
  std::vector<uint64_t> First;
  for (unsigned I = 0; I != L->Bins; ++I) {
    uint64_t Block = wordAt(Bytes, L->Entries + 8 * I);
    if (!Block)
      continue;
    uint64_t Chunk = chunkOf(Block);
    if (!Chunk || (I < ExactBins && Chunk != LeastChunk + BlockAlign * I))
      return false;
    First.push_back(Block);
  }
  for (uint64_t Block : First)
    follow(Block, 0);
  return !First.empty();
}

void ArenaWalk::findCached() {
  for (uint64_t Cache : Caches)
    followCache(Cache);
  // Fast bins link chunks, not blocks.
  for (const FoundArena &A : Of.Arenas)
    for (uint64_t Chunk : A.Fast)
      follow(Chunk + HeaderBytes, HeaderBytes);
}

void ArenaWalk::dropCached() {
  erase_if(Live, [&](const FoundBlock &B) {
    if (!Cached.contains(B.Address))
      return false;
    Total.CachedBytes += B.Bytes;
    return true;
  });
}

//===----------------------------------------------------------------------===//
// Blocks with mappings of their own
//===----------------------------------------------------------------------===//

namespace {

/// A chunk with a mapping of its own.
struct MappedChunk {
  uint64_t At = 0;    ///< 0: there is none
  uint64_t Bytes = 0; ///< of the block
  uint64_t End = 0;   ///< of the mapping
};

} // namespace

/// The chunk that a page begins, or that begins in it for a block with an
/// alignment. Its first word is its distance from the mapping's begin,
/// from 2.43 on with a bit for huge pages; its size then leaves the header out.
static MappedChunk mappedChunk(ArrayRef<uint8_t> Bytes, uint64_t At,
                               uint64_t Begin, uint64_t End) {
  for (uint64_t Offset = 0; Offset < TargetPage;
       Offset = 2 * Offset + BlockAlign) {
    uint64_t Before = wordAt(Bytes, Offset) & ~uint64_t(1),
             Size = wordAt(Bytes, Offset + 8), Chunk = At + Offset;
    if ((Size & HeadBits) != HasMapping || (Size &= ~HeadBits) < LeastChunk ||
        Before % TargetPage != Offset || Before > Chunk - Begin ||
        Size > End - Chunk)
      continue;
    if ((Before + Size) % TargetPage == 0)
      return {Chunk, Size - HeaderBytes, Chunk + Size};
    if ((Before + Size + HeaderBytes) % TargetPage == 0 &&
        Size + HeaderBytes <= End - Chunk)
      return {Chunk, Size - 8, Chunk + Size + HeaderBytes};
  }
  return {};
}

/// The chunk of an aligned block, whose header stands before the block's begin;
/// that of the whole mapping stays where it was.
static MappedChunk alignedChunk(const TargetMemory &Memory,
                                const MappedChunk &Whole) {
  constexpr unsigned LeastLog = 5, MostLog = 30;
  for (unsigned Log = LeastLog; Log <= MostLog; ++Log) {
    uint64_t Block = alignTo(Whole.At + HeaderBytes, uint64_t(1) << Log),
             Chunk = Block - HeaderBytes, Words[2];
    if (Chunk == Whole.At)
      continue;
    if (Block >= Whole.End)
      break;
    if (!Memory.read(Chunk, Words))
      continue;
    uint64_t Size = Words[1] & ~HeadBits;
    if ((Words[0] & ~uint64_t(1)) != Chunk - Whole.At ||
        (Words[1] & HeadBits) != HasMapping)
      continue;
    if (Chunk + Size == Whole.End)
      return {Chunk, Size - HeaderBytes, Whole.End};
    if (Chunk + Size + HeaderBytes == Whole.End)
      return {Chunk, Size - 8, Whole.End};
  }
  return Whole;
}

void ArenaWalk::walkMapping(uint64_t Begin, uint64_t End) {
  uint64_t Next = Begin; // behind the last chunk
  std::vector<uint8_t> Buffer;
  forEachTouched(Memory, Begin, End, [&](uint64_t From, uint64_t Size) {
    for (uint64_t At = std::max(From, Next); At < From + Size;) {
      ArrayRef<uint8_t> Bytes = Memory.readUpTo(At, TargetPage, Buffer);
      MappedChunk Chunk = mappedChunk(Bytes, At, Begin, End);
      if (!Chunk.At) {
        At += TargetPage;
        continue;
      }
      if (Chunk.At == At)
        Chunk = alignedChunk(Memory, Chunk);
      Live.push_back({Chunk.At + HeaderBytes, Chunk.Bytes});
      Ranges.push_back({Chunk.At, Chunk.End});
      ++Total.MappedBlocks;
      Total.MappedBytes += Chunk.Bytes;
      At = Next = Chunk.End;
    }
  });
}

void ArenaWalk::walkMapped() {
  for (size_t I = 0, Next; I != Maps.size(); I = Next) {
    Next = endOfRun(Maps, I);
    const TargetMap &M = Maps[I];
    if (M.IsWritable && !M.IsShared && M.Path.empty() && !isInArena(M.Start))
      walkMapping(M.Start, Maps[Next - 1].End);
  }
}
