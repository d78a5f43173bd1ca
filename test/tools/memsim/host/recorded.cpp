// A recorded program whose threads take turns, each with an arena of its own: a replay repeats what was measured,
// and says what a single arena would save.
//
// RUN: %cxx -O1 -pthread -o %t %s
// RUN: memrec -q --force -o %t.fb -- %t
// RUN: memsim --with=glibc --with=glibc:arena_max=1 --format=json %t.fb | %python %S/Inputs/close.py
// RUN: memsim %t.fb | FileCheck %s
// RUN: %if jemalloc %{ memsim --with=jemalloc %t.fb | FileCheck %s --check-prefix=JEMALLOC %}
// RUN: %if jemalloc %{ memsim --with=jemalloc:no_such:1 %t.fb | FileCheck %s --check-prefix=CONF %}
//
// CHECK: live: {{.*}} requests of 5 threads
// CHECK: {{^}}glibc {{ *[0-9]}}
// CHECK: {{^}}glibc:arena_max=1 {{ *[0-9]}}
// CHECK: check: the replay with glibc takes
// JEMALLOC: {{^}}jemalloc {{.*}}s{{$}}
// CONF: jemalloc:no_such:1: <jemalloc>: Invalid conf pair: no_such:1
#include <cstdlib>
#include <future>
#include <thread>
#include <vector>

static void *fillAndKeepOne() {
  std::vector<void *> Blocks;
  for (int I = 0; I != 20000; ++I) {
    Blocks.push_back(std::malloc(1000));
    *static_cast<volatile char *>(Blocks.back()) = 1;
  }
  void *Last = std::malloc(2000); // above the others in the arena
  for (void *Block : Blocks)
    std::free(Block);
  return Last;
}

int main() {
  std::vector<std::thread> Threads;
  std::vector<void *> Kept(4);
  std::promise<void> End;
  std::shared_future<void> AtEnd(End.get_future());
  for (void *&To : Kept) {
    std::promise<void> Filled;
    Threads.emplace_back([&] {
      To = fillAndKeepOne();
      Filled.set_value();
      AtEnd.wait();
    });
    Filled.get_future().wait();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300)); // a sample
  End.set_value();
  for (std::thread &T : Threads)
    T.join();
  for (void *Block : Kept)
    std::free(Block);
}
