// A library with an allocator of its own that a program opens while memrec is attached: its blocks have the stack of
// the caller from the first one. It is opened and closed again and again while memrec comes and goes.
//
// REQUIRES: python
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 -g -shared -fPIC -DLIBRARY -DUNMAPS %S/library.c -o %t/libtoy.so.2
// RUN: %cc -O2 -g %s -o %t/program -ldl -pthread
// RUN: memrec -q -o %t/first.fb -- %t/program %t/libtoy.so.2 now
// RUN: %python %S/../attach/Inputs/attach.py told %t/t.fb -- %t/program %t/libtoy.so.2 once > %t/out
// RUN: FileCheck %s < %t/out
// CHECK: the program says: used
// CHECK: memrec: detached: {{.*}}, and {{[1-9]}} functions of private allocators; all stood for
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: errors 0, code as in the file
// RUN: memdump --check %t/t.fb
// RUN: memdump --heap='private.*' --format=csv --columns=kind,size %t/t.fb | sort | uniq -c | FileCheck %s --check-prefix=BLOCKS
// A constructor of the library makes one of these.
// BLOCKS: 31 alloc,1000
// BLOCKS: 210 alloc,500
// BLOCKS: 200 free,500
// RUN: memflame --group-by=line --heap='private.*' --metric=live --format=csv %t/t.fb | FileCheck %s --check-prefix=LINES
// LINES: late-opened.c:{{[0-9]+}} keep
// RUN: %python %S/../attach/Inputs/attach.py cycles:20,--no-census %t/c.fb -- %t/program %t/libtoy.so.2 loop | FileCheck %s --check-prefix=CYCLES
// CYCLES: cycles: 20
// CYCLES: mappings left: 0
// CYCLES: the program: errors 0, code as in the file
// RUN: %python %S/../attach/Inputs/attach.py kills:5 %t/k.fb -- %t/program %t/libtoy.so.2 loop | FileCheck %s --check-prefix=KILLS
// KILLS: memrec's status: 0
// KILLS: the program: errors 0, code as in the file
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *(*make)(size_t);
static void (*drop)(void *);
static volatile sig_atomic_t ends;
static int errors;

static void end(int signal) {
  (void)signal;
  ends = 1;
}

static void say(const char *line) {
  puts(line);
  fflush(stdout);
}

static void *open_library(const char *path) {
  void *lib = dlopen(path, RTLD_NOW);
  *(void **)&make = dlsym(lib, "lib_make");
  *(void **)&drop = dlsym(lib, "lib_drop");
  return lib;
}

__attribute__((noinline)) static void *keep(size_t size) {
  void *p = make(size);
  __asm__("");
  return p;
}

static void use(const char *path) {
  void *lib = open_library(path), *held[10];
  for (int i = 0; i != 10; ++i)
    memset(held[i] = keep(500), i, 500);
  for (int i = 0; i != 10; ++i) {
    errors += ((char *)held[i])[499] != i;
    drop(held[i]);
  }
  dlclose(lib);
}

// Others allocate, begin and end meanwhile.
static void *one(void *unused) { return free(malloc(100)), unused; }
static void *others(void *unused) {
  while (!ends) {
    pthread_t thread;
    pthread_create(&thread, 0, one, 0);
    pthread_join(thread, 0);
    usleep(500);
  }
  return unused;
}

// The function that the loader calls when it has opened a library.
static const unsigned char *notice(void) {
  for (ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_DEBUG)
      return (const unsigned char *)((struct r_debug *)d->d_un.d_ptr)->r_brk;
  abort();
}

// Whether the library's code is what its file has.
static int compare(struct dl_phdr_info *info, size_t size, void *file) {
  (void)size;
  int differs = 0;
  if (strstr(info->dlpi_name, "libtoy"))
    for (int i = 0; i != info->dlpi_phnum; ++i) {
      const ElfW(Phdr) *p = &info->dlpi_phdr[i];
      if (p->p_flags & PF_X)
        differs |= memcmp((char *)info->dlpi_addr + p->p_vaddr, (char *)file + p->p_offset, p->p_filesz) != 0;
    }
  return differs;
}

int main(int argc, char **argv) {
  const char *path = argv[1], *way = argv[argc - 1];
  signal(SIGTERM, end);
  if (!strcmp(way, "now"))
    return open_library(path) == 0;
  pthread_t thread;
  pthread_create(&thread, 0, others, 0);
  unsigned char before[5];
  memcpy(before, notice(), sizeof(before));
  say("ready");
  if (!strcmp(way, "once")) {
    // Until memrec leads the loader's notice to its library.
    while (!memcmp(notice(), before, sizeof(before)))
      usleep(10000);
    for (int i = 0; i != 20; ++i)
      use(path);
  }
  while (!strcmp(way, "loop") && !ends)
    use(path);
  open_library(path);
  for (int i = 0; i != 10; ++i)
    keep(i & 1 ? 1000 : 500), keep(i & 1 ? 500 : 1000);
  if (!ends)
    say("used");
  while (!ends)
    usleep(10000);
  pthread_join(thread, 0);
  int fd = open(path, O_RDONLY);
  void *file = mmap(0, lseek(fd, 0, SEEK_END), PROT_READ, MAP_PRIVATE, fd, 0);
  printf("errors %d, code %s\n", errors, dl_iterate_phdr(compare, file) ? "changed" : "as in the file");
  return 0;
}
