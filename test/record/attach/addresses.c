// An executable without -fPIE that takes the addresses of the allocator's functions: these are addresses in its own table of
// calls, as in Debian's python3. All its calls are recorded, also those through the addresses, and lead to libc afterwards.
//
// REQUIRES: python
// RUN: %cc -O1 -g -no-pie -fno-pie %s -o %t.exe
// RUN: %python %S/Inputs/attach.py once:--no-census %t.fb -- %t.exe | FileCheck %s
// CHECK: memrec's status: 0
// CHECK-NEXT: the program: an address in its own table: yes
// CHECK-NEXT: the program's status: 0
// RUN: memdump --check %t.fb
// RUN: memdump --heap=host.malloc --format=csv --columns=kind,size %t.fb | sort -u | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: alloc,555
// BLOCKS: alloc,777
// BLOCKS: free,555
// BLOCKS: free,777
// RUN: %python %S/Inputs/attach.py cycles:10 %t.cycles.fb -- %t.exe | FileCheck %s --check-prefix=CYCLES
// CYCLES: cycles: 10
// CYCLES-NEXT: mappings left: 0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t ends;
static void end(int signal) { ends = signal; }

static void *(*volatile make)(size_t);
static void (*volatile drop)(void *);

int main(void) {
  extern char __executable_start[], end_of_program[] __asm__("_end");
  signal(SIGTERM, end);
  make = malloc;
  drop = free;
  char *at = (char *)make;
  puts("ready");
  fflush(stdout);
  while (!ends) {
    void *volatile p = make(555);
    drop(p);
    p = malloc(777);
    free(p);
    usleep(1000);
  }
  puts(at > __executable_start && at < end_of_program ? "an address in its own table: yes" : "an address in its own table: no");
  return 0;
}
