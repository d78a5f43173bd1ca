// storm SECONDS: a table of 10,000 blocks of random sizes, of which a random one is
// freed and allocated anew, from 64 call sites, as fast as can be.

#include <stdlib.h>
#include <time.h>

enum { Places = 10000 };
static void *volatile Table[Places];
static unsigned long State = 88172645463325252ul;

static unsigned next(void) {
  State ^= State << 13;
  State ^= State >> 7;
  State ^= State << 17;
  return (unsigned)(State >> 32);
}

__attribute__((noinline)) static void put(unsigned At, unsigned Way) {
  if (Way) {
    // Not a tail call: each way is a stack.
    put(At, (Way - 1) / 2 * (Way % 3 != 0));
    __asm__ volatile("");
    return;
  }
  free(Table[At]);
  Table[At] = malloc(1 + next() % 1000);
}

int main(int Count, char **Args) {
  (void)Count;
  time_t End = time(NULL) + atoi(Args[1]);
  while (time(NULL) < End)
    for (int I = 0; I != 100000; ++I)
      put(next() % Places, next() % 64);
  return 0;
}
