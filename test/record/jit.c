// Code that no module owns has the names that its compiler writes down, in the
// map of the pid that the process knows itself by.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe > %t.maps
// RUN: memdump --check %t.fb
// RUN: memdump %t.fb | FileCheck %s
//
// The map of a process that is gone may be another's by now: only a file that
// was written since the process began is believed, and no link.
// RUN: memrec -q -o %t.old.fb %t.exe old >> %t.maps
// RUN: memdump %t.old.fb | FileCheck %s --check-prefix=NONE
// RUN: memrec -q -o %t.link.fb %t.exe link >> %t.maps
// RUN: memdump %t.link.fb | FileCheck %s --check-prefix=NONE
// A pipe that nobody writes to keeps nobody waiting.
// RUN: memrec -q -o %t.fifo.fb %t.exe fifo >> %t.maps
// RUN: memdump %t.fifo.fb | FileCheck %s --check-prefix=NONE
//
// Of two processes with code at one address each has its own names.
// RUN: memrec -q -o %t.fork.fb %t.exe fork >> %t.maps
// RUN: memdump %t.fork.fb | FileCheck %s --check-prefix=FORK
//
// The names can come later, from the same maps, when the user asks for them.
// RUN: memrec -q --no-symbols -o %t.late.fb %t.exe >> %t.maps
// RUN: memdump --symbolize %t.late.fb -o %t.named.fb
// RUN: memdump %t.named.fb | FileCheck %s --check-prefix=NONE
// RUN: memdump --symbolize --perf-map=default %t.late.fb -o %t.named.fb
// RUN: memdump %t.named.fb | FileCheck %s
// RUN: memrec -q --no-symbols -o %t.late.fb %t.exe fork >> %t.maps
// RUN: memdump --symbolize --perf-map=default %t.late.fb -o %t.named.fb
// RUN: memdump %t.named.fb | FileCheck %s --check-prefix=FORK
// RUN: xargs rm -f < %t.maps
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void *(*Allocate)(size_t);

// push rbp; mov rbp, rsp; movabs rax, MALLOC; call rax; pop rbp; ret
static Allocate compile(void *At) {
  unsigned char Code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0,    0,   0,
                          0,    0,    0,    0,    0,    0xff, 0xd0, 0x5d, 0xc3};
  Allocate Malloc = malloc;
  memcpy(Code + 6, &Malloc, sizeof(Malloc));
  memcpy(At, Code, sizeof(Code));
  return (Allocate)(uintptr_t)At;
}

static char Path[64];

static void nameIt(const char *Name, void *At) {
  FILE *Map = fopen(Path, "a");
  fprintf(Map, "%lx %x %s\n", (unsigned long)At, 18, Name);
  fclose(Map);
}

// CHECK: alloc #{{.*}} 111 B host.malloc
// CHECK: malloc
// CHECK-NEXT: compiled:first of two
// CHECK-NEXT: main (jit.c:
// CHECK: alloc #{{.*}} 222 B host.malloc
// CHECK: malloc
// CHECK-NEXT: compiled:second
// CHECK-NEXT: main (jit.c:

// NONE-NOT: compiled:
// NONE: alloc #{{.*}} 222 B

// FORK-DAG: parent's{{$}}
// FORK-DAG: child's{{$}}
int main(int Argc, char **Argv) {
  const char *How = Argc > 1 ? Argv[1] : "";
  char *Area = mmap(0, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int IsFork = !strcmp(How, "fork");
  pid_t Child = IsFork ? fork() : -1;
  if (Child == 0)
    How = "child";
  snprintf(Path, sizeof(Path), "/tmp/perf-%d.map", (int)getpid());
  unlink(Path);
  puts(Path);
  fflush(stdout);
  char Target[64];
  snprintf(Target, sizeof(Target), "/tmp/perf-%d.map.target", (int)getpid());
  if (!strcmp(How, "link")) {
    puts(Target);
    if (symlink(Target, Path) != 0)
      return 2;
  }
  if (!strcmp(How, "fifo")) {
    if (mkfifo(Path, 0600) != 0)
      return 3;
  } else if (IsFork) {
    nameIt(How[0] == 'c' ? "child's" : "parent's", Area);
  } else {
    nameIt("compiled:first of two", Area);
    nameIt("compiled:second", Area + 4096);
  }
  struct timespec Old[2] = {{1, 0}, {1, 0}};
  if (!strcmp(How, "old") && utimensat(AT_FDCWD, Path, Old, 0) != 0)
    return 4;
  void *volatile A = compile(Area)(111);
  void *volatile B = compile(Area + 4096)(222);
  (void)A;
  (void)B;
  // The recorder reads it for the last time when the process has ended.
  if (Child > 0)
    wait(0);
  return 0;
}
