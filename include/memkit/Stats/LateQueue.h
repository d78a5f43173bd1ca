// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Late frees of an interval.
//
// What was freed in the interval that runs and allocated in an earlier one. Of
// a row and an interval of allocation there are many, and most become one entry
// as they come: by a look at one place of a small table.
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

/// Blocks of a row that were allocated in an interval.
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

  /// All of them; the queue is empty then.
  std::deque<LateFree> take() {
    std::fill(Places.begin(), Places.end(), nullptr);
    return std::exchange(Entries, {});
  }

private:
  static constexpr unsigned PlaceBits = 11;
  std::deque<LateFree> Entries;   ///< grows without moving what is in it
  std::vector<LateFree *> Places; ///< by a hash, what came there last
};

} // namespace memkit

#endif // MEMKIT_STATS_LATEQUEUE_H
