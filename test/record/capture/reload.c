// A library that is loaded at the same place again and again has its codes of
// the first time: neither codes nor modules are used up.
//
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=1 %s -o %t.one.so
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=2 %s -o %t.two.so
// RUN: %cc -O0 -g %s -o %t -ldl
// RUN: %wiredrain --stacks -- %t %t.one.so %t.two.so > %t.out
// RUN: FileCheck %s < %t.out
// RUN: not grep 'size 1111.*two.so' %t.out
// RUN: not grep 'size 2222.*one.so' %t.out
// RUN: not grep 'malloc size \(1111\|2222\) ?' %t.out
//
// So with a glibc that cannot say which module owns an address.
// RUN: env MEMREC_ORACLE_OLD_GLIBC=1 %oracle 20000 1 -- %t %t.one.so %t.two.so | FileCheck %s --check-prefix=ORACLE
//
// One without a build-id may be another file by now.
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=1 %s -o %t.none.so -Wl,--build-id=none
// RUN: %wiredrain --stacks -- %t %t.none.so %t.two.so 20 | FileCheck %s --check-prefix=NONE
//
// CHECK-COUNT-10000: alloc malloc size 1111 {{[^ ]*}}one.so+
// CHECK: unknown 0 twice 0 lost 0
// CHECK: codes {{[0-9]?[0-9]?[0-9]}} binaries {{[0-9]}} depth
// CHECK: table-full 0 {{.*}}exit 0
//
// ORACLE: different 0 beyond 0 marked 0
//
// NONE-COUNT-20: alloc malloc size 1111 {{[^ ]*}}none.so+
// NONE: binaries {{2[0-9]}} depth
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#ifdef LIBRARY
__attribute__((noinline)) static void *inner(void) {
  return malloc(1111 * LIBRARY);
}
void *entry(void) { return inner(); }
#else
int main(int Argc, char **Argv) {
  int Rounds = Argc > 3 ? atoi(Argv[3]) : 10000;
  for (int I = 0; I < 2 * Rounds; ++I) {
    void *Library = dlopen(Argv[1 + I % 2], RTLD_NOW);
    void *(*Entry)(void) = (void *(*)(void))dlsym(Library, "entry");
    free(Entry());
    if (dlclose(Library))
      return 1;
  }
  return 0;
}
#endif
