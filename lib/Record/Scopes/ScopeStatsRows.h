// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of heaps or memory spaces for open scopes.
//
// A row is a heap or a memory space. ScopeStatsRows gives exact stats of each
// row for scopes of all threads, which may overlap in any way.
//
// Counts and bytes are differences. For peaks, LiveStats keeps the highest live
// bytes of each row between two boundaries; a boundary is the start or the end
// of a scope. An open scope keeps the highest bytes from its start to the start
// of the next open scope. A start therefore touches one scope, an end the scope
// that ends and the scopes that started later.
//
// A scope has an entry for each row that changed while the scope was the
// newest: the row's stats at the scope's start, and its highest bytes. When the
// scope ends, its entries join those of the scope before. The cost of a
// boundary grows with the rows that changed, not with the rows of the machine,
// which may have many devices.

#ifndef MEMKIT_LIB_RECORD_SCOPESTATSROWS_H
#define MEMKIT_LIB_RECORD_SCOPESTATSROWS_H

#include "memkit/Stats/LiveStats.h"
#include <algorithm>
#include <bit>
#include <compare>
#include <utility>
#include <vector>

namespace memkit {

/// The stats of a row from the start of a scope to its end, or to now.
struct ScopeStatsRow {
  uint64_t Allocations = 0, Frees = 0, AllocatedBytes = 0, FreedBytes = 0;
  uint64_t Before = 0, Peak = 0, After = 0; ///< live bytes
  /// Bytes that the heap's allocator reserves now, reserved at most, and has in
  /// use; known once the allocator has reported them.
  uint64_t Reserved = 0, ReservedPeak = 0, Active = 0;
  /// In use when most was reserved; the highest of several such times.
  uint64_t ActiveAtPeak = 0;
  bool IsReservedKnown = false;
};

/// Numbers scopes from 0 in order of start; when a scope ends, the numbers of
/// later scopes fall by one. Rows have any numbers.
class ScopeStatsRows {
public:
  /// Starts a scope, the new last one.
  void begin();
  /// Ends a scope; not the first.
  void end(size_t Scope);

  /// Notes a row's stats now, with the highest bytes since its last note.
  /// Before each begin() and end() the caller notes all rows that changed.
  void note(uint32_t Row, const LiveStats::RangeStats &Is);
  void noteReserved(uint32_t Row, uint64_t Reserved, uint64_t Active);
  /// Notes a row at the end of the newest scope, which must not be the first.
  /// Returns the row's stats in that scope, without an entry for the scope.
  /// Only if hasChanged() is false.
  ScopeStatsRow noteAtEnd(uint32_t Row, const LiveStats::RangeStats &Is);

  /// Whether a noted row changed in the newest scope.
  bool hasChanged(uint32_t Row) const { return Opens[NumOpen - 1].has(Row); }
  ScopeStatsRow measure(size_t Scope, uint32_t Row) const;
  /// Calls Do(Row) for each row that changed in the scope, in order.
  template <class F> void forEachChanged(size_t Scope, F Do) const;
  /// The row's live bytes at its last note.
  uint64_t liveBytes(uint32_t Row) const {
    return Row < Now.size() ? Now[Row].Stats.LiveBytes : 0;
  }
  uint64_t reservedBytes(uint32_t Row) const {
    return Row < Now.size() ? Now[Row].Allocator.Reserved : 0;
  }

private:
  static constexpr size_t MaxSpare = 64;

  /// What an allocator reserves, and has in use of it; the highest of two has
  /// more reserved, then more in use.
  struct ReservedNow {
    uint64_t Reserved = 0, Active = 0;
    auto operator<=>(const ReservedNow &) const = default;
  };
  struct RowNow {
    LiveStats::RangeStats Stats;
    ReservedNow Allocator;
    bool IsReservedKnown = false;
  };
  struct ScopeStatsEntry {
    LiveStats::RangeStats Before; ///< at the scope's start
    uint64_t Highest;             ///< until the next scope starts
    ReservedNow Reserved;         ///< maximum, until the next scope starts
  };
  struct OpenRows {
    std::vector<uint64_t> Has;            ///< one bit a row: has an entry
    std::vector<ScopeStatsEntry> Entries; ///< by row, 64 for each word of Has

