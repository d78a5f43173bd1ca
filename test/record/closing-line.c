// The line at the end counts the events that the trace has, mappings in parts and frees
// of what a parent allocated among them.
//
// RUN: %cc -O0 -g %s -o %t.exe
// RUN: memrec -o %t.fb %t.exe 2> %t.err
// RUN: memdump --check %t.fb | sed 's/ events replayed.*//' > %t.count
// RUN: grep -o '[0-9,]* events' %t.err | sed 's/ events//' | diff %t.count -
//
// RUN: memrec -v -o %t.none.fb %t.exe none 2>&1 | FileCheck %s
// CHECK: memrec: 1 process; the recorder took {{[0-9.]+}} {{[mu]?s}}; its longest pause was
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  if (Argc > 1)
    _exit(0);
  char *Map = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(Map + 4096, 8192);
  void *Block = realloc(malloc(100), 200);
  if (fork() == 0) {
    free(Block);
    return 0;
  }
  return wait(NULL) < 0;
}
