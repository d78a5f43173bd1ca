// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frees nearly all of its memory, and stays large: malloc keeps freed memory.
//
//     g++ -g -O2 -pthread -o freed freed.cpp
//     memrec -- ./freed
//     memstat trace.fb
//
// A thread sorts a table of 100 MB, frees the table and keeps a short result.
// The result lies above the table in the arena of malloc, so malloc returns no
// page of the table to the kernel.
//
//     ./freed 4        four threads sort, one after the other, each with its
//                      own arena
//     ./freed 1 trim   calls malloc_trim after the work

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <malloc.h>
#include <string>
#include <thread>
#include <vector>

static std::string sortTable(int Seed) {
  std::vector<std::string> Rows;
  for (int Row = 0; Row < 100000; ++Row) {
    Rows.emplace_back(1000, '.');
    std::snprintf(Rows.back().data(), 1000, "%06d",
                  (Row * 7919 + Seed) % 100000);
  }
  std::sort(Rows.begin(), Rows.end());
  return Rows.front(); // a copy, allocated while the table lives
}

int main(int Count, char **Arguments) {
  int Threads = Count > 1 ? std::atoi(Arguments[1]) : 1;
  std::vector<std::string> Results(Threads);
  std::vector<std::thread> Workers;
  std::promise<void> End;
  std::shared_future<void> AtEnd(End.get_future());
  for (int Number = 0; Number < Threads; ++Number) {
    std::promise<void> Sorted;
    std::future<void> HasSorted = Sorted.get_future();
    Workers.emplace_back([&, Number] {
      Results[Number] = sortTable(Number);
      Sorted.set_value();
      AtEnd.wait(); // a thread that ends leaves its arena to the next thread
    });
    HasSorted.wait();
  }
  if (Count > 2)
    malloc_trim(0);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  End.set_value();
  for (std::thread &Worker : Workers)
    Worker.join();
  std::printf("tables sorted: %d\n", Threads);
}
