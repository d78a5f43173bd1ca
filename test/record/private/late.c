// The blocks of an allocator that a library has built into itself, in a program that runs already and uses it in
// eight threads: from then on they have the stack of the caller. Its own count of them is right to the end, and its
// code is as before when memrec has left. Again, each time.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -g -shared -fPIC -DLIBRARY %S/library.c -o %t/libtoy.so.2
// RUN: %cc -O2 -g %s -o %t/program -ldl -pthread
// RUN: memrec -q -o %t/first.fb -- %t/program %t/libtoy.so.2 now
// RUN: %python %S/../attach/Inputs/attach.py once:--for=1s %t/t.fb -- %t/program %t/libtoy.so.2 > %t/out
// RUN: FileCheck %s < %t/out
// CHECK: memrec: attached to process {{.*}} binaries changed, and {{[1-9]}} functions of private allocators; all stood for {{[0-9.]+ [um]s}}; recording
// CHECK: memrec: detached: {{.*}}, and {{[1-9]}} functions of private allocators
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: rounds some, errors 0, code as before
// CHECK-NEXT: the program's status: 0
// RUN: memdump --check %t/t.fb
// RUN: memdump --table=stacks --format=csv %t/t.fb | FileCheck %s --check-prefix=STACKS
// STACKS-DAG: lib_zero
// STACKS-DAG: lib_grow
// STACKS-DAG: keep,{{.*}}late.c
// RUN: memdump --summary --format=json %t/t.fb | FileCheck %s --check-prefix=HEAP
// HEAP: "lost": 0,
// HEAP: "unknown_free": 0,
// HEAP: private.mimalloc@libtoy
// RUN: %python %S/../attach/Inputs/attach.py cycles:10 %t/c.fb -- %t/program %t/libtoy.so.2 | FileCheck %s --check-prefix=CYCLES
// RUN: memdump --check %t/c.fb
// RUN: memdump --summary %t/c.fb | FileCheck %s --check-prefix=LAST
// LAST: private.mimalloc@libtoy
// CYCLES: cycles: 10
// CYCLES: mappings left: 0
// CYCLES: the program: rounds some, errors 0, code as before
// RUN: %python %S/../attach/Inputs/attach.py kills:5 %t/k.fb -- %t/program %t/libtoy.so.2 | FileCheck %s --check-prefix=KILLS
// KILLS: memrec's status: 0
// KILLS: the program: rounds some, errors 0, code as before
// RUN: %python %S/../attach/Inputs/attach.py once:--no-private %t/n.fb -- %t/program %t/libtoy.so.2 | FileCheck %s --check-prefix=NONE
// NONE-NOT: private allocators
// NONE: the program: rounds some, errors 0, code as before
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *(*make)(size_t), *(*zero)(size_t, size_t), *(*grow)(void *, size_t);
static void (*drop)(void *);
static volatile sig_atomic_t ends;
static int rounds, errors;

static void end(int signal) {
  (void)signal;
  ends = 1;
}

__attribute__((noinline)) static void *keep(size_t size) {
  void *p = make(size);
  __asm__("");
  return p;
}

/// Each block has its own number in all its bytes.
static void *work(void *seed) {
  unsigned next = (unsigned)(uintptr_t)seed, sizes[16] = {0};
  unsigned char *held[16] = {0};
  while (!ends) {
    next = next * 1103515245 + 12345;
    unsigned at = next >> 8 & 15, size = 1 + (next >> 16 & 255);
    for (unsigned i = 0; held[at] && i != sizes[at]; ++i)
      if (held[at][i] != at)
        __atomic_fetch_add(&errors, 1, __ATOMIC_RELAXED);
    switch (next >> 24 & 3) {
    case 0:
      held[at] = grow(held[at], size);
      break;
    case 1:
      drop(held[at]);
      held[at] = zero(size, 1);
      break;
    default:
      drop(held[at]);
      held[at] = keep(size);
    }
    memset(held[at], (int)at, size);
    sizes[at] = size;
    __atomic_fetch_add(&rounds, 1, __ATOMIC_RELAXED);
    if (!(next >> 9 & 63))
      usleep(500);
  }
  for (int i = 0; i != 16; ++i)
    drop(held[i]);
  return 0;
}

/// A sum of the library's code.
static int sum(struct dl_phdr_info *info, size_t size, void *to) {
  (void)size;
  if (strstr(info->dlpi_name, "libtoy"))
    for (int i = 0; i != info->dlpi_phnum; ++i)
      if (info->dlpi_phdr[i].p_flags & PF_X)
        for (size_t b = 0; b != info->dlpi_phdr[i].p_filesz; ++b)
          *(uint64_t *)to = *(uint64_t *)to * 31 + ((unsigned char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr)[b];
  return 0;
}

int main(int argc, char **argv) {
  signal(SIGTERM, end);
  void *lib = dlopen(argv[1], RTLD_NOW);
  *(void **)&make = dlsym(lib, "lib_make");
  *(void **)&zero = dlsym(lib, "lib_zero");
  *(void **)&grow = dlsym(lib, "lib_grow");
  *(void **)&drop = dlsym(lib, "lib_drop");
  size_t (*live)(void);
  *(void **)&live = dlsym(lib, "lib_live");
  size_t before = live();
  uint64_t code = 0, now = 0;
  dl_iterate_phdr(sum, &code);
  ends = argc > 2;
  pthread_t threads[8];
  for (uintptr_t i = 0; i != 8; ++i)
    pthread_create(&threads[i], 0, work, (void *)(i + 1));
  puts("ready");
  fflush(stdout);
  while (!ends)
    usleep(10000);
  for (int i = 0; i != 8; ++i)
    pthread_join(threads[i], 0);
  dl_iterate_phdr(sum, &now);
  printf("rounds %s, errors %d, code %s\n", rounds ? "some" : "none", errors + (live() != before), now == code ? "as before" : "changed");
  return 0;
}
