// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many blocks that live at the same time.
//
//   live BLOCKS
//
// Allocates BLOCKS blocks of 16 bytes, then frees them, all from one place.
// Prints the longest time between two allocations in microseconds, and the
// number of allocations above 5 ms: if a recorder stops to reorganise for
// longer than its buffer lasts, the program waits here.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int Argc, char **Argv) {
  using Clock = std::chrono::steady_clock;
  size_t Count = Argc > 1 ? strtoull(Argv[1], nullptr, 10) : 10000000;
  std::vector<void *> Blocks(Count);
  Clock::duration Longest{};
  size_t Pauses = 0;
  Clock::time_point Last = Clock::now();
  for (void *&Block : Blocks) {
    Block = malloc(16);
    Clock::time_point Now = Clock::now();
    Longest = std::max(Longest, Now - Last);
    Pauses += Now - Last > std::chrono::milliseconds(5);
    Last = Now;
  }
  for (void *Block : Blocks)
    free(Block);
  printf("%lld %zu\n",
         static_cast<long long>(
             std::chrono::duration_cast<std::chrono::microseconds>(Longest)
                 .count()),
         Pauses);
}
