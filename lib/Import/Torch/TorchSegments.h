// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segments of a device in a PyTorch snapshot.

#ifndef MEMKIT_LIB_IMPORT_TORCHSEGMENTS_H
#define MEMKIT_LIB_IMPORT_TORCHSEGMENTS_H

#include "TorchData.h"
#include <map>

namespace memkit {

/// The segments that a device had before its first event: the snapshot's
/// segments with the events undone. In the order of addresses.
std::vector<TorchSegment> segmentsBefore(const TorchDevice &D);

/// A segment while events are replayed. A segment that expands is a range of
/// addresses; its size is the mapped part of the range.
struct TorchSegmentEntry {
  uint64_t End = 0;
  uint64_t Size = 0;
  uint64_t Block = 0; ///< TraceBuilder::allocate()
  uint32_t Stream = 0, Pool = 0;
  bool Expands = false;
};

using TorchSegmentMap = std::map<uint64_t, TorchSegmentEntry>; ///< by start

/// The segments of a device by address, which do not overlap. memrec's table
/// of segments follows the same rules, so a recording and a snapshot of one run
/// have the same blocks.
class TorchSegmentTable {
public:
  TorchSegmentMap &all() { return Table; }
  const TorchSegmentMap &all() const { return Table; }
  /// The segment around Address; end(): none.
  TorchSegmentMap::iterator around(uint64_t Address) {
    auto It = Table.upper_bound(Address);
    if (It == Table.begin() || Address >= std::prev(It)->second.End)
      return Table.end();
    return std::prev(It);
  }
  /// The segment that expands and contains Address or ends there.
  TorchSegmentMap::iterator expanding(uint64_t Address) {
    auto It = Table.upper_bound(Address);
    if (It == Table.begin() || Address > std::prev(It)->second.End ||
        !std::prev(It)->second.Expands)
      return Table.end();
    return std::prev(It);
  }
  /// The first segment that overlaps [Begin, End).
  TorchSegmentMap::iterator overlapping(uint64_t Begin, uint64_t End) {
    if (auto It = around(Begin); It != Table.end())
      return It;
    auto It = Table.lower_bound(Begin);
    return It != Table.end() && It->first < End ? It : Table.end();
  }

private:
  TorchSegmentMap Table;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHSEGMENTS_H
