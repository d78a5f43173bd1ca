// A queue that fills, and drains for a good part of the life up to the exit, is no leak that
// the exit frees.
//
// RUN: %cxx -std=c++20 -O1 -g -fno-builtin %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// RUN: memleak -q --fail-on=growing %t.fb

#include "Inputs/pace.h"
#include <deque>

static std::deque<char *> Queue;

static void work(size_t Jobs) {
  for (int I = 0; I != 20; ++I)
    free(FILLED(2000 + 100 * I));
  for (; Jobs && !Queue.empty(); --Jobs) {
    free(Queue.front());
    Queue.pop_front();
  }
}

int main() {
  runFor(4, 5, [] {
    Queue.push_back(FILLED(1000));
    Queue.push_back(FILLED(1000));
    work(1);
  });
  size_t Filled = Queue.size(), Round = 0;
  runFor(3, 5, [&] { work(Filled / 400 + (Round++ % 2)); });
  work(Queue.size());
}

// CHECK: Nothing grows
// CHECK: grew to {{.*}} freed at {{.*}} backlog.cpp:
