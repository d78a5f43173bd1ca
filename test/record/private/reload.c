// A library that is opened and closed again and again, also at other places, and in a child of fork
// and after an exec: each block of its allocator is recorded.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -g -shared -fPIC -DLIBRARY %s -o %t/libtoy.so
// RUN: cp %t/libtoy.so %t/libother.so
// RUN: %cc -O2 -g %s -o %t/program -ldl
// RUN: memrec -q -o %t/first.fb -- %t/program %t 1
// RUN: memrec -o %t/t.fb -- %t/program %t 300 2> %t/said
// RUN: memdump --check %t/t.fb
//
// 100 blocks of each of two libraries in each of 300 turns, in three processes.
// RUN: echo 180000 > %t/made
// RUN: %python %S/Inputs/reloads.py %t/t.fb %t/made %t/said
#ifdef LIBRARY
#include "Inputs/toy.h"
HIDDEN void *mi_malloc_aligned(size_t size, size_t alignment) {
  (void)alignment;
  return toy_take(size);
}
HIDDEN void mi_free(void *p) { toy_drop(p); }
void lib_run(void) {
  for (int i = 0; i != 100; ++i)
    mi_free(mi_malloc_aligned(100, 16));
}
__attribute__((destructor)) static void end(void) { munmap(toy_end - TOY_ROOM, TOY_ROOM); }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  void *lib = dlopen(path, RTLD_NOW);
  void (*go)(void);
  *(void **)&go = dlsym(lib, "lib_run");
  go();
  dlclose(lib);
}

int main(int argc, char **argv) {
  int turns = atoi(argv[2]);
  for (int i = 0; i != turns; ++i) {
    run(argv[1], "libtoy.so");
    /* The next library may not get the place of this one. */
    if (i % 7 == 0)
      mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    run(argv[1], "libother.so");
  }
  if (argc > 3)
    return 0;
  if (fork() == 0) {
    for (int i = 0; i != turns; ++i)
      run(argv[1], "libother.so"), run(argv[1], "libtoy.so");
    execl(argv[0], argv[0], argv[1], argv[2], "last", (char *)0);
    _exit(1);
  }
  int status;
  wait(&status);
  return status;
}
#endif
