// A thread that another one waits for while it opens or closes a library, in the library's constructor or destructor:
// it must not wait for the loader. memrec waits until the library is there. Others open and close libraries all the time,
// also in namespaces of their own.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O1 -shared -fPIC -DLIBRARY %s -o %t/libslow.so -pthread
// RUN: %cc -O1 %s -o %t/program -ldl -pthread
// RUN: %python %S/Inputs/attach.py once:--for=100ms,--no-census %t/t.fb -- %t/program %t/libslow.so 2000 0 | FileCheck %s
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: opened [[#]]
// CHECK-NEXT: the program's status: 0
// RUN: %python %S/Inputs/attach.py cycles:5,--no-census %t/l.fb -- %t/program %t/libslow.so 0 1 | FileCheck %s --check-prefix=LOOP
// LOOP: cycles: 5
// LOOP: the program: opened [[#]]
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef LIBRARY
static void *work(void *unused) {
  (void)unused;
  for (int left = atoi(getenv("SLOW_MS")); left > 0; --left)
    usleep(1000);
  return 0;
}
__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
}
#else
#include <dlfcn.h>
#include <signal.h>

static volatile sig_atomic_t ends;
static void end(int signal) { ends = signal; }

int main(int argc, char **argv) {
  signal(SIGTERM, end);
  setenv("SLOW_MS", argv[2], 1);
  puts("ready");
  fflush(stdout);
  int opened = 0, again = argc > 3 && atoi(argv[3]);
  do {
    void *lib = opened % 2 ? dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) : dlopen(argv[1], RTLD_NOW);
    opened += !!lib;
    if (lib)
      dlclose(lib);
    usleep(1000);
  } while (!ends && again);
  while (!ends)
    usleep(10000);
  printf("opened %d\n", opened);
  return 0;
}
#endif
