// A stack far deeper than the greatest depth costs a call of malloc no walk of all its frames:
// the time grows with the number of calls, not with the depth. One malloc in each of 40,000
// levels, going down and coming back; 1,000 in the last of 10^6 levels; from two callers, so that
// the outer half changes and the inner does not. The time is the processor time of the program, which other
// programs change less.
//
// RUN: %cc -O1 -g -fno-builtin -fno-optimize-sibling-calls %s -o %t.exe
// RUN: memrec -q --force --max-depth=64 -o %t.fb %t.exe 40000 40000
// RUN: memdump --check %t.fb
// RUN: memflame --format=collapsed %t.fb | FileCheck %s
// RUN: memrec -q --force -o %t.fb %t.exe 1000000 1000
// RUN: memdump --check %t.fb
//
// CHECK-DAG: main;once;down;down;down;{{.*}};[frames left out];down;down;{{.*}};malloc {{[0-9]+}}
// CHECK-DAG: main;again;down;down;down;{{.*}};[frames left out];down;down;{{.*}};malloc {{[0-9]+}}

#include <stdlib.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static long Levels, Calls;
static void *volatile P;

__attribute__((noinline)) static long down(long I) {
  if (I >= Levels - Calls)
    P = malloc(16);
  long Result = I < Levels ? down(I + 1) : 0;
  if (I >= Levels - Calls)
    P = malloc(24);
  __asm__ volatile("" ::: "memory");
  return Result + 1;
}

__attribute__((noinline)) static long once(void) { return down(0) + 1; }
__attribute__((noinline)) static long again(void) { return down(0) + 2; }

int main(int Argc, char **Argv) {
  (void)Argc;
  struct rlimit Stack;
  getrlimit(RLIMIT_STACK, &Stack);
  if (Stack.rlim_cur != Stack.rlim_max) {
    Stack.rlim_cur = Stack.rlim_max;
    setrlimit(RLIMIT_STACK, &Stack);
    execv("/proc/self/exe", Argv);
  }
  Levels = atol(Argv[1]), Calls = atol(Argv[2]);
  int IsWrong = once() + again() != 2 * (Levels + 1) + 3;
  double Seconds = (double)clock() / CLOCKS_PER_SEC;
  if (Seconds >= 8)
    dprintf(2, "%.1f s of processor time\n", Seconds);
  _exit(IsWrong || Seconds >= 8);
}
