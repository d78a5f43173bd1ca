// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small blocks of Python in a program that runs.
//
// `struct pool_header` of Objects/obmalloc.c: number of live blocks (4 bytes),
// the first free block (at 8), the next and the previous pool (16, 24), the
// arena's number (32), the size class (36), the offset of the first block that
// was never used (40), and the highest such offset (44). Blocks begin at 48. A
// free block's first word is the next one's address.

#include "Census/PythonPools.h"
#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

namespace {

constexpr uint64_t Overhead = 48;
constexpr uint64_t PoolSizes[] = {4096, 16384}; ///< to 3.9; from 3.10 on
constexpr unsigned MaxSize = 512;

struct PoolHeader {
  uint32_t Count, Unused;
  uint64_t Free, Next, Previous;
  uint32_t Arena, Class, NextOffset, MaxNextOffset;
};
static_assert(sizeof(PoolHeader) == Overhead);

/// The size of a pool's blocks; 0: the header is none of a pool at At.
unsigned blockSize(const PoolHeader &H, uint64_t At, uint64_t PoolSize) {
  // 16 bytes from 3.7 on, 8 before.
  for (unsigned Align : {16u, 8u}) {
    unsigned Size = (H.Class + 1) * Align;
    if (H.Class < MaxSize / Align && H.MaxNextOffset == PoolSize - Size &&
        H.NextOffset >= Overhead + Size && H.NextOffset <= PoolSize &&
        (H.NextOffset - Overhead) % Size == 0 && H.Count &&
        H.Count <= (H.NextOffset - Overhead) / Size &&
        (!H.Free || (H.Free >= At + Overhead && H.Free < At + PoolSize)))
      return Size;
  }
  return 0;
}

} // namespace

/// Takes the pool that begins at At; returns its size; 0: there is none.
uint64_t PythonPools::takePool(ArrayRef<uint8_t> Bytes, uint64_t At) {
  PoolHeader H;
  std::memcpy(&H, Bytes.data(), sizeof(H));
  for (uint64_t PoolSize : PoolSizes) {
    unsigned Size = At % PoolSize ? 0 : blockSize(H, At, PoolSize);
    if (!Size)
      continue;
    // A page of blocks may never have been touched.
    std::vector<uint8_t> Whole;
    if (Bytes.size() < H.NextOffset) {
      Whole = Memory.readUpTo(At, H.NextOffset);
      Bytes = Whole;
      if (Bytes.size() < H.NextOffset)
        continue;
    }
    unsigned Blocks = unsigned((H.NextOffset - Overhead) / Size);
    std::vector<bool> IsFree(Blocks);
    uint64_t Free = H.Free;
    for (unsigned I = 0; I != Blocks && Free; ++I) {
      uint64_t Offset = Free - At - Overhead;
      if (Free < At + Overhead || Offset % Size || Offset / Size >= Blocks)
        break;
      IsFree[Offset / Size] = true;
      std::memcpy(&Free, Bytes.data() + (Free - At), sizeof(Free));
    }
    uint64_t LiveBytes = 0;
    for (unsigned I = 0; I != Blocks; ++I)
      if (!IsFree[I]) {
        Live.push_back({At + Overhead + uint64_t(I) * Size, Size, PythonOwner});
        LiveBytes += Size;
      }
    FreeBytes += PoolSize - LiveBytes;
    ++NumPools;
    return PoolSize;
  }
  return 0;
}

void PythonPools::walk(ArrayRef<std::pair<uint64_t, uint64_t>> Taken) {
  std::vector<uint8_t> Buffer;
  for (const TargetMap &M : Maps) {
    if (!M.IsWritable || M.IsShared || !M.Path.empty())
      continue;
    forEachBeside(Taken, M.Start, M.End, [&](uint64_t At, uint64_t End) {
      // No pool lies over a multiple of MaxRun.
      forEachTouched(Memory, At, End, [&](uint64_t From, uint64_t Run) {
        ArrayRef<uint8_t> Bytes = Memory.readUpTo(From, size_t(Run), Buffer);
        for (uint64_t O = 0; O + TargetPage <= Bytes.size();) {
          uint64_t Size = takePool(Bytes.drop_front(O), From + O);
          O += Size ? Size : TargetPage;
        }
      });
    });
  }
}
