// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queue of an interval's late frees.
//
// A late free frees a block that was allocated in an earlier interval. A row
// has many late frees for each interval of allocation, and the queue merges
// most of them into one entry on arrival, at the cost of one look-up in a small
// table.
//
// Not thread-safe; part of LiveStats.

#ifndef MEMKIT_STATS_LATEQUEUE_H
#define MEMKIT_STATS_LATEQUEUE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace memkit {

/// Freed blocks of a row that were allocated in Interval.
struct LateFree {
  uint32_t Row;
  uint32_t Interval;
  uint64_t Bytes;
  uint64_t Blocks;
};

class LateQueue {
public:
  void add(const LateFree &F) {
    if (Places.empty())
      Places.resize(size_t(1) << PlaceBits);
    uint32_t Hash = (F.Row + F.Interval * 0x85EBCA6Bu) * 0x9E3779B1u;
    LateFree *&Place = Places[Hash >> (32 - PlaceBits)];
    if (Place && Place->Row == F.Row && Place->Interval == F.Interval) {
      Place->Bytes += F.Bytes;
      Place->Blocks += F.Blocks;
      return;
    }
    Entries.push_back(F);
    Place = &Entries.back();
  }

  /// Returns all entries and empties the queue.
  std::deque<LateFree> take() {
    std::fill(Places.begin(), Places.end(), nullptr);
    return std::exchange(Entries, {});
  }

private:
  static constexpr unsigned PlaceBits = 11;
  std::deque<LateFree> Entries;   ///< a deque, because entries must not move
  std::vector<LateFree *> Places; ///< by hash: the last entry
};

} // namespace memkit

#endif // MEMKIT_STATS_LATEQUEUE_H
