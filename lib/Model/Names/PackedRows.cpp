// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a summary in little memory.

#include "memkit/Model/PackedRows.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

/// The values of a row, by column. Unrolled, because there are millions of
/// rows.
LLVM_ATTRIBUTE_ALWAYS_INLINE PackedRows::PackedRow
PackedRows::valuesOf(const StackStats &R) {
  PackedRow Out{R.Key, R.Heap};
  forEachField<StackStats>(
      [&](auto C) { Out[C + 2] = R.*fieldAt<StackStats, C>.Member; });
  constexpr size_t Exclusive =
      std::find(Values.begin(), Values.end(), &StackStats::LiveExclusive) -
      Values.begin();
  Out[Exclusive + 2] = R.LiveBytes - R.LiveExclusive;
  return Out;
}

PackedRows::PackedRows(uint32_t Process, ArrayRef<StackStats> Rows)
    : Process(Process), Count(Rows.size()) {
  PackedRow Used{};
  for (const StackStats &R : Rows) {
    PackedRow From = valuesOf(R);
    for (size_t C = 0; C != From.size(); ++C)
      Used[C] |= From[C];
    MaxKey = std::max(MaxKey, R.Key);
    MaxHeap = std::max(MaxHeap, R.Heap);
    MinHeap = std::min(MinHeap, R.Heap);
  }
  for (size_t C = 0; C != Used.size(); ++C) {
    unsigned Width = (64 - countl_zero(Used[C]) + 7) / 8;
    Offset[C] = Stride;
    Mask[C] = Width == 8 ? UINT64_MAX : (uint64_t(1) << 8 * Width) - 1;
    Stride += Width;
  }
  // Room for the last value, which is read and written as 8 bytes.
  Bytes.reset(new uint8_t[Count * Stride + sizeof(uint64_t)]);
  uint8_t *At = Bytes.get();
  for (const StackStats &R : Rows) {
    PackedRow From = valuesOf(R);
    // Bytes written past a value are overwritten by the next value.
    for (size_t C = 0; C != From.size(); ++C)
      support::endian::write64le(At + Offset[C], From[C]);
    At += Stride;
  }
}

void PackedRows::pack(const StackStatsRows &Rows,
                      std::vector<PackedRows> &Out) {
  // A piece has the widths of its highest values, so few rows share them.
  constexpr size_t Piece = 1 << 10;
  ArrayRef<StackStats> Left = Rows.Rows;
  do {
    ArrayRef<StackStats> Some = Left.take_front(Piece);
    Out.emplace_back(Rows.Process, Some);
    Left = Left.drop_front(Some.size());
  } while (!Left.empty());
}

StackStatsRows PackedRows::unpack() const {
  StackStatsRows Out;
  Out.Process = Process;
  Out.Rows.reserve(Count);
  for (size_t I = 0; I != Count; ++I)
    Out.Rows.push_back((*this)[I]);
  return Out;
}

} // namespace memkit
