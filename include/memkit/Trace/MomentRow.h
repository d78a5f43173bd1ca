// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of stats as a recorder hands it to a reader.

#ifndef MEMKIT_TRACE_MOMENTROW_H
#define MEMKIT_TRACE_MOMENTROW_H

#include "memkit/Trace/StackStats.h"
#include <cstdint>

namespace memkit {

/// The stats of a stack or of a scope path at one moment. Plain memory, which
/// one process of memkit passes to another of the same version.
struct MomentRow {
  uint32_t Process = 0;
  uint32_t IsScopePath = 0; ///< 0: of a stack
  StackStats Stats;
};

/// What the values at peaks of a heap's rows in a process depend on. Events are
/// numbered from 1.
struct MomentCell {
  uint32_t Process = 0, Heap = 0;
  uint64_t HeapPeakAt = 0, SpacePeakAt = 0; ///< the events of the peaks
  uint64_t EndAt = 0;                       ///< the last event of the process
  uint64_t IsOutside = 0; ///< 1: the heap is outside the totals
};

} // namespace memkit

#endif // MEMKIT_TRACE_MOMENTROW_H
