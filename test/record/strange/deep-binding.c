// A library that is opened with RTLD_DEEPBIND finds libc's functions before the hooks, and is
// recorded nevertheless: bound at once or late, with and without read-only words, through a table
// of functions, and through a library that it depends on.
//
// RUN: rm -rf %t.dir && mkdir -p %t.dir/lib
// RUN: %cc -O0 -g -shared -fPIC -DINNER %s -o %t.dir/libinner.so
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY -Wl,-z,now,-z,relro %s -o %t.dir/now.so -L%t.dir -linner -Wl,-rpath,%t.dir
// RUN: %cc -O0 -g -shared -fPIC -DLIBRARY -Wl,-z,lazy,-z,norelro %s -o %t.dir/lazy.so -L%t.dir -linner -Wl,-rpath,%t.dir
// RUN: %cc -O0 -g -rdynamic %s -o %t.dir/prog -ldl
// RUN: memrec -o %t.now.fb %t.dir/prog %t.dir/now.so > %t.now 2> %t.err
// RUN: memrec -o %t.lazy.fb %t.dir/prog %t.dir/lazy.so > %t.lazy 2>> %t.err
// RUN: %t.dir/prog %t.dir/lazy.so | diff %t.now -
// RUN: diff %t.now %t.lazy
// RUN: FileCheck %s --check-prefix=LOSS < %t.err
// LOSS-COUNT-2: events, 0 lost
// RUN: memdump --check %t.now.fb && memdump --check %t.lazy.fb
// RUN: memflame --metric=allocated --format=collapsed %t.now.fb | FileCheck %s
// RUN: memflame --metric=allocated --format=collapsed %t.lazy.fb | FileCheck %s
// CHECK-DAG: main;table;malloc 100000
// CHECK-DAG: main;plain;malloc 200000
// CHECK-DAG: main;plain;inner;calloc 400000
// CHECK-DAG: main;plain;mmap {{819200|8192000}}
//
// One that brings an allocator of its own keeps that.
// RUN: %cc -O0 -g -shared -fPIC -DOWN -Wl,-z,lazy %s -o %t.dir/own.so
// RUN: memrec -o %t.own.fb %t.dir/prog %t.dir/own.so | FileCheck %s --check-prefix=OWN
// OWN: own 1
//
// The caller's search path counts, and errors are the loader's.
// RUN: %cc -O0 -g -rdynamic %s -o %t.dir/found -ldl -Wl,-rpath,%t.dir -Wl,--enable-new-dtags
// RUN: memrec -q -o %t.found.fb %t.dir/found now.so > %t.found && diff %t.now %t.found
// RUN: not memrec -q -o %t.no.fb %t.dir/prog %t.dir/none.so 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none.so: cannot open shared object file: No such file or directory
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(INNER)
void *inner(void) { return calloc(4, 1000); }
#elif defined(LIBRARY)
void *inner(void);
static void *(*const Table[])(size_t) = {malloc, malloc};
void *table(void) { return Table[1](1000); }
void plain(void) {
  free(malloc(2000));
  free(inner());
  munmap(mmap(0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 8192);
}
#elif defined(OWN)
static char Room[1 << 20];
static size_t Used;
void *malloc(size_t N) { return Room + (Used += (N + 15) & ~15ul); }
void free(void *P) { (void)P; }
void *table(void) { return malloc(1000); }
void plain(void) {
  char *P = malloc(100);
  printf("own %d\n", P >= Room && P < Room + sizeof(Room));
}
#else
int main(int Argc, char **Argv) {
  void *L = Argc > 1 ? dlopen(Argv[1], RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND) : 0;
  if (!L)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  void *(*Table)(void) = (void *(*)(void))dlsym(L, "table");
  void (*Plain)(void) = (void (*)(void))dlsym(L, "plain");
  for (int I = 0; I < 100; ++I) {
    Table();
    if (I == 0 || dlsym(L, "inner"))
      Plain();
  }
  return puts("done") < 0;
}
#endif
