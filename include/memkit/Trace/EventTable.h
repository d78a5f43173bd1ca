// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section of events, by columns.
//
// What Events holds, for those who go through many: a column of its own for
// each value, and allocations apart from references, because which of both an
// event is cannot be foretold, and a loop over one kind needs no guess.

#ifndef MEMKIT_TRACE_EVENTTABLE_H
#define MEMKIT_TRACE_EVENTTABLE_H

#include "memkit/Trace/Sections.h"

namespace memkit {

/// Up to MaxSectionRows events of one process in time order. Rows count from 0.
/// Its memory is reused when another section is read into it.
struct EventTable {
  uint32_t Process = 0;
  uint32_t Epoch = 0;
  uint64_t FirstAllocationId =
      0;                         ///< of the next block created when this begins
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
  std::vector<uint32_t> ScopePath; ///< empty when none has one
  std::vector<uint16_t> Heap;
  EventColumns Columns;

  // A value for each Free, Resize and Split, rows rising.
  std::vector<uint32_t> RefRow;
  std::vector<uint64_t>
      Block; ///< the allocation id named; it was created before
  std::vector<uint64_t> RefSize; ///< 0 for Free; empty when all are
  /// The blocks created in this table before the row.
  std::vector<uint32_t> RefCreated;
  /// Of the last allocation of the row's thread before it in this table, its
  /// allocation id + 1 less FirstAllocationId; 0 when there is none.
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
