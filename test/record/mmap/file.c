// Mappings of files and devices are in heaps outside the totals. /dev/zero gives
// memory.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe %s
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | grep host | FileCheck %s
// RUN: memdump --summary --format=json %t.fb | FileCheck %s --check-prefix=JSON

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  // CHECK: alloc #0 4 KiB host.file
  int File = open(Argv[1], O_RDONLY);
  char *P = mmap(0, 100, PROT_READ, MAP_PRIVATE, File, 0);
  // CHECK-NEXT: alloc #1 4 KiB host.file
  char *Q = mmap(0, 100, PROT_READ, MAP_SHARED, File, 0);
  // CHECK-NEXT: alloc #2 8 KiB host.mmap
  int Zero = open("/dev/zero", O_RDWR);
  char *Z = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, Zero, 0);
  // CHECK-NOT: host.
  if (mmap(0, 100, PROT_READ, MAP_PRIVATE, -1, 0) != MAP_FAILED)
    return 1;
  Z[0] = P[0] + Q[0];
  munmap(P, 100);
  // Its protection does not make a file memory.
  mprotect(Q, 100, PROT_NONE);
  mprotect(Q, 100, PROT_READ);
  _exit(0);
}

// JSON: "totals":
// JSON-NEXT: "allocated_bytes": 8192,
// JSON: "name": "host.file"
// JSON: "allocations": 2,
// JSON-NEXT: "frees": 1,
