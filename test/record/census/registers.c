// What a table holds whose address is gone is lost, also where the table is the last block before malloc's
// free memory: malloc's own lists lead to its end. What only a register holds is not: with the program stopped
// in any register, else in those of a system call.
//
// REQUIRES: python
// RUN: %cc -O1 %s -o %t.exe
// RUN: %python %S/Inputs/count.py %t.fb --census=exact -- %t.exe > %t.said
// RUN: memflame --format=collapsed --metric=live %t.fb | FileCheck %s --check-prefixes=LOST,EXACT
// RUN: %python %S/Inputs/count.py %t.fb --census -- %t.exe > %t.said
// RUN: memflame --format=collapsed --metric=live %t.fb | FileCheck %s
//
//  LOST-DAG: {{^\[no pointer leads here\] 200[0-9]{5}$}}
// EXACT-DAG: {{^\[registers of threads\] 400[0-9]{5}$}}
// CHECK-DAG: {{^\[no pointer leads here\] 500[0-9]{5}$}}
// CHECK-DAG: {{^\[registers of threads\] 100[0-9]{5}$}}

#include <signal.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void lose(void) {
  void **Table = malloc(20 * sizeof(void *));
  for (int I = 0; I != 20; ++I) {
    Table[I] = malloc(1000000);
    memset(Table[I], 1, 1000000);
  }
}

// Leaves nothing of the frames that were below this one.
static inline __attribute__((always_inline)) void wipe(void) {
  __asm__ volatile("lea -65536(%%rsp), %%rdi\n"
                   "xor %%eax, %%eax\n"
                   "mov $8192, %%ecx\n"
                   "rep stosq"
                   :
                   :
                   : "rdi", "rax", "rcx", "memory");
}

int main(void) {
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &Ends, 0);
  lose();
  register void *Argument __asm__("rsi") = 0;
  register void *Kept __asm__("r12") = malloc(30000000);
  __asm__ volatile("" : "+r"(Kept));
  void *Info = malloc(10000000);
  wipe();
  // By functions of libc, registers would come to the stack.
  static const char Ready[] = "ready\n";
  long Written;
  __asm__ volatile("syscall"
                   : "=a"(Written), "+r"(Kept), "+r"(Info)
                   : "a"(1), "D"(1), "S"(Ready), "d"(6)
                   : "rcx", "r11", "memory");
  Argument = Info;
  register long Timeout __asm__("rdx") = 0;
  register long Bytes __asm__("r10") = 8;
  long Signal;
  // rt_sigtimedwait
  __asm__ volatile("syscall"
                   : "=a"(Signal), "+r"(Argument), "+r"(Kept)
                   : "a"(128), "D"(&Ends), "r"(Timeout), "r"(Bytes)
                   : "rcx", "r11", "memory");
  free(Kept);
  return 0;
}
