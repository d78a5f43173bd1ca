// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats by stack and by scope path.
//
// Rows of Summary sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_STACKSTATS_H
#define MEMKIT_TRACE_STACKSTATS_H

#include "memkit/Trace/RowField.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// The stats of a (process, heap, stack) or (process, heap, scope path).
///
/// Live values are values at the process's end. Freed blocks are Allocations +
/// Splits - LiveBlocks, freed bytes AllocatedBytes - LiveBytes. A growing
/// Resize adds to AllocatedBytes, a shrinking Resize to the freed bytes. A
/// temporary was freed by the thread that allocated the block, before the
/// thread allocated again. SpacePeak values and LiveExclusive count exclusive
/// bytes.
struct StackStats {
  uint32_t Key = 0; ///< stack or scope path
  uint32_t Heap = 0;
  uint64_t Allocations = 0;
  uint64_t AllocatedBytes = 0;
  uint64_t Splits = 0;
  uint64_t Temporaries = 0;
  uint64_t LiveBlocks = 0;
  uint64_t LiveBytes = 0;
  uint64_t LiveExclusive = 0;
  uint64_t PeakBytes = 0; ///< highest live bytes of the row
  uint64_t HeapPeakBlocks = 0;
  uint64_t HeapPeakBytes = 0; ///< live bytes at the heap's peak
  uint64_t SpacePeakBlocks = 0;
  uint64_t SpacePeakBytes = 0; ///< exclusive bytes at the memory space's peak
  bool operator==(const StackStats &) const = default;
  /// The columns after the heap and the key. Each column comes after its base.
  static constexpr auto fields() {
    using S = StackStats;
    return std::tuple(checkedField("allocations", &S::Allocations),
                      checkedField("allocated-bytes", &S::AllocatedBytes),
                      checkedField("splits", &S::Splits),
                      checkedField("temporaries", &S::Temporaries),
                      checkedField("live-blocks", &S::LiveBlocks),
                      checkedField("live-bytes", &S::LiveBytes),
                      checkedField("live-exclusive", &S::LiveExclusive)
                          .base(&S::LiveBytes)
                          .words("live exclusive bytes"),
                      checkedField("peak-bytes", &S::PeakBytes),
                      checkedField("heap-peak-blocks", &S::HeapPeakBlocks)
                          .words("blocks at the heap's peak"),
                      checkedField("heap-peak-bytes", &S::HeapPeakBytes)
                          .words("bytes at the heap's peak"),
                      checkedField("space-peak-blocks", &S::SpacePeakBlocks)
                          .base(&S::HeapPeakBlocks)
                          .words("blocks at the space's peak"),
                      checkedField("space-peak-bytes", &S::SpacePeakBytes)
                          .base(&S::HeapPeakBytes)
                          .words("bytes at the space's peak"));
  }
};

struct StackStatsRows {
  uint32_t Process = 0;
  std::vector<StackStats> Rows;
  bool operator==(const StackStatsRows &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_STACKSTATS_H
