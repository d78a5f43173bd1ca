// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals of heaps and memory spaces.
//
// Rows of Summary sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_HEAPSTATS_H
#define MEMKIT_TRACE_HEAPSTATS_H

#include "memkit/Trace/RowField.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace memkit {

/// The totals of a heap or memory space, over all processes in one order of
/// time. A memory space counts exclusive bytes of the heaps that are not
/// HF_OutsideTotals.
struct TotalStats {
  uint32_t Id = 0; ///< heap; or memory space: 0 `host`, else device
  uint64_t Allocations = 0;
  uint64_t Frees = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t FreedBytes = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBlocks = 0; ///< when each block's process ended
  uint64_t LiveBytes = 0;
  uint64_t PeakBytes = 0;
  uint64_t PeakBlocks = 0;
  uint64_t PeakTimeNs = 0;
  bool operator==(const TotalStats &) const = default;
  /// The fields after the id.
  static constexpr auto totalFields() {
    using T = TotalStats;
    return std::tuple(checkedField("allocations", &T::Allocations),
                      checkedField("frees", &T::Frees),
                      checkedField("allocated-bytes", &T::AllocatedBytes),
                      checkedField("freed-bytes", &T::FreedBytes),
                      checkedField("temporaries", &T::Temporaries),
                      checkedField("live-blocks", &T::LiveBlocks),
                      checkedField("live-bytes", &T::LiveBytes),
                      checkedField("peak-bytes", &T::PeakBytes),
                      checkedField("peak-blocks", &T::PeakBlocks),
                      checkedField("peak-time", &T::PeakTimeNs));
  }
  /// The fields of a memory space.
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(rowField("space", &TotalStats::Id)
                       .idOrNone(IdKind::Device, "totals of device")
                       .key()),
        totalFields());
  }
};

/// Size classes count allocations by the number of bits of their size: 0 bytes,
/// 1, 2 to 3, 4 to 7, ...
inline constexpr unsigned NumSizeClasses = 65;
inline unsigned sizeClass(uint64_t Bytes) { return std::bit_width(Bytes); }
/// The smallest size of a class.
inline uint64_t sizeClassBegin(unsigned Class) {
  return Class ? uint64_t(1) << (Class - 1) : 0;
}

/// The sizes of a heap's allocations.
struct SizeCounts {
  std::array<uint64_t, NumSizeClasses> Classes{};
  uint64_t Largest = 0;

  /// Adds Count allocations of a size; Count may be 0.
  void add(uint64_t Bytes, uint64_t Count) {
    Classes[sizeClass(Bytes)] += Count;
    Largest = std::max(Largest, Count ? Bytes : 0);
  }
};

struct HeapStats : TotalStats {
  bool ReservedKnown = false;
  uint64_t ReservedBytes = 0;
  uint64_t ReservedPeakBytes = 0;
  uint64_t ReservedAtPeakBytes = 0; ///< when live bytes were highest
  /// The largest share of reserved bytes that was not live at any time when
  /// reserved bytes grew, in millionths.
  uint32_t GrowthFragmentationPpm = 0;
  /// Allocations by sizeClass() of their size at allocation, without trailing
  /// zeros. Empty: not counted.
  std::vector<uint64_t> Sizes;
  /// The largest size at allocation. 0: none, or not recorded.
  uint64_t LargestBytes = 0;

  void setSizes(const SizeCounts &S) {
    LargestBytes = S.Largest;
    Sizes.assign(S.Classes.begin(), S.Classes.end());
    while (!Sizes.empty() && Sizes.back() == 0)
      Sizes.pop_back();
  }
  bool operator==(const HeapStats &) const = default;
  static constexpr auto fields() {
    using H = HeapStats;
    return std::tuple_cat(
        std::tuple(rowField("heap", &TotalStats::Id)
                       .id(IdKind::Heap, "totals of heap")
                       .key()),
        totalFields(),
        std::tuple(
            rowField("reserved-known", &H::ReservedKnown),
            rowField("reserved-bytes", &H::ReservedBytes),
            rowField("reserved-peak-bytes", &H::ReservedPeakBytes),
            rowField("reserved-at-peak-bytes", &H::ReservedAtPeakBytes),
            rowField("growth-fragmentation-ppm", &H::GrowthFragmentationPpm),
            rowField("sizes", &H::Sizes),
            rowField("largest-bytes", &H::LargestBytes)));
  }
};

/// The share of Reserved bytes that are not Live, in millionths.
inline uint32_t fragmentationPpm(uint64_t Reserved, uint64_t Live) {
  if (Live >= Reserved)
    return 0;
  return uint32_t(double(Reserved - Live) / double(Reserved) * 1e6 + 0.5);
}

} // namespace memkit

#endif // MEMKIT_TRACE_HEAPSTATS_H
