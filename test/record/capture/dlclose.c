// Libraries that come and go at the same place: the addresses of one are never
// taken for the other's.
//
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=first %s -o %t.first.so
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY=second -DPAD %s -o %t.second.so
// RUN: %cc -O0 -g %s -o %t
// RUN: %wiredrain --stacks -- %t %t.first.so %t.second.so > %t.out
// RUN: FileCheck %s < %t.out
// RUN: not grep 'size 1111.*second.so' %t.out
// RUN: not grep 'size 2222.*first.so' %t.out
//
// What the loader takes and gives back is all known.
// CHECK-COUNT-20: alloc malloc size 1111 {{[^ ]*}}first.so+
// CHECK: unknown 0 twice 0 lost 0
// CHECK: unmapped {{([2-9]|[1-4][0-9])}} exit 0

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#ifdef LIBRARY
#ifdef PAD
int pad(int A) { return A * 7; }
void *entry(void) { return malloc(2222); }
#else
void *entry(void) { return malloc(1111); }
#endif
#else
int main(int Argc, char **Argv) {
  for (int I = 0; I < 40; ++I) {
    void *Library = dlopen(Argv[1 + I % 2], RTLD_NOW);
    void *(*Entry)(void) = (void *(*)(void))dlsym(Library, "entry");
    free(Entry());
    if (dlclose(Library))
      return 1;
  }
  return 0;
}
#endif
