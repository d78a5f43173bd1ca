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
// begins or ends, Accounts keeps the highest live bytes of each heap. Each open
// scope has those up to the begin of the next one that is still open, so that a
// begin touches one scope, and an end those that began later.
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
  std::vector<Row> Rows; ///< 0: the domain `host`; else by heap
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
  /// One that is open, up to now, or kept; null: neither.
  const Span *find(uint64_t Number, uint64_t TimeNs);

  /// From now on.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active);

  static constexpr size_t MostOpen = 4096, MostKept = 1024;

private:
  struct Open {
    uint64_t Number;
    uint32_t Text;
    uint64_t BeginNs;
    std::vector<Accounts::SpanSums> AtBegin;
    std::vector<uint64_t> Highest;  ///< until the next one's begin
    std::vector<uint64_t> Reserved; ///< likewise
  };
  void takeNow();
  size_t indexOf(uint64_t Number) const;
  void measure(size_t Index, uint64_t TimeNs, Span &Out) const;
  void remove(size_t Index);

  Accounts &Sums;
  uint32_t Image;
  std::vector<Open> Opens; ///< in the order of their begins
  std::vector<Accounts::SpanSums> Now;
  struct ReservedNow {
    uint64_t Bytes = 0, Active = 0;
    bool IsKnown = false;
  };
  std::vector<ReservedNow> ReservedOf; ///< by heap
  std::vector<Span> Kept;              ///< a ring
  size_t NextKept = 0;
  Span Running;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SPANTABLE_H
