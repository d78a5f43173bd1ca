// Functions that cannot be replaced are left alone, and memrec says so: the program runs as without memrec.
//
// RUN: %cc -O2 -g %s -o %t.exe
// RUN: %t.exe > %t.alone
// RUN: memrec -q -o %t.fb --force -- %t.exe > %t.recorded
// RUN: memrec -o %t.fb --force -- %t.exe > %t.recorded 2> %t.err
// RUN: diff %t.alone %t.recorded
// RUN: FileCheck %s < %t.err
// RUN: memdump --check %t.fb
// RUN: memdump --format=asm %t.fb | FileCheck %s --check-prefix=TRACE
// TRACE: string [[TEXT:[0-9]+]] "private.mimalloc@refused: 5 functions cannot be recorded, as mi_
// TRACE: alert process=1 {{.*}}name=[[TEXT]]
// CHECK: private.mimalloc@refused: 5 functions cannot be recorded, as mi_{{.*}}: {{.+}}
//
// RUN: memkit-plandetours --names='^mi_' %t.exe | FileCheck --check-prefix=PLAN %s
// Without an end of its blocks nothing of an allocator is recorded.
// RUN: %cc -O2 -g -DENDLESS %s -o %t-endless.exe
// RUN: memrec -q -o %t.fb --force -- %t-endless.exe > %t.recorded
// RUN: memrec -o %t.fb --force -- %t-endless.exe 2>&1 > %t.recorded | FileCheck %s --check-prefix=ENDLESS
// RUN: diff %t.alone %t.recorded
// ENDLESS: private.mimalloc@refused: 12 functions cannot be recorded, as mi_{{.*}}its callers may count on registers
//
// PLAN-DAG: mi_calloc refused byte 1 calls a function
// PLAN-DAG: mi_zalloc refused a jump leads to byte 2
// PLAN-DAG: mi_new refused byte 3 is a loop instruction
// PLAN-DAG: mi_malloc_small refused it has only 2 bytes
// Calls return to the function.
// PLAN-DAG: mi_new_nothrow {{[0-9A-F]+}} {{[0-9A-F]+}} 5 FF3505000000E9000000000000000000000000 7 11 {{[0-9A-F]+}} 11 0
// PLAN-DAG: mi_new_aligned {{[0-9A-F]+}} {{[0-9A-F]+}} 7 57FF3506000000FF25000000000000000000000000 9 13 {{[0-9A-F]+}} 13 0
// A jump at the end, conditions, an operand relative to the instruction, and endbr64.
// PLAN-DAG: mi_malloc_aligned {{[0-9A-F]+}} {{[0-9A-F]+}} 5 E900000000 1 5
// PLAN-DAG: mi_heap_malloc {{[0-9A-F]+}} {{[0-9A-F]+}} {{[0-9]+}} 4885F60F8400000000E900000000 5 9
// PLAN-DAG: mi_valloc {{[0-9A-F]+}} {{[0-9A-F]+}} 7 488B05{{[0-9A-F]+}}E900000000 3 7
// PLAN-DAG: mi_pvalloc {{[0-9A-F]+}} {{[0-9A-F]+}} 5 F30F1EFA55534889F8E900000000
#include "Inputs/toy.h"
#include <stdio.h>

void *take(size_t size) { return toy_take(size); }

/* No call that the compiler does not follow: its callers keep values in registers. */
static int ended;
__attribute__((noinline)) static void mi_free_size(void *p, size_t size) { ended += p != 0 && size != 0; }
#ifdef ENDLESS
__attribute__((noinline)) static void mi_free(void *p) { ended += p != 0; }
#else
__attribute__((noinline)) static void mi_free(void *p) {
  ended += p != 0;
  toy_drop(p);
}
#endif

#define FUNCTION(Name, Code)                                                                                           \
  void *Name(size_t size);                                                                                             \
  __asm__(".text; .p2align 4; .globl " #Name "; .type " #Name ", @function; " #Name ": " Code "; .size " #Name         \
          ", . - " #Name);
FUNCTION(mi_malloc_aligned, "jmp take")
FUNCTION(mi_calloc, "push %rdi; call *%rsi; pop %rdi; jmp take")
FUNCTION(mi_new_nothrow, "call mi_ret; mov %rdi, %rdi; jmp take; mi_ret: ret")
FUNCTION(mi_new_aligned, "push %rdi; call *the_ret(%rip); pop %rdi; jmp take")
FUNCTION(mi_zalloc, "xor %eax, %eax; 1: inc %eax; cmp $3, %eax; jne 1b; jmp take")
FUNCTION(mi_new, "push $1; pop %rcx; 1: loop 1b; jmp take")
/* Two bytes, and the next function follows at once. */
FUNCTION(mi_malloc_small, "jmp mi_next; .size mi_malloc_small, . - mi_malloc_small;"
                          " .globl mi_next; .type mi_next, @function; mi_next: nop; jmp take")
FUNCTION(mi_heap_malloc, "test %rsi, %rsi; je 1f; mov %rsi, %rdi; jmp take; 1: xor %eax, %eax; ret")
FUNCTION(mi_valloc, "mov the_zero(%rip), %rax; add %rax, %rdi; jmp take")
FUNCTION(mi_pvalloc, "endbr64; push %rbp; push %rbx; mov %rdi, %rax; pop %rbx; pop %rbp; jmp take")
size_t the_zero;
void mi_ret(void);
void (*the_ret)(void) = mi_ret;
void *mi_calloc2(size_t size, void (*function)(void)) __asm__("mi_calloc");
void *mi_heap_malloc2(void *heap, size_t size) __asm__("mi_heap_malloc");

int main(void) {
  unsigned long sum = 0;
  for (int i = 1; i != 1000; ++i) {
    void *p[] = {mi_malloc_aligned(i), mi_calloc2(i, mi_ret), mi_new_nothrow(i), mi_new_aligned(i), mi_zalloc(i), mi_new(i), mi_malloc_small(i), mi_heap_malloc2(0, i),
                 mi_valloc(i), mi_pvalloc(i)};
    for (int k = 0; k != 10; ++k) {
      size_t size = ((size_t *)p[k])[-2];
      if (k % 2)
        mi_free(p[k]);
      else
        mi_free_size(p[k], size);
      sum = sum * 31 + size + k;
    }
  }
  printf("%lu %d\n", sum, ended);
  return 0;
}
