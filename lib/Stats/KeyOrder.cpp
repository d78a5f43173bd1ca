// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order by a key of 64 bits.

#include "KeyOrder.h"
#include <algorithm>
#include <utility>

using namespace memkit;

// Sorts large inputs one digit at a time from the lowest: the branches of a
// comparison sort would be mispredicted half of the time.
void memkit::sortByKey(std::vector<KeyedPlace> &Places) {
  constexpr size_t Few = 256;
  if (Places.size() <= Few)
    return std::stable_sort(
        Places.begin(), Places.end(),
        [](const KeyedPlace &A, const KeyedPlace &B) { return A.Key < B.Key; });
  constexpr unsigned DigitBits = 11;
  uint64_t Differs = 0;
  for (const KeyedPlace &R : Places)
    Differs |= R.Key ^ Places.front().Key;
  std::vector<KeyedPlace> Other(Places.size());
  std::vector<uint32_t> At(size_t(1) << DigitBits);
  for (unsigned Shift = 0; Shift < 64; Shift += DigitBits) {
    uint64_t Mask = At.size() - 1;
    if (!(Differs >> Shift & Mask))
      continue;
    std::fill(At.begin(), At.end(), 0);
    for (const KeyedPlace &R : Places)
      ++At[R.Key >> Shift & Mask];
    uint32_t Sum = 0;
    for (uint32_t &Count : At)
      Count = std::exchange(Sum, Sum + Count);
    for (const KeyedPlace &R : Places)
      Other[At[R.Key >> Shift & Mask]++] = R;
    Places.swap(Other);
  }
}
