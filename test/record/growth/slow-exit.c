// Steps that leak, and an end of the program that takes longer than they did: it only frees, as the interpreter does with all its
// modules on a busy machine. The leak is one of each step.
//
// RUN: %cc -O0 -g -I %src_root/include %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak --kind=growth %t.fb | FileCheck %s
// CHECK: LEAK slow-exit.c:[[#]] step{{.*}} per step
#include <memkit/memkit.h>
#include <stdlib.h>
#include <unistd.h>

enum { Loaded = 1000, Steps = 60 };
static void *loaded[Loaded];
static void *kept[Steps];

__attribute__((noinline)) void step(int number) {
  memkit_step();
  kept[number] = malloc(20000);
  usleep(10000);
}

int main(void) {
  for (int i = 0; i != Loaded; ++i) {
    loaded[i] = malloc(30000);
    usleep(200);
  }
  for (int i = 0; i != Steps; ++i)
    step(i);
  for (int i = 0; i != Loaded; ++i) {
    free(loaded[i]);
    usleep(4000);
  }
  return 0;
}
