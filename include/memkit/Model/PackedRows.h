// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a summary in compact form.
//
// A StackStats takes 104 bytes, most of them zeros. A packed column has only
// the bytes that the column's highest value needs, some 30 bytes a row in all.
// The values of a row are adjacent, so reading any row takes a few nanoseconds.

#ifndef MEMKIT_MODEL_PACKEDROWS_H
#define MEMKIT_MODEL_PACKEDROWS_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Endian.h"
#include <array>
#include <memory>
#include <vector>

namespace memkit {

/// Rows of one process. Immutable; any thread may read.
class PackedRows {
public:
  PackedRows(uint32_t Process, llvm::ArrayRef<StackStats> Rows);
  /// Adds Rows to Out in pieces; the values of a piece decide the widths of its
  /// columns.
  static void pack(const StackStatsRows &Rows, std::vector<PackedRows> &Out);

  uint32_t process() const { return Process; }
  size_t size() const { return Count; }
  uint32_t key(size_t Row) const { return uint32_t(value(Row, 0)); }
  uint32_t heap(size_t Row) const { return uint32_t(value(Row, 1)); }
  StackStats operator[](size_t Row) const {
    StackStats Out;
    Out.Key = key(Row);
    Out.Heap = heap(Row);
    // Unrolled, so that the compiler leaves out values that nobody reads.
    forEachField<StackStats>([&](auto C) {
      Out.*fieldAt<StackStats, C>.Member = value(Row, C + 2);
    });
    Out.LiveExclusive = Out.LiveBytes - Out.LiveExclusive;
    return Out;
  }
  /// Asks the processor to fetch a row.
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(size_t Row) const {
    const uint8_t *At = Bytes.get() + Row * Stride;
    __builtin_prefetch(At);
    __builtin_prefetch(At + Stride - 1);
  }
  /// The original rows.
  StackStatsRows unpack() const;
  /// The highest key and heap, and the lowest heap.
  uint32_t maxKey() const { return MaxKey; }
  uint32_t maxHeap() const { return MaxHeap; }
  uint32_t minHeap() const { return MinHeap; }

private:
  /// Columns after key and heap. The column of LiveExclusive holds LiveBytes
  /// less LiveExclusive, mostly 0.
  static constexpr size_t NumValues = NumFields<StackStats>;
  static constexpr auto Values = [] {
    std::array<uint64_t StackStats::*, NumValues> Members{};
    forEachField<StackStats>(
        [&](auto I) { Members[I] = fieldAt<StackStats, I>.Member; });
    return Members;
  }();
  using PackedRow = std::array<uint64_t, NumValues + 2>;
  static PackedRow valuesOf(const StackStats &R);

  uint64_t value(size_t Row, size_t Column) const {
    return llvm::support::endian::read64le(Bytes.get() + Row * Stride +
                                           Offset[Column]) &
           Mask[Column];
  }

  uint32_t Process;
  uint32_t MaxKey = 0, MaxHeap = 0, MinHeap = UINT32_MAX;
  size_t Count, Stride = 0;
  /// By column: the offset in a row, in bytes, and the mask of the column's
  /// bits in a read of 8 bytes.
  std::array<uint32_t, NumValues + 2> Offset;
  std::array<uint64_t, NumValues + 2> Mask;
  std::unique_ptr<uint8_t[]> Bytes;
};

} // namespace memkit

#endif // MEMKIT_MODEL_PACKEDROWS_H
