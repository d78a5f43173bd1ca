// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order by a key of 64 bits.

#ifndef MEMKIT_LIB_STATS_KEYORDER_H
#define MEMKIT_LIB_STATS_KEYORDER_H

#include <cstdint>
#include <vector>

namespace memkit {

/// Where something stands before it is sorted, and by what.
struct KeyedPlace {
  uint64_t Key;
  uint32_t At;
};

/// Sorts by key; what is equal stays in order.
void sortByKey(std::vector<KeyedPlace> &Places);

} // namespace memkit

#endif // MEMKIT_LIB_STATS_KEYORDER_H
