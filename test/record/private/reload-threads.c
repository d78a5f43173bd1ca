// Threads that open and close libraries with an allocator of their own, while others run in such libraries: no call
// is lost. A library may be open in several threads at a time.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -g -shared -fPIC -DLIBRARY %s -o %t/lib0.so
// RUN: for i in 1 2 3 4; do cp %t/lib0.so %t/lib$i.so; done
// RUN: %cc -O2 -g %s -o %t/program -ldl -lpthread
// RUN: memrec -q -o %t/first.fb -- %t/program %t 1 > %t/made
// RUN: memrec -o %t/t.fb -- %t/program %t 200 > %t/made 2> %t/said
// RUN: memdump --check %t/t.fb
// RUN: %python %S/Inputs/reloads.py %t/t.fb %t/made %t/said
#ifdef LIBRARY
#include "Inputs/toy.h"
HIDDEN void *mi_malloc_aligned(size_t size, size_t alignment) {
  (void)alignment;
  return toy_take(size);
}
HIDDEN void mi_free(void *p) { toy_drop(p); }
void lib_run(int count) {
  for (int i = 0; i != count; ++i)
    mi_free(mi_malloc_aligned(100, 16));
}
__attribute__((destructor)) static void end(void) {
  if (toy_end)
    munmap(toy_end - TOY_ROOM, TOY_ROOM);
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static const char *folder;
static int turns;
static long made;
static int ended; /* loaders that are done */

static void (*lib_open(int number, void **library))(int) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/lib%d.so", folder, number);
  if (!(*library = dlopen(path, RTLD_NOW)))
    abort();
  void (*run)(int);
  *(void **)&run = dlsym(*library, "lib_run");
  return run;
}

/* Opens its own library, and one that others open, too. */
static void *load(void *own) {
  for (int i = 0; i != turns; ++i) {
    void *mine, *shared;
    void (*run)(int) = lib_open((int)(size_t)own, &mine);
    run(10);
    void (*both)(int) = lib_open(4, &shared);
    both(1);
    dlclose(mine);
    dlclose(shared);
    __atomic_fetch_add(&made, 11, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
  return 0;
}

static void *work(void *unused) {
  (void)unused;
  void *library;
  void (*run)(int) = lib_open(0, &library);
  /* A toy's memory is not used twice. */
  for (int i = 0; i != 1000 && __atomic_load_n(&ended, __ATOMIC_RELAXED) != 3; ++i) {
    run(50);
    __atomic_fetch_add(&made, 50, __ATOMIC_RELAXED);
  }
  return 0;
}

int main(int argc, char **argv) {
  folder = argv[1];
  turns = argc > 2 ? atoi(argv[2]) : 1;
  pthread_t threads[5];
  for (size_t i = 0; i != 3; ++i)
    pthread_create(&threads[i], 0, load, (void *)(i + 1));
  for (int i = 3; i != 5; ++i)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i != 5; ++i)
    pthread_join(threads[i], 0);
  printf("%ld\n", made);
  return 0;
}
#endif
