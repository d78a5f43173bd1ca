// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of stats and their lookup.

#include "memkit/Stats/StatsRows.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <new>
#include <sys/mman.h>

using namespace memkit;

/// Maps Size bytes of zeros at a multiple of Alignment.
static void *mapAligned(size_t Size, size_t Alignment) {
  void *Got = mmap(nullptr, Size + Alignment, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Got == MAP_FAILED)
    llvm::report_bad_alloc_error("no memory for sums");
  char *Begin = static_cast<char *>(Got);
  char *At = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(Begin), Alignment));
  if (At != Begin)
    munmap(Begin, At - Begin);
  if (At != Begin + Alignment)
    munmap(At + Size, Begin + Alignment - At);
  return At;
}

static constexpr size_t RowBytes = StatsRows::ChunkRows * sizeof(StatsRow);
static constexpr size_t RestBytes = StatsRows::ChunkRows * sizeof(StatsRowCold);

StatsRows::RowChunk StatsRows::mapChunk() const {
  RowChunk C;
  C.Rows = static_cast<StatsRow *>(mapAligned(RowBytes, RowBytes));
  C.Rests = static_cast<StatsRowCold *>(mapAligned(RestBytes, 4096));
  // Events touch rows at random, and large pages make the lookup of addresses
  // faster. A small number of rows does not need large pages.
  if (!Chunks.empty())
    madvise(C.Rows, RowBytes, MADV_HUGEPAGE);
  return C;
}

void StatsRows::addChunk() {
  Chunks.push_back(Ahead.Rows ? Ahead : mapChunk());
  Ahead = RowChunk();
}

/// Prepares the next chunk when half of the last is used.
void StatsRows::lookAhead() {
  Ahead = mapChunk();
  OnAhead(Ahead.Rows, RowBytes);
  OnAhead(Ahead.Rests, RestBytes);
}

StatsRows::~StatsRows() {
  if (Ahead.Rows)
    Chunks.push_back(Ahead);
  for (const RowChunk &C : Chunks) {
    munmap(C.Rows, RowBytes);
    munmap(C.Rests, RestBytes);
  }
}

size_t StatsRows::slot(const RowShard &S, uint64_t Hash, uint32_t Cell,
                       uint32_t Key) const {
  size_t Mask = S.Slots.size() - 1;
  size_t At = Hash & Mask;
  for (; S.Slots[At].Row; At = (At + 1) & Mask) {
    if (S.Slots[At].Hash != static_cast<uint32_t>(Hash))
      continue;
    const StatsRow &R = (*this)[S.Slots[At].Row];
    if (R.Key == Key && R.Cell == Cell)
      break;
  }
  return At;
}

void StatsRows::grow(RowShard &S) {
  std::vector<RowSlot> Old = std::move(S.Slots);
  S.Slots.assign(Old.empty() ? 16 : Old.size() * 2, RowSlot{0, 0});
  size_t Mask = S.Slots.size() - 1;
  for (RowSlot Moved : Old) {
    if (!Moved.Row)
      continue;
    size_t At = Moved.Hash & Mask;
    while (S.Slots[At].Row)
      At = (At + 1) & Mask;
    S.Slots[At] = Moved;
  }
}

void StatsRows::setFirst(uint32_t Key, uint32_t Row) {
  size_t Piece = Key >> FirstBits;
  if (Piece >= Firsts.size())
    Firsts.resize(Piece + 1);
  if (!Firsts[Piece])
    Firsts[Piece] = std::make_unique<uint32_t[]>(FirstsOfPiece);
  Firsts[Piece][Key & (FirstsOfPiece - 1)] = Row;
}

uint32_t StatsRows::make(uint32_t Cell, uint32_t Key) {
  uint32_t Row = ++Used; // row 0 stays unused
  if (Row >> ChunkBits >= Chunks.size())
    addChunk();
  else if ((Row & (ChunkRows - 1)) == ChunkRows / 2 && OnAhead)
    lookAhead();
  StatsRow *R = new (&(*this)[Row]) StatsRow();
  new (&cold(Row)) StatsRowCold();
  R->Cell = Cell;
  R->Key = Key;
  return Row;
}

uint32_t StatsRows::findOrMake(uint32_t Cell, uint32_t Key, bool &New) {
  uint32_t First = firstOf(Key);
  New = !First;
  if (New) {
    uint32_t Row = make(Cell, Key);
    setFirst(Key, Row);
    return Row;
  }
  if ((*this)[First].Cell == Cell)
    return First;
  uint64_t Hash = hash(Cell, Key);
  RowShard &S = Shards[Hash >> (64 - ShardBits)];
  if ((S.Count + 1) * 4 > S.Slots.size() * 3)
    grow(S);
  size_t At = slot(S, Hash, Cell, Key);
  New = S.Slots[At].Row == 0;
  if (!New)
    return S.Slots[At].Row;
  uint32_t Row = make(Cell, Key);
  S.Slots[At] = {Row, static_cast<uint32_t>(Hash)};
  ++S.Count;
  return Row;
}

uint32_t StatsRows::find(uint32_t Cell, uint32_t Key) const {
  uint32_t First = firstOf(Key);
  if (!First || (*this)[First].Cell == Cell)
    return First;
  uint64_t Hash = hash(Cell, Key);
  const RowShard &S = Shards[Hash >> (64 - ShardBits)];
  return S.Slots.empty() ? 0 : S.Slots[slot(S, Hash, Cell, Key)].Row;
}
