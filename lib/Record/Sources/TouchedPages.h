// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the pages that a process has touched of reserved address space.

#ifndef MEMKIT_LIB_RECORD_SOURCES_TOUCHEDPAGES_H
#define MEMKIT_LIB_RECORD_SOURCES_TOUCHEDPAGES_H

#include "Shared/RecordOrigin.h"
#include "Sources/LiveTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace memkit {

class BlockSnapshots;
class EventSink;

/// Heap host.touched: what is resident of mappings with MAP_NORESERVE whose
/// blocks are not recorded, as samples of the resident memory have found it. A
/// private allocator (of Arrow, polars, DuckDB) has its memory there.
///
/// A mapping of host.reserved has at most one block here, with the stack of the
/// mapping. Each sample resizes the block; the block ends with the mapping.
/// Belongs to the recorder's thread.
class TouchedPages {
public:
  /// Snapshots: lists the blocks from now on.
  TouchedPages(EventSink &Sink, BlockSnapshots &Snapshots);

  /// What a sample has found of a mapping.
  struct TouchedSample {
    uint64_t Bytes; ///< resident
    uint64_t Tsc;
    bool Grow;  ///< only grows the block; false: only shrinks it
    bool Exact; ///< else changes below 64 KiB or a hundredth are left out
  };
  void sample(const LiveEntry &Reserved, const TouchedSample &S);
  /// The blocks in the mapping with this allocation id are recorded from now
  /// on.
  void leave(uint64_t ReservedId, RecordOrigin From);
  /// The mapping with this allocation id keeps only Size bytes; 0: it ends.
  void limit(uint64_t ReservedId, uint64_t Size, RecordOrigin From) {
    if (__builtin_expect(!Live.empty(), 0))
      shrink(ReservedId, Size, From);
  }

private:
  void shrink(uint64_t ReservedId, uint64_t Size, RecordOrigin From);
  void setSize(LiveEntry &B, uint64_t Size, RecordOrigin From);

  EventSink &Sink;
  llvm::DenseMap<uint64_t, LiveEntry> Live; ///< by the mapping's allocation id
  llvm::DenseSet<uint64_t> Left;            ///< mappings' allocation ids
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SOURCES_TOUCHEDPAGES_H
