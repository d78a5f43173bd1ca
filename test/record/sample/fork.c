// A child of fork has a sample and a set of its own: what it inherited and frees is
// no loss, what it allocates is counted by its own draws, and its parent's blocks
// are still known to the parent. A child without a sample is in the trace.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: env MEMREC_SAMPLE_SEED=1 memrec -q --sample=16K -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/near.py %t.json host.malloc allocated 180000000 live 20000000
// RUN: FileCheck %s --input-file=%t.json
// CHECK: "unknown_free": 0
// CHECK: "processes": [
// CHECK-COUNT-4: "recorded": true
// CHECK-NOT: "recorded"
//
// Two children that do the same are not sampled alike:
// RUN: memdump --format=asm %t.fb | %python %S/Inputs/differ.py

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Blocks = 20000 };
static void *Kept[Blocks];

static void wait_for(pid_t Child) {
  int Status;
  if (waitpid(Child, &Status, 0) != Child || Status != 0)
    _exit(1);
}

int main(void) {
  for (int I = 0; I != Blocks; ++I) // 20,000,000 bytes
    Kept[I] = malloc(1000);
  for (int C = 0; C != 2; ++C) {
    pid_t Child = fork();
    if (Child == 0) {
      for (int I = 0; I != Blocks; ++I)
        free(Kept[I]);
      for (int R = 0; R != 3; ++R) { // 60,000,000 bytes
        for (int I = 0; I != Blocks; ++I)
          Kept[I] = malloc(1000);
        for (int I = 0; I != Blocks; ++I)
          free(Kept[I]);
      }
      _exit(0);
    }
    wait_for(Child);
  }
  pid_t Child = fork();
  if (Child == 0) {
    free(malloc(10)); // Hardly a sample.
    _exit(0);
  }
  wait_for(Child);
  for (int I = 0; I != Blocks; ++I)
    free(Kept[I]);
  for (int I = 0; I != Blocks; ++I) // 40,000,000 bytes
    free(malloc(1000));
  for (int I = 0; I != Blocks; ++I)
    Kept[I] = malloc(1000);
  _exit(0);
}
