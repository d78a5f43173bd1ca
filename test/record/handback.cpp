// Two threads hand blocks to each other as fast as they can, so that an address
// is freed by one and given out to the other at once: whatever their clocks say,
// no record is lost and each block is freed once. Four million times, or as often as 20 s allow: where
// other programs have the processors, a thread waits for a turn of the other one each time.
//
// RUN: %cxx -O2 -std=c++17 %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe 4000000
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
//
// CHECK: "lost": 0,
// CHECK: "unknown_free": 0,
// CHECK-NEXT: "double_allocate": 0,
// What is left is the C++ library's own.
// CHECK: "live_blocks": {{[0-9]}},

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <unistd.h>

static std::atomic<void *> ThereBack[2];
static std::atomic<bool> IsOver;

// What one puts into its box the other frees, and allocates the next: with one
// arena both use the same address nearly always.
static void play(int Me, long Count) {
  using Clock = std::chrono::steady_clock;
  auto End = Clock::now() + std::chrono::seconds(20);
  for (long I = 0; I != Count; ++I) {
    void *Got;
    for (long Tries = 1; !(Got = ThereBack[Me].exchange(nullptr)); ++Tries) {
      if (Tries % 10000)
        continue;
      std::this_thread::yield();
      if (Clock::now() > End)
        IsOver = true;
      if (IsOver)
        return;
    }
    free(Got);
    ThereBack[1 - Me] = malloc(64);
  }
}

int main(int, char **Argv) {
  long Count = atol(Argv[1]);
  setenv("MALLOC_ARENA_MAX", "1", 1);
  ThereBack[0] = malloc(64);
  {
    std::thread Other(play, 1, Count);
    play(0, Count);
    Other.join();
  }
  // The last one lies in a box.
  free(ThereBack[0].load());
  free(ThereBack[1].load());
  _exit(0);
}
