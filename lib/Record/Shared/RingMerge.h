// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges rings into one order of time.
//
// Merges the records in a range [Tail, Head) of each ring by their clock.
// Records of one ring keep their order, whatever their clocks.

#ifndef MEMKIT_LIB_RECORD_RINGMERGE_H
#define MEMKIT_LIB_RECORD_RINGMERGE_H

#include "Wire/Layout.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// A record and its source.
struct MergedRecord {
  wire::Record R;
  uint32_t Source = 0; ///< as given to RingMerge::add
};

class RingMerge {
public:
  /// Removes all rings. Records with a later clock than Limit are left in the
  /// rings.
  void start(uint64_t Limit);

  /// Adds the range [Tail, Head) of the ring at Records (RingRecords long).
  /// Head - Tail is at most RingRecords. The program may write the memory
  /// meanwhile: each record is copied once.
  void add(const wire::Record *Records, uint64_t Tail, uint64_t Head,
           uint32_t Source);

  /// Writes up to Max records, in order, to Out; returns their number, 0 when
  /// none is left. cursors() has the new position of each ring.
  size_t next(MergedRecord *Out, size_t Max);

  struct RingCursor {
    const wire::Record *Records;
    uint64_t Tail; ///< next record to take
    uint64_t Head;
    uint64_t Clock; ///< of the record at Tail
    uint32_t Source;
  };
  /// All rings added, with their positions.
  const std::vector<RingCursor> &cursors() const { return Cursors; }

private:
  void sift(size_t I);
  size_t takeRun(RingCursor &C, uint64_t Until, MergedRecord *Out, size_t Max);

  uint64_t Limit = 0;
  std::vector<RingCursor> Cursors;
  std::vector<uint32_t> Heap; ///< of cursors by Clock, smallest first
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RINGMERGE_H
