// A program whose calls of malloc lead to a malloc of its own, which --no-private leaves alone: memrec says that its blocks are not
// recorded.
//
// REQUIRES: python
// RUN: %cc -O0 -fno-builtin %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once:--no-census,--no-private %t.fb -- %t.exe | FileCheck %s
// CHECK: memrec: attached to process
// CHECK-NEXT: memrec: no call of malloc was found in its binaries: blocks of malloc are not recorded
// CHECK: memrec's status: 0
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static char room[1 << 20];
static size_t used;

void *malloc(size_t size) {
  size_t at = used;
  used += (size + 15) / 16 * 16;
  return used <= sizeof(room) ? room + at : NULL;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *p, size_t size) { return p ? NULL : malloc(size); }

int main(void) {
  if (write(1, "ready\n", 6) != 6)
    return 1;
  for (;;) {
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
    usleep(1000);
  }
}
