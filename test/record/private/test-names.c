/* Names of tests in the layout of libc++, and what is no name: nothing is read that is not there.
 *
 * RUN: %cc -O0 -g %s -o %t.exe
 * RUN: memrec -q -o %t.fb --force -- %t.exe
 * RUN: memrec -q -o %t.fb --force -- %t.exe | FileCheck %s --check-prefix=RUNS
 * RUNS: 8 runs
 * RUN: memdump --check %t.fb
 * RUN: memdump --scopes --format=csv %t.fb | FileCheck %s
 *      CHECK: {{^}}name,
 * CHECK-NEXT: {{^}}Suite.Test,1,
 * CHECK-NEXT: {{^}}SuiteWithAVeryLongNameThatNeedsABlock.TestWithAVeryLongNameThatNeedsABlock,1,
 * RUN: test $(memdump --scopes --format=csv %t.fb | wc -l) = 3
 */
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int Runs;
__attribute__((noinline)) int run(void *Test) __asm__("_ZN7testing8TestInfo3RunEv");
int run(void *Test) {
  Runs += Test != 0 && !getenv("NO_RUNS");
  return Runs * 3 + 1;
}

/* A string of libc++, in three words. */
static void put(uint64_t *At, const char *Text) {
  size_t Size = strlen(Text);
  memset(At, 0, 24);
  if (Size <= 22) {
    *(unsigned char *)At = (unsigned char)(Size * 2);
    memcpy((char *)At + 1, Text, Size);
  } else {
    At[0] = 64 | 1;
    At[1] = Size;
    At[2] = (uint64_t)Text;
  }
}

int main(int Count, char **Args) {
  /* What GoogleTest imports. */
  if (Count > 5)
    return regexec(0, Args[1], 0, 0, 0) + mkstemp(Args[2]);
  uint64_t Test[8] = {0};
  put(Test, "Suite");
  put(Test + 3, "Test");
  run(Test);
  put(Test, "SuiteWithAVeryLongNameThatNeedsABlock");
  put(Test + 3, "TestWithAVeryLongNameThatNeedsABlock");
  run(Test);
  /* No name, no memory, too long, a NUL within, not aligned. */
  memset(Test, 0xff, sizeof(Test));
  run(Test);
  Test[0] = 0x1000, Test[1] = 20, Test[4] = 0x1000, Test[5] = 20;
  run(Test);
  Test[0] = Test[4] = UINT64_MAX - 15;
  run(Test);
  memset(Test, 0, sizeof(Test));
  run(Test);
  run((void *)8);
  run((char *)Test + 1);
  printf("%d runs\n", Runs);
  return 0;
}
