// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where glibc's malloc keeps its memory in a program that runs.
//
// `struct malloc_state` of malloc/malloc.c: a head that differs by version
// (lock, flags, fast bins), then in all versions
//
//   top, last_remainder, bins[254], binmap[4] (4 bytes each), next, next_free,
//   [attached_threads,] system_mem, max_system_mem

#include "Census/MallocFinder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <optional>

using namespace llvm;
using namespace memkit;

namespace {

constexpr unsigned NumBins = 127, FastBins = 10;
constexpr uint64_t Word = 8, BinsBytes = NumBins * 2 * Word;
constexpr uint64_t NextOffset = BinsBytes + 4 * 4; ///< from bins
/// Of the head: bins lie so far behind the structure's begin.
constexpr uint64_t LeastHead = 16, MostHead = 160, HeadWithFastBins = 104;
constexpr size_t MaxArenas = 1 << 16, MaxDataBytes = 64 << 20;

/// Writable data of a binary.
struct DataRange {
  uint64_t Start;
  std::vector<uint8_t> Bytes;

  uint64_t end() const { return Start + Bytes.size(); }
  uint64_t word(uint64_t At) const {
    uint64_t V = 0;
    if (At >= Start && At + Word <= end())
      std::memcpy(&V, Bytes.data() + (At - Start), Word);
    return V;
  }
  uint32_t half(uint64_t At) const { return uint32_t(word(At)); }
};

bool isSelf(const DataRange &D, uint64_t At) {
  return D.word(At) == At - 2 * Word && D.word(At + Word) == At - 2 * Word;
}

/// Whether all words of a table of bins at At are pointers, which nearly no
/// other memory has; Empty: the number of those that point at themselves.
bool mayBeBins(const DataRange &D, uint64_t At, unsigned &Empty) {
  Empty = 0;
  if (At + NextOffset + 6 * Word > D.end() || !D.word(At - 2 * Word))
    return false;
  for (unsigned I = NumBins; I--;) {
    uint64_t Bin = At + 2 * Word * I;
    if (!D.word(Bin) || !D.word(Bin + Word))
      return false;
    Empty += isSelf(D, Bin);
  }
  return true;
}

class MallocSearch {
public:
  MallocSearch(const TargetMemory &Memory, ArrayRef<TargetMap> Maps)
      : Memory(Memory), Maps(Maps) {}

  void search(const DataRange &D, std::vector<FoundMalloc> &To) {
    for (uint64_t At = alignTo(D.Start, Word) + 2 * Word;
         At + BinsBytes <= D.end(); At += Word) {
      // Most addresses are known after one look.
      if (!D.word(At + BinsBytes - Word) || !mayBeNext(D, At) ||
          !hasBins(D, At))
        continue;
      if (std::optional<FoundMalloc> Found = take(D, At)) {
        To.push_back(std::move(*Found));
        At += BinsBytes;
      }
    }
  }

private:
  /// Whether behind a table of bins at At the next arena is named: the main
  /// arena itself, or one in a heap.
  static bool mayBeNext(const DataRange &D, uint64_t At) {
    uint64_t Next = D.word(At + NextOffset);
    return isInHeap(Next) || (Next <= At - LeastHead && Next >= At - MostHead);
  }
  /// Whether a table of bins begins at At: bins are empty, or lists that lead
  /// back to them. A fragmented heap has few empty ones.
  bool hasBins(const DataRange &D, uint64_t At) const {
    constexpr unsigned Enough = 24;
    unsigned Good;
    if (!mayBeBins(D, At, Good))
      return false;
    // The program may change some lists meanwhile.
    constexpr unsigned MostWrong = 8;
    for (unsigned I = 0, Wrong = 0;
         I != NumBins && Good < Enough && Wrong != MostWrong; ++I) {
      uint64_t Bin = At + 2 * Word * I, Chunk = Bin - 2 * Word;
      if (isSelf(D, Bin))
        continue;
      // fd and bk stand behind a chunk's two words.
      bool IsList = read(D.word(Bin) + 3 * Word) == Chunk &&
                    read(D.word(Bin + Word) + 2 * Word) == Chunk;
      ++(IsList ? Good : Wrong);
    }
    return Good >= Enough;
  }
  uint64_t read(uint64_t At) const {
    uint64_t V = 0;
    Memory.read(At, V);
    return V;
  }
  /// Of an arena that is not the main one: it lies at the begin of a heap.
  static bool isInHeap(uint64_t At) {
    return At % HeapBytes >= 32 && At % HeapBytes < 256;
  }

