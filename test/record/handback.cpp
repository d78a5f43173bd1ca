// Two threads hand blocks to each other as fast as they can, so that an address
// is freed by one and given out to the other at once: whatever their clocks say,
// no record is lost and each block is freed once. Ten million times.
//
// RUN: %cxx -O2 -std=c++17 %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe 10000000
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
//
// CHECK: "lost": 0,
// CHECK: "unknown_free": 0,
// CHECK-NEXT: "double_allocate": 0,
// What is left is the C++ library's own.
// CHECK: "live_blocks": {{[0-9]}},

#include <atomic>
#include <cstdlib>
#include <thread>
#include <unistd.h>

static std::atomic<void *> ThereBack[2];

// What one puts into its box the other frees, and allocates the next: with one
// arena both use the same address nearly always.
static void play(int Me, long Count) {
  for (long I = 0; I != Count; ++I) {
    void *Got;
    while (!(Got = ThereBack[Me].exchange(nullptr)))
      ;
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
  // The last one lies in the first box.
  free(ThereBack[0].load());
  _exit(0);
}
