// A library without names but those that it exports: its allocator has a prefix, or the compiler has built its
// functions into an interface above them, as DuckDB's.
//
// REQUIRES: python
// RUN: %cc -O2 -g -shared -fPIC -Wl,-soname,libtable.so -DLIBRARY %s -o %t.dir.so
// RUN: mkdir -p %t.dir && strip -o %t.dir/libtable.so %t.dir.so
// RUN: %cc -O2 -g %s %t.dir/libtable.so -Wl,-rpath,%t.dir -o %t.exe
// RUN: memrec -q -o %t.fb -- %t.exe > %t.live
// RUN: memrec -q -o %t.fb -- %t.exe > %t.live
// RUN: memdump --check %t.fb
// RUN: %python %S/Inputs/heap.py %t.fb private.jemalloc@libtable %t.live
// RUN: memstat %t.fb | FileCheck %s
// CHECK: exported.c:[[#]] rows
#include "Inputs/toy.h"
#include <stdio.h>

#define OF_DUCKDB(Name) __asm__("_ZN6duckdb9Allocator" Name)
void *duckdb_allocate(void *data, size_t size) OF_DUCKDB("15DefaultAllocateEPNS_20PrivateAllocatorDataEm");
void *duckdb_resize(void *data, void *p, size_t old, size_t size)
    OF_DUCKDB("17DefaultReallocateEPNS_20PrivateAllocatorDataEPhmm");
void duckdb_free(void *data, void *p, size_t size) OF_DUCKDB("11DefaultFreeEPNS_20PrivateAllocatorDataEPhm");
void *table_je_mallocx(size_t size, int flags);
void table_je_sdallocx(void *p, size_t size, int flags);
size_t table_live(void);

#ifdef LIBRARY
__attribute__((noinline)) void *table_je_mallocx(size_t size, int flags) {
  (void)flags;
  return toy_take(size);
}
__attribute__((noinline)) void table_je_sdallocx(void *p, size_t size, int flags) {
  (void)size, (void)flags;
  toy_drop(p);
}
/* The first calls a function of the allocator, the others have it built in. */
void *duckdb_allocate(void *data, size_t size) {
  (void)data;
  return table_je_mallocx(size, 0);
}
void duckdb_free(void *data, void *p, size_t size) {
  (void)data, (void)size;
  toy_drop(p);
}
void *duckdb_resize(void *data, void *p, size_t old, size_t size) {
  void *q = toy_take(size);
  memcpy(q, p, old < size ? old : size);
  duckdb_free(data, p, old);
  return q;
}
size_t table_live(void) { return toy_live; }
#else
__attribute__((noinline)) static void *rows(size_t size) {
  void *p = duckdb_allocate(0, size);
  __asm__("");
  return p;
}

int main(void) {
  for (size_t i = 0; i != 100; ++i) {
    void *p = rows(1000 + i);
    if (i & 1)
      p = duckdb_resize(0, p, 1000 + i, 5000);
    if (i % 3)
      duckdb_free(0, p, 0);
    table_je_sdallocx(table_je_mallocx(100, 0), 100, 0);
    table_je_mallocx(200, 0);
  }
  // Bytes that live, and calls that made a block.
  printf("%zu %d\n", table_live(), 350);
  return 0;
}
#endif