  /// The main arena with bins at Bins, and those that it names.
  std::optional<FoundMalloc> take(const DataRange &D, uint64_t Bins) {
    std::vector<uint64_t> Others;
    uint64_t At = D.word(Bins + NextOffset);
    while (isInHeap(At) && Others.size() < MaxArenas &&
           !is_contained(Others, At)) {
      Others.push_back(At);
      At = nextOf(At, Others.size() == 1 ? guessHead(At) : Head);
      if (!At)
        return std::nullopt;
    }
    if (At > Bins - LeastHead || At + MostHead < Bins)
      return std::nullopt;
    Head = Bins - At;
    FoundMalloc Found;
    Found.Arenas.push_back(describe(At, /*IsMain=*/true));
    for (uint64_t Other : Others)
      Found.Arenas.push_back(describe(Other, /*IsMain=*/false));
    readParameters(D, At, Found);
    return Found;
  }

  /// The head of the arena at At; its bins show it.
  uint64_t guessHead(uint64_t At) {
    DataRange A{At, Memory.readUpTo(At, MostHead + NextOffset + 8 * Word)};
    for (uint64_t Try = LeastHead; Try <= MostHead; Try += Word)
      if (hasBins(A, At + Try))
        return Head = Try;
    return Head = 0;
  }
  uint64_t nextOf(uint64_t At, uint64_t Of) {
    return Of ? read(At + Of + NextOffset) : 0;
  }

  FoundArena describe(uint64_t At, bool IsMain) const {
    FoundArena A;
    A.At = At;
    A.IsMain = IsMain;
    uint64_t Bins = At + Head;
    A.Top = read(Bins - 2 * Word);
    // next, next_free, then with or without attached_threads.
    uint64_t Behind = Bins + NextOffset + 2 * Word;
    bool HasThreads = read(Behind) < 4096;
    A.System = read(Behind + (HasThreads ? Word : 0));
    A.End = Behind + (HasThreads ? 3 : 2) * Word;
    if (Head >= HeadWithFastBins)
      for (unsigned I = 0; I != FastBins; ++I)
        if (uint64_t First = read(Bins - (2 + FastBins - I) * Word))
          A.Fast.push_back(First);
    return A;
  }

  /// `struct malloc_par`, which lies beside the main arena: n_mmaps,
  /// n_mmaps_max, max_n_mmaps, no_dyn_threshold (4 bytes each), mmapped_mem,
  /// max_mmapped_mem, [max_total_mem,] sbrk_base.
  void readParameters(const DataRange &D, uint64_t Main,
                      FoundMalloc &To) const {
    constexpr uint64_t Reach = 16 << 10;
    constexpr uint32_t MaxMapped = 65536; // DEFAULT_MMAP_MAX
    // Advice to the kernel divides the break into several mappings.
    uint64_t Break = 0, BreakEnd = 0;
    for (const TargetMap &M : Maps)
      if (M.Path == "[heap]") {
        Break = Break ? Break : M.Start;
        BreakEnd = M.End;
      }
    uint64_t From = std::max(D.Start, Main - std::min(Main, Reach));
    for (uint64_t At = alignTo(From, 4);
         At < Main + Reach && At + 64 <= D.end(); At += 4) {
      if (D.half(At + 4) != MaxMapped || D.half(At) > D.half(At + 8) ||
          D.half(At + 8) > MaxMapped)
        continue;
      uint64_t Mapped = alignTo(At + 16, Word);
      uint64_t Start = 0;
      for (uint64_t I = 2; I <= 4 && Break && !Start; ++I)
        if (uint64_t V = D.word(Mapped + I * Word); V >= Break && V < BreakEnd)
          Start = V;
      if ((Break && !Start) || D.word(Mapped) > D.word(Mapped + Word))
        continue;
      To.KnowsMapped = true;
      To.MappedBlocks = D.half(At);
      To.MappedBytes = D.word(Mapped);
      To.BreakStart = Start;
      return;
    }
    To.BreakStart = Break;
  }

  const TargetMemory &Memory;
  ArrayRef<TargetMap> Maps;
  uint64_t Head = 0; ///< of the malloc that is being looked at
};

} // namespace

std::vector<FoundMalloc> memkit::findMalloc(const TargetMemory &Memory,
                                            ArrayRef<TargetMap> Maps) {
  std::vector<FoundMalloc> Found;
  MallocSearch F(Memory, Maps);
  // The main arena has values from the start on, so it is in a binary's file.
  for (const TargetMap &M : Maps)
    if (M.IsWritable && !M.IsShared && M.Inode &&
        M.End - M.Start <= MaxDataBytes)
      F.search({M.Start, Memory.readUpTo(M.Start, M.End - M.Start)}, Found);
  return Found;
}
