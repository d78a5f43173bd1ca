// Eight threads, each of which frees what another has allocated.
//
// RUN: %cxx -O2 -std=c++17 %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
//
// CHECK: "lost": 0,
// CHECK: "unknown_free": 0,
// CHECK-NEXT: "double_allocate": 0,
// CHECK: "threads": 9,
//
// Their stacks of 8 MiB are nothing that they have allocated.
// RUN: memstat --show=threads --top=0 %t.fb | FileCheck %s --check-prefix=TABLE 
// TABLE: thread allocated share allocations
// TABLE-COUNT-8: {{ 48.[0-9] MiB}}

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

static constexpr int NumThreads = 8, Rounds = 200, Blocks = 100;

struct Box {
  std::mutex Lock;
  std::condition_variable Changed;
  std::vector<void *> Content;
  bool Full = false;
};
static Box Boxes[NumThreads];

static void put(Box &B, std::vector<void *> New) {
  std::unique_lock<std::mutex> Guard(B.Lock);
  B.Changed.wait(Guard, [&] { return !B.Full; });
  B.Content = std::move(New);
  B.Full = true;
  B.Changed.notify_all();
}

static void empty(Box &B) {
  std::unique_lock<std::mutex> Guard(B.Lock);
  B.Changed.wait(Guard, [&] { return B.Full; });
  for (void *P : B.Content)
    free(P);
  B.Full = false;
  B.Changed.notify_all();
}

static void work(int Me) {
  for (int R = 0; R != Rounds; ++R) {
    std::vector<void *> New;
    for (int I = 0; I != Blocks; ++I)
      New.push_back(malloc(16 + (R * Blocks + I) % 5000));
    put(Boxes[Me], std::move(New));
    empty(Boxes[(Me + 1) % NumThreads]);
  }
}

int main() {
  std::vector<std::thread> Threads;
  for (int I = 0; I != NumThreads; ++I)
    Threads.emplace_back(work, I);
  for (std::thread &T : Threads)
    T.join();
}
