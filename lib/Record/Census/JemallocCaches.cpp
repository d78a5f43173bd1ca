// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the threads of a program have freed, and jemalloc keeps for them.
//
// A thread has a table with three words for each size class
// (include/jemalloc/internal/cache_bin.h), the classes' lists lie one behind
// the other. From 5.3 on a list grows down: the address of its first block's
// place, a count of requests, and the low 16 bits of three addresses: the
// least full, the full and the empty list's. Before, it grows up to the block
// that was freed first: the numbers of the fewest and of all blocks, 4 bytes
// each, a count of requests, and the address behind the list.

#include "Census/JemallocCaches.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {

constexpr uint64_t BinBytes = 24, MaxListBytes = 1 << 16;
/// Tables have 36 bins or more; for some classes a program may switch them off.
constexpr unsigned FewestBins = 20, MostBins = 256;

/// The list of a size class.
struct CacheBin {
  uint64_t Begin = 0, End = 0; ///< addresses of the places of its blocks
  uint64_t Low = 0;            ///< the lowest place that is known to be its own
};

/// As from 5.3 on. False: there is none.
bool readDown(ArrayRef<uint8_t> Bytes, uint64_t At, CacheBin &To) {
  uint64_t Head = wordAt(Bytes, At), Low = wordAt(Bytes, At + 16);
  auto Full = uint16_t(Low >> 16), Empty = uint16_t(Low >> 32);
  // Modulo 64 KiB.
  auto Above = uint16_t(Head - Full), Size = uint16_t(Empty - Full);
  if (!Head || Head % 8 || Low % 8 || Full % 8 || Empty % 8 || !Size ||
      Above > Size)
    return false;
  To = {Head, Head + (Size - Above), Head - Above};
  return true;
}

/// As before 5.3.
bool readUp(ArrayRef<uint8_t> Bytes, uint64_t At, CacheBin &To) {
  uint64_t Counts = wordAt(Bytes, At), End = wordAt(Bytes, At + 16);
  auto Fewest = int32_t(Counts);
  auto All = uint32_t(Counts >> 32);
  if (!End || End % 8 || All > MaxListBytes / 8 || Fewest < -1 ||
      Fewest > int32_t(All))
    return false;
  To = {End - uint64_t(All) * 8, End, End - 8};
  return true;
}

/// Reads the bins of a table at an offset of Bytes.
template <class Read>
void readBins(ArrayRef<uint8_t> Bytes, uint64_t At, Read One,
              std::vector<CacheBin> &To) {
  To.clear();
  for (CacheBin B; To.size() != MostBins && One(Bytes, At, B); At += BinBytes) {
    if (!To.empty() &&
        (B.Begin < To.back().End || B.End - To.back().End > 2 * MaxListBytes))
      return;
    To.push_back(B);
  }
}

class CacheSearch {
public:
  explicit CacheSearch(const TargetMemory &Memory) : Memory(Memory) {}

  void search(uint64_t Begin, uint64_t End) {
    forEachTouched(Memory, Begin, End, [&](uint64_t From, uint64_t Size) {
      // A table may go over the end of what is read at once.
      ArrayRef<uint8_t> Bytes = Memory.readUpTo(
          From, size_t(std::min(Size + MostBins * BinBytes, End - From)),
          Buffer);
      for (uint64_t At = 0; At < Size && At + BinBytes <= Bytes.size();)
        At += searchAt(Bytes, At);
    });
  }
  std::vector<JemallocCache> Found;

private:
  /// Returns how many bytes have been looked at.
  uint64_t searchAt(ArrayRef<uint8_t> Bytes, uint64_t At) {
    readBins(Bytes, At, readDown, Bins);
    if (Bins.size() < FewestBins)
      readBins(Bytes, At, readUp, Bins);
    if (Bins.size() < FewestBins)
      return 8;
    JemallocCache C;
    C.List = Bins[0].Low;
    for (const CacheBin &B : Bins) {
      size_t First = C.Blocks.size();
      C.Blocks.resize(First + (B.End - B.Begin) / 8);
      if (!Memory.read(B.Begin, C.Blocks.data() + First, B.End - B.Begin))
        return 8;
    }
    Found.push_back(std::move(C));
    return Bins.size() * BinBytes;
  }

  const TargetMemory &Memory;
  std::vector<uint8_t> Buffer;
  std::vector<CacheBin> Bins;
};

} // namespace

std::vector<JemallocCache>
memkit::findJemallocCaches(const TargetMemory &Memory, ArrayRef<TargetMap> Maps,
                           ArrayRef<std::pair<uint64_t, uint64_t>> Taken) {
  CacheSearch Search(Memory);
  for (const TargetMap &M : Maps)
    if (M.IsWritable && !M.IsShared && !M.Inode)
      forEachBeside(Taken, M.Start, M.End, [&](uint64_t Begin, uint64_t End) {
        Search.search(Begin, End);
      });
  return std::move(Search.Found);
}
