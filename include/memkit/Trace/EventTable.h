// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section of events in columns.
//
// Holds the data of Events for fast loops over many events: a separate column
// for each value, and allocations separate from references. The processor
// cannot predict whether an event is an allocation or a reference; a loop over
// one of the two needs no prediction.

#ifndef MEMKIT_TRACE_EVENTTABLE_H
#define MEMKIT_TRACE_EVENTTABLE_H

#include "memkit/Trace/Sections.h"

namespace memkit {

/// Up to MaxSectionRows events of one process in time order. Rows count from 0.
/// Reading another section into the table reuses its memory.
struct EventTable {
  uint32_t Process = 0;
  uint32_t Epoch = 0;
  /// Id of the first block created in this section.
  uint64_t FirstAllocationId = 0;
  std::vector<uint32_t> Threads; ///< ids; at most MaxSectionThreads

  // A value for each row.
  std::vector<EventKind> Kind;
  std::vector<uint64_t> TimeNs; ///< multiples of TimeUnitNs, never falling
  std::vector<uint8_t> Thread;  ///< index in Threads; empty with one thread

  // A value for each Allocate, rows rising.
  std::vector<uint32_t> AllocRow;
  std::vector<uint32_t> AllocationOffset; ///< less FirstAllocationId
  std::vector<uint64_t> AllocSize;
  std::vector<uint32_t> Stack;
  std::vector<uint32_t> ScopePath; ///< empty without scope paths
  std::vector<uint16_t> Heap;
  EventColumns Columns;

  // A value for each Free, Resize and Split, rows rising.
  std::vector<uint32_t> RefRow;
  /// The allocation id of the referenced block, which was created before.
  std::vector<uint64_t> Block;
  std::vector<uint64_t> RefSize; ///< 0 for Free; empty if all are 0
  /// The blocks created in this table before the row.
  std::vector<uint32_t> RefCreated;
  /// For each reference: the allocation id + 1, less FirstAllocationId, of the
  /// thread's last allocation before the row in this table; 0 for none.
  std::vector<uint32_t> RefOwn;

  size_t rows() const { return Kind.size(); }
  size_t allocations() const { return AllocRow.size(); }
  size_t references() const { return RefRow.size(); }
  /// The id of the thread of a row.
  uint32_t threadOf(size_t Row) const {
    return Threads[Thread.empty() ? 0 : Thread[Row]];
  }
};

} // namespace memkit

#endif // MEMKIT_TRACE_EVENTTABLE_H
