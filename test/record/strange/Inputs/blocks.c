// 100,000 blocks that are freed, and 1,000 of 100 bytes that are not.

#include <stdio.h>
#include <stdlib.h>

static void *volatile P;

int main(void) {
  for (int I = 0; I != 100000; ++I) {
    P = malloc((size_t)(1 + I % 5000));
    free(P);
  }
  for (int I = 0; I != 1000; ++I)
    P = malloc(100);
  puts("done");
  return 0;
}
