// Host memory that the driver has allocated or registered is a part of its own of the
// resident memory, as far as it was touched; the registered block of malloc is not among
// malloc's blocks then, and memory that is unregistered is malloc's again.
//
// RUN: %cuda_cc %s -o %t.exe %libcuda
// RUN: %cuda memrec -q --resident-at=end -o %t.fb -- %t.exe
// RUN: memstat --format=json %t.fb | %python -c "import json, sys; p = json.load(sys.stdin)['resident'][0]['exit']['parts']; print(p['pinned'] >> 20, p['malloc'] >> 20, p['mapping'] >> 20)" | FileCheck %s
// RUN: memstat --show=resident %t.fb | FileCheck %s --check-prefix=SHOWN
// CHECK: 15 6 0
// SHOWN: pinned by CUDA's driver 15{{.*}} MiB

#include "Inputs/check.h"

int main(void) {
  enum { MiB = 1 << 20 };
  begin();
  void *Allocated, *Untouched;
  CHECK(cuMemHostAlloc(&Allocated, 10 * MiB, 0));
  memset(Allocated, 1, 10 * MiB);
  CHECK(cuMemAllocHost(&Untouched, 20 * MiB));
  void *Registered = aligned_alloc(4096, 5 * MiB);
  void *Before = aligned_alloc(4096, 6 * MiB);
  memset(Registered, 1, 5 * MiB);
  memset(Before, 1, 6 * MiB);
  CHECK(cuMemHostRegister(Registered, 5 * MiB, 0));
  CHECK(cuMemHostRegister(Before, 6 * MiB, 0));
  CHECK(cuMemHostUnregister(Before));
  _exit(0);
}
