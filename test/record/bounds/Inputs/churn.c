// churn STEPS ROUNDS [MICROSECONDS]: each step puts ROUNDS blocks of random sizes
// in random places of a table, then waits. The same numbers each time.

#include <memkit/memkit.h>
#include <stdlib.h>
#include <unistd.h>

enum { Places = 4096 };
static void *volatile Table[Places];
static unsigned long State = 88172645463325252ul;

static unsigned next(void) {
  State ^= State << 13;
  State ^= State >> 7;
  State ^= State << 17;
  return (unsigned)(State >> 32);
}

__attribute__((noinline)) static void work(int Rounds) {
  for (int I = 0; I != Rounds; ++I) {
    unsigned At = next() % Places;
    free(Table[At]);
    Table[At] = malloc(1 + next() % 1000);
  }
}

int main(int Count, char **Args) {
  for (int Step = 0; Step != atoi(Args[1]); ++Step) {
    memkit_step();
    work(atoi(Args[2]));
    if (Count > 3)
      usleep((unsigned)atoi(Args[3]));
  }
  return 0;
}
