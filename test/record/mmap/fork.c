// What a child inherits is not its own: giving it back is an inherited free. Its
// own mappings are.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void *map(size_t Size) {
  return mmap(0, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
              0);
}

int main(void) {
  void *A = map(1 << 20), *B = map(2 << 20);
  if (fork() == 0) {
    void *C = map(4 << 20);
    munmap(A, 1 << 20);
    munmap(C, 4 << 20);
    map(8 << 20);
    _exit(0);
  }
  int Status;
  wait(&Status);
  munmap(B, 2 << 20);
  _exit(Status != 0);
}

// CHECK: "allocations": 4,
// CHECK-NEXT: "frees": 2,
// CHECK: "lost": 0,
// CHECK-NEXT: "inherited_frees": 1
// CHECK: "totals":
// CHECK-NEXT: "allocated_bytes": 15728640,
// CHECK-NEXT: "freed_bytes": 6291456,
// CHECK-NEXT: "live_bytes": 9437184,
// CHECK-NEXT: "live_at_exits_bytes": 9437184,
// CHECK-NEXT: "live_blocks": 2,
// CHECK-NEXT: "peak_bytes": 11534336,
