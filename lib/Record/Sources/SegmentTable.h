// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The segments of a device's allocator, by address.

#ifndef MEMKIT_LIB_RECORD_SEGMENTTABLE_H
#define MEMKIT_LIB_RECORD_SEGMENTTABLE_H

#include "Sources/LiveTable.h"
#include <iterator>
#include <map>

namespace memkit {

/// Memory that an allocator has taken from a device. A segment that expands is
/// a range of addresses; its size is the mapped part of the range.
struct Segment {
  /// WithDriver: ends with the driver's block around it.
  enum SegmentKind : uint8_t { Fixed, Expands, Unknown, WithDriver };
  uint64_t End = 0;
  LiveEntry Entry;
  uint32_t Slot = 0; ///< of the device
  SegmentKind Kind = Fixed;
  /// Bytes unmapped by the driver, whose record by the allocator is still to
  /// come.
  uint64_t Unmapped = 0;
};

/// The segments of a process, which do not overlap. Belongs to one thread.
class SegmentTable {
public:
  using SegmentKind = Segment::SegmentKind;
  using SegmentMap = std::map<uint64_t, Segment>; ///< by start

  const SegmentMap &all() const { return Table; }
  size_t size() const { return Table.size(); }

  /// The segment around Address, or null.
  const Segment *find(uint64_t Address) const {
    auto It = Table.upper_bound(Address);
    if (It == Table.begin() || Address >= std::prev(It)->second.End)
      return nullptr;
    return &std::prev(It)->second;
  }
  /// The expanding segment that contains Address or ends at Address.
  SegmentMap::iterator expanding(uint64_t Address) {
    auto It = Table.upper_bound(Address);
    if (It == Table.begin() || Address > std::prev(It)->second.End ||
        std::prev(It)->second.Kind == Segment::Fixed ||
        std::prev(It)->second.Kind == Segment::WithDriver)
      return Table.end();
    return std::prev(It);
  }
  SegmentMap::iterator at(uint64_t Begin) { return Table.find(Begin); }
  /// The first segment that overlaps [Begin, End).
  SegmentMap::iterator overlapping(uint64_t Begin, uint64_t End) {
    auto It = Table.upper_bound(Begin);
    if (It != Table.begin() && std::prev(It)->second.End > Begin)
      return std::prev(It);
    return It != Table.end() && It->first < End ? It : Table.end();
  }
  SegmentMap::iterator first() { return Table.begin(); }
  SegmentMap::iterator end() { return Table.end(); }
  void add(uint64_t Begin, const Segment &S) { Table.emplace(Begin, S); }
  void erase(SegmentMap::iterator It) { Table.erase(It); }

private:
  SegmentMap Table;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SEGMENTTABLE_H
