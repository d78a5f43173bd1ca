//===- SpanTable.h - Scopes of an image, measured ---------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to the heaps of an image from the begin of a scope to its end,
// exact, for scopes of all threads that overlap as they like.
//
// Sums are differences. Peaks need more: between two moments at which a scope
// begins or ends, Accounts keeps the highest live bytes of each heap and
// domain. Each open scope has those up to the begin of the next one that is
// still open, so that a begin touches one scope, and an end those that began
// later.
//
// A scope has an entry for each heap and domain that changed while it was the
// newest: what that had at the scope's begin, and its highest bytes. An entry
// goes to the scope outside when its own ends. So the cost of a begin or an end
// is of what changed, not of what there is: a machine has many devices.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_LIB_RECORD_SPANTABLE_H
#define MEMKIT_LIB_RECORD_SPANTABLE_H

#include "memkit/Account/Accounts.h"
#include <vector>

namespace memkit {

/// A scope that has ended, or up to now.
struct Span {
  struct Row {
    uint64_t Allocations = 0, Frees = 0, AllocatedBytes = 0, FreedBytes = 0;
    uint64_t Before = 0, Peak = 0, After = 0; ///< live bytes
    /// What the heap's allocator reserves now and did at most, and has given
    /// out; known once it has been told.
    uint64_t Reserved = 0, ReservedPeak = 0, Active = 0;
    bool IsReservedKnown = false;
  };
  uint64_t Number = 0;
  uint32_t Text = 0; ///< of its name, as begin() was told
  uint64_t DurationNs = 0;
  std::vector<Row> Rows;    ///< 0: the domain `host`; else by heap
  std::vector<Row> Domains; ///< by domain
  /// The heaps that changed; filled, and with no other row, by endChanged().
  std::vector<uint32_t> Changed;
};

class SpanTable {
public:
  /// BeginNs: when the image began; it is the scope of number 0.
  SpanTable(Accounts &Sums, uint32_t Image, uint64_t BeginNs);

  /// The scope Number, not open yet, begins. Of more than MostOpen the oldest
  /// is forgotten.
  void begin(uint64_t Number, uint32_t Text, uint64_t TimeNs);
  /// It ends, and with Keep is kept with the MostKept that ended last. Null: it
  /// is not open. Good until the next call.
  const Span *end(uint64_t Number, uint64_t TimeNs, bool Keep = true);
  /// The same, not kept: of its rows only those of Changed are good.
  const Span *endChanged(uint64_t Number, uint64_t TimeNs);
  /// One that is open, up to now, or kept; null: neither.
  const Span *find(uint64_t Number, uint64_t TimeNs);

  /// From now on.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active);
  /// What the image had of a heap when a scope last began or ended, and what
  /// the heap's allocator reserves now, 0 where that is not known.
  uint64_t liveBytes(uint32_t Heap) const {
    size_t Row = rowOfHeap(Heap);
    return Row < Now.size() ? Now[Row].Sums.LiveBytes : 0;
  }
  uint64_t reservedBytes(uint32_t Heap) const {
    size_t Row = rowOfHeap(Heap);
    return Row < Now.size() ? Now[Row].Reserved : 0;
  }

  static constexpr size_t MostOpen = 4096, MostKept = 1024;

private:
  static constexpr size_t MostSpare = 64;

  /// Rows of heaps and of domains take turns, as both come at any time.
  static size_t rowOfDomain(uint32_t Domain) { return 2 * size_t(Domain); }
  static size_t rowOfHeap(uint32_t Heap) { return 2 * size_t(Heap) + 1; }
  struct Entry {
    Accounts::SpanSums Before; ///< at the scope's begin
    uint64_t Highest = 0;      ///< until the next one's begin
    uint64_t Reserved = 0;     ///< at most, likewise
  };
  struct Open {
    uint64_t Number = 0;
    uint32_t Text = 0;
    uint64_t BeginNs = 0;
    std::vector<uint64_t> Has;  ///< bits by row: has an entry
    std::vector<Entry> Entries; ///< by row

    bool has(size_t Row) const {
      return Row / 64 < Has.size() && (Has[Row / 64] >> (Row % 64) & 1);
    }
    /// A place for the entry of a row that has none, to be filled.
    Entry &add(size_t Row);
    template <class F> void forEach(F Do) const;
  };
  /// What is now.
  struct RowNow {
    Accounts::SpanSums Sums;
    uint64_t Reserved = 0, Active = 0;
    bool IsReservedKnown = false;
  };
  void takeNow();
  void note(size_t Row, const Accounts::SpanSums &Is);
  Entry &entry(size_t Row);
  size_t indexOf(uint64_t Number) const;
  void measure(size_t Index, uint64_t TimeNs, Span &Out) const;
  void measureAll(size_t Index, uint64_t TimeNs, Span &Out) const;
  Span::Row measureRow(size_t Index, size_t Row) const;
  bool wasBefore(size_t First, size_t Last, size_t Row) const;
  void remove(size_t Index);

  Accounts &Sums;
  uint32_t Image;
  /// The first NumOpen in the order of their begins; the others are memory for
  /// those to come.
  std::vector<Open> Opens;
  size_t NumOpen = 0;
  std::vector<RowNow> Now; ///< by row
  std::vector<Span> Kept;  ///< a ring
  size_t NextKept = 0;
  Span Running;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SPANTABLE_H
