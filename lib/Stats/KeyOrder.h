// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order by a key of 64 bits.

#ifndef MEMKIT_LIB_STATS_KEYORDER_H
#define MEMKIT_LIB_STATS_KEYORDER_H

#include <cstdint>
#include <vector>

namespace memkit {

/// The index of an element before sorting, and its key.
struct KeyedPlace {
  uint64_t Key;
  uint32_t At;
};

/// Sorts by key; equal keys keep their order.
void sortByKey(std::vector<KeyedPlace> &Places);

} // namespace memkit

#endif // MEMKIT_LIB_STATS_KEYORDER_H
