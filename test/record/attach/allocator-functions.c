// Functions that only an allocator has, as jemalloc's mallocx, in a program that runs already: its calls are recorded while
// memrec is there, and lead past it afterwards.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -shared -fPIC -DLIBRARY %s -o %t/libtoy.so
// RUN: %cc -O2 -fno-plt %s -o %t/program -L%t -ltoy -Wl,-rpath,%t
// RUN: %python %S/Inputs/attach.py told:--no-census %t/t.fb -- %t/program | FileCheck %s
// CHECK: the program says: made 500, dropped 200
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: calls as before
// CHECK-NEXT: the program's status: 0
// RUN: memdump --check %t/t.fb
// RUN: memdump --heap=host.malloc --format=csv --columns=kind,size %t/t.fb | sort | uniq -c | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: 500 alloc,777
// BLOCKS: 200 free,777
// RUN: %python %S/Inputs/attach.py cycles:10,--no-census %t/c.fb -- %t/program | FileCheck %s --check-prefix=CYCLES
// CYCLES: cycles: 10
// CYCLES: mappings left: 0
// CYCLES: calls as before
#include <stddef.h>
void *mallocx(size_t size, int flags);
void sdallocx(void *p, size_t size, int flags);

#ifdef LIBRARY
void *mallocx(size_t size, int flags) {
  static char room[64 << 20], *next = room;
  (void)flags;
  char *p = next;
  next += (size + 15) / 16 * 16;
  return next <= room + sizeof(room) ? p : 0;
}
void sdallocx(void *p, size_t size, int flags) { (void)p, (void)size, (void)flags; }
#else
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t ends;
static void end(int signal) { ends = signal; }

/// Where the program's calls lead.
static void *(*volatile make)(size_t, int);
static void (*volatile drop)(void *, size_t, int);
static void look(void) {
  __asm__ volatile("movq mallocx@GOTPCREL(%%rip), %0\n\tmovq sdallocx@GOTPCREL(%%rip), %1" : "=r"(make), "=r"(drop));
}

int main(void) {
  signal(SIGTERM, end);
  look();
  void *(*made)(size_t, int) = make;
  void (*dropped)(void *, size_t, int) = drop;
  puts("ready");
  fflush(stdout);
  while (!ends && (made == make || dropped == drop)) {
    usleep(10000);
    look();
  }
  for (int i = 0; i != 500; ++i) {
    void *p = mallocx(777, 0);
    if (i < 200)
      sdallocx(p, 777, 0);
  }
  puts("made 500, dropped 200");
  fflush(stdout);
  while (!ends)
    usleep(10000);
  look();
  puts(made == make && dropped == drop ? "calls as before" : "calls lead elsewhere");
  return 0;
}
#endif
