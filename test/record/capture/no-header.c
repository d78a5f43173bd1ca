// A library whose unwind tables have no header: its file says where they lie.
//
// RUN: %cc -O2 -g -shared -fPIC -DLIBRARY %s -o %t.so -Wl,--no-eh-frame-hdr
// RUN: readelf -lW %t.so | not grep GNU_EH_FRAME
// RUN: %cc -O2 -g %s -o %t.exe %t.so
// RUN: %wiredrain --stacks -- %t.exe > %t.out
// RUN: FileCheck %s < %t.out
//
// So has a program without.
// RUN: %cc -O2 -g -DLIBRARY -DPROGRAM %s -o %t.whole -Wl,--no-eh-frame-hdr
// RUN: %wiredrain --stacks -- %t.whole | FileCheck %s --check-prefix=WHOLE
//
// A file that is another one by now is not believed, and nothing goes wrong.
// RUN: %cc -O2 -g %s -o %t.changed -DCHANGE -ldl
// RUN: cp %t.so %t.other.so
// RUN: %wiredrain --stacks -- %t.changed %t.other.so | FileCheck %s --check-prefix=CHANGED
#include <stdlib.h>

int entry(int Depth);
#ifdef LIBRARY
// Of several sizes, none with a frame pointer.
__attribute__((noinline)) static void take(volatile char *Room) {
  Room[0] = 1;
  void *volatile P = malloc(1111);
  free(P);
}
__attribute__((noinline)) static int inner(int Depth) {
  volatile char Room[3000];
  take(Room);
  return Room[0] + Depth;
}
__attribute__((noinline)) int entry(int Depth) {
  volatile char Room[100];
  Room[Depth] = 2;
  int Result = Depth ? entry(Depth - 1) : inner(Depth);
  return Result + Room[Depth];
}
#endif
#if defined(CHANGE)
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
int main(int Argc, char **Argv) {
  void *Library = dlopen(Argv[1], RTLD_NOW);
  int (*Entry)(int) = (int (*)(int))dlsym(Library, "entry");
  // Another file takes its name.
  if (unlink(Argv[1]) != 0)
    return 1;
  int Fd = open(Argv[1], O_CREAT | O_RDWR, 0600);
  if (write(Fd, "#!/bin/sh", 9) != 9)
    return 2;
  return Entry(3) == 0;
}
#elif !defined(LIBRARY) || defined(PROGRAM)
int main(void) { return entry(3) == 0; }
#endif
// CHECK: alloc malloc size 1111
// CHECK-SAME: no-header.c.tmp.so+
// CHECK-SAME: no-header.c.tmp.so+
// CHECK-SAME: no-header.c.tmp.so+
// CHECK-SAME: no-header.c.tmp.so+
// CHECK-SAME: no-header.c.tmp.so+
// CHECK-SAME: no-header.c.tmp.so+
// CHECK-SAME: no-header.c.tmp.exe+
// CHECK-SAME: libc.so.6+
// CHECK-NOT: no unwind
// WHOLE: alloc malloc size 1111
// WHOLE-SAME: no-header.c.tmp.whole+
// WHOLE-SAME: no-header.c.tmp.whole+
// WHOLE-SAME: no-header.c.tmp.whole+
// WHOLE-SAME: no-header.c.tmp.whole+
// WHOLE-SAME: no-header.c.tmp.whole+
// WHOLE-SAME: no-header.c.tmp.whole+
// WHOLE-SAME: libc.so.6+
// CHANGED: alloc malloc size 1111
// CHANGED: status 0
