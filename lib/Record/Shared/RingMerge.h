// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many rings in one order of time.
//
// Merges what stands in rings, a stretch [Tail, Head) of each, by the records'
// clock. Within a ring the order is kept whatever the clock says.

#ifndef MEMKIT_LIB_RECORD_RINGMERGE_H
#define MEMKIT_LIB_RECORD_RINGMERGE_H

#include "Wire/Layout.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// A record and where it came from.
struct MergedRecord {
  wire::Record R;
  uint32_t Source = 0; ///< as given to RingMerge::add
};

class RingMerge {
public:
  /// Forgets all rings. Records of later clock than Limit are left.
  void start(uint64_t Limit);

  /// Adds the stretch [Tail, Head) of the ring at Records (RingRecords long).
  /// Head - Tail is at most RingRecords. The memory may be written by others:
  /// every record is copied once.
  void add(const wire::Record *Records, uint64_t Tail, uint64_t Head,
           uint32_t Source);

  /// Puts up to Max records in order to Out and returns how many; 0 when none
  /// is left. cursors() tells how far each ring was taken.
  size_t next(MergedRecord *Out, size_t Max);

  struct Cursor {
    const wire::Record *Records;
    uint64_t Tail; ///< next record to take
    uint64_t Head;
    uint64_t Clock; ///< of the record at Tail
    uint32_t Source;
  };
  /// Every ring added, with its progress.
  const std::vector<Cursor> &cursors() const { return Cursors; }

private:
  void sift(size_t I);
  size_t takeRun(Cursor &C, uint64_t Until, MergedRecord *Out, size_t Max);

  uint64_t Limit = 0;
  std::vector<Cursor> Cursors;
  std::vector<uint32_t> Heap; ///< of cursors by Clock, smallest first
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RINGMERGE_H
