// Alerts of a program in C. Without a recorder: none.
//
// RUN: %cc -O1 -g -I%src_root/include %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe recorded
// RUN: %t.exe alone

#include <assert.h>
#include <memkit/memkit.h>
#include <stdlib.h>
#include <unistd.h>

int main(int Count, char **Arguments) {
  (void)Count;
  uint64_t Value[2] = {7, 7};
  uint32_t A = memkit_alert("host:live>1MiB");
  if (Arguments[1][0] == 'a') {
    assert(A == 0 && memkit_alerted(A, Value) == 0 && memkit_alerted(1, 0) == 0);
    return 0;
  }
  assert(A == 1 && memkit_alerted(A, Value) == 0);
  assert(memkit_alerted(0, Value) == 0 && memkit_alerted(1000, Value) == 0);
  void *volatile P = malloc(2 << 20);
  for (int I = 0; I != 2000 && !memkit_alerted(A, 0); ++I)
    usleep(1000);
  assert(memkit_alerted(A, Value) == 1);
  assert(Value[0] == 2 << 20 && Value[1] == 1 << 20);
  free(P);
  return 0;
}
