// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments of a device's allocator.

#ifndef MEMKIT_LIB_RECORD_SEGMENTTABLE_H
#define MEMKIT_LIB_RECORD_SEGMENTTABLE_H

#include "Sources/LiveTable.h"
#include <iterator>
#include <map>

namespace memkit {

/// Memory that an allocator has from a device. One that expands is a range of
/// addresses, and its size what is mapped of it.
struct Segment {
  enum Kinds : uint8_t { Fixed, Expands, Unknown };
  uint64_t End = 0;
  LiveEntry Entry;
  uint32_t Slot = 0; ///< of the device
  Kinds Kind = Fixed;
  /// Bytes that the driver has unmapped, which are to be said to be so still.
  uint64_t Unmapped = 0;
};

/// The segments of a process, which do not overlap. Belongs to one thread.
class SegmentTable {
public:
  using Kinds = Segment::Kinds;
  using Map = std::map<uint64_t, Segment>; ///< by begin

  const Map &all() const { return Table; }
  size_t size() const { return Table.size(); }

  /// The one in which Address lies.
  const Segment *find(uint64_t Address) const {
    auto It = Table.upper_bound(Address);
    if (It == Table.begin() || Address >= std::prev(It)->second.End)
      return nullptr;
    return &std::prev(It)->second;
  }
  /// The one that expands in which Address lies, or at whose end.
  Map::iterator expanding(uint64_t Address) {
    auto It = Table.upper_bound(Address);
    if (It == Table.begin() || Address > std::prev(It)->second.End ||
        std::prev(It)->second.Kind == Segment::Fixed)
      return Table.end();
    return std::prev(It);
  }
  Map::iterator at(uint64_t Begin) { return Table.find(Begin); }
  /// The first that lies, at least in part, in [Begin, End).
  Map::iterator overlapping(uint64_t Begin, uint64_t End) {
    auto It = Table.upper_bound(Begin);
    if (It != Table.begin() && std::prev(It)->second.End > Begin)
      return std::prev(It);
    return It != Table.end() && It->first < End ? It : Table.end();
  }
  Map::iterator first() { return Table.begin(); }
  Map::iterator end() { return Table.end(); }
  void add(uint64_t Begin, const Segment &S) { Table.emplace(Begin, S); }
  void erase(Map::iterator It) { Table.erase(It); }

private:
  Map Table;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SEGMENTTABLE_H
