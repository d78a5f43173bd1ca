// A program that leaks in its steps, then waits for longer than they took, and frees all in an orderly exit, has
// leaked: to wait is no work.
//
// RUN: %cc -O1 -g -I %src_root/include %s -o %t.exe
// RUN: memrec -q --force -o %t.fb -- %t.exe
// RUN: memleak %t.fb | FileCheck %s
// CHECK: {{^}}LEAK  steps-then-wait.c:[[#]] keep  +{{.*}} per step, {{.*}}, freed at exit

#include <memkit/memkit.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { Steps = 100 };
static void *Kept[Steps];

__attribute__((noinline)) static void *keep(void) {
  return memset(malloc(50000), 1, 50000);
}

int main(void) {
  for (int I = 0; I != Steps; ++I) {
    memkit_step();
    Kept[I] = keep();
    free(malloc(300000));
    usleep(3000);
  }
  sleep(3);
  for (int I = 0; I != Steps; ++I)
    free(Kept[I]);
  return 0;
}