    bool has(uint32_t Row) const {
      return Row / 64 < Has.size() && (Has[Row / 64] >> (Row % 64) & 1);
    }
    /// Adds an entry for a row without one; the caller fills the entry.
    ScopeStatsEntry &add(uint32_t Row) {
      if (Row / 64 >= Has.size())
        grow(Row);
      Has[Row / 64] |= uint64_t(1) << (Row % 64);
      return Entries[Row];
    }
    void grow(uint32_t Row);
  };
  ScopeStatsEntry &entryOf(OpenRows &O, uint32_t Row);
  static ScopeStatsRow rowFrom(const LiveStats::RangeStats &Before,
                               const RowNow &Is);
  void growNow(uint32_t Row);
  void merge(const OpenRows &From, OpenRows &To);

  /// The first NumOpen are open; the others are spare memory.
  std::vector<OpenRows> Opens;
  size_t NumOpen = 0;
  std::vector<RowNow> Now; ///< by row
};

/// A scope's entry of a row. If neither the scope nor a newer one has an entry,
/// the row has not changed since the scope's start.
inline ScopeStatsRows::ScopeStatsEntry &ScopeStatsRows::entryOf(OpenRows &O,
                                                                uint32_t Row) {
  if (Row >= Now.size())
    growNow(Row);
  if (O.has(Row))
    return O.Entries[Row];
  const RowNow &Was = Now[Row];
  ScopeStatsEntry &E = O.add(Row);
  E.Before = Was.Stats;
  E.Highest = Was.Stats.LiveBytes;
  E.Reserved = Was.Allocator;
  return E;
}

inline void ScopeStatsRows::note(uint32_t Row,
                                 const LiveStats::RangeStats &Is) {
  ScopeStatsEntry &E = entryOf(Opens[NumOpen - 1], Row);
  E.Highest = std::max(E.Highest, Is.HighestBytes);
  Now[Row].Stats = Is;
}

/// All values but Peak, ReservedPeak and ActiveAtPeak.
inline ScopeStatsRow
ScopeStatsRows::rowFrom(const LiveStats::RangeStats &Before, const RowNow &Is) {
  ScopeStatsRow R;
  R.Allocations = Is.Stats.Allocations - Before.Allocations;
  R.Frees = Is.Stats.Frees - Before.Frees;
  R.AllocatedBytes = Is.Stats.AllocatedBytes - Before.AllocatedBytes;
  R.Before = Before.LiveBytes;
  R.After = Is.Stats.LiveBytes;
  R.FreedBytes = R.Before + R.AllocatedBytes - R.After;
  R.Reserved = Is.Allocator.Reserved;
  R.Active = Is.Allocator.Active;
  R.IsReservedKnown = Is.IsReservedKnown;
  return R;
}

inline ScopeStatsRow
ScopeStatsRows::noteAtEnd(uint32_t Row, const LiveStats::RangeStats &Is) {
  ScopeStatsEntry &Outer = entryOf(Opens[NumOpen - 2], Row);
  Outer.Highest = std::max(Outer.Highest, Is.HighestBytes);
  RowNow &N = Now[Row];
  const LiveStats::RangeStats Before = std::exchange(N.Stats, Is);
  ScopeStatsRow R = rowFrom(Before, N);
  R.Peak = std::max(Before.LiveBytes, Is.HighestBytes);
  R.ReservedPeak = N.Allocator.Reserved;
  R.ActiveAtPeak = N.Allocator.Active;
  return R;
}

inline ScopeStatsRow ScopeStatsRows::measure(size_t Scope, uint32_t Row) const {
  if (Row >= Now.size())
    return {};
  const RowNow &Is = Now[Row];
  const LiveStats::RangeStats *Before = nullptr;
  uint64_t Peak = Is.Stats.LiveBytes;
  ReservedNow Most = Is.Allocator;
  for (size_t At = Scope; At != NumOpen; ++At) {
    if (!Opens[At].has(Row))
      continue;
    const ScopeStatsEntry &E = Opens[At].Entries[Row];
    Before = Before ? Before : &E.Before;
    Peak = std::max(Peak, E.Highest);
    Most = std::max(Most, E.Reserved);
  }
  ScopeStatsRow R = rowFrom(Before ? *Before : Is.Stats, Is);
  R.Peak = Peak;
  R.ReservedPeak = Most.Reserved;
  R.ActiveAtPeak = Most.Active;
  return R;
}

template <class F>
void ScopeStatsRows::forEachChanged(size_t Scope, F Do) const {
  for (size_t Word = 0; Word * 64 < Now.size(); ++Word) {
    uint64_t Bits = 0;
    for (size_t At = Scope; At != NumOpen; ++At)
      Bits |= Word < Opens[At].Has.size() ? Opens[At].Has[Word] : 0;
    for (; Bits; Bits &= Bits - 1)
      Do(uint32_t(Word * 64) + uint32_t(std::countr_zero(Bits)));
  }
}

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPESTATSROWS_H
