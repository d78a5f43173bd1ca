/* Holds 20 MiB for a while, then 5 MiB until it is killed. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { Blocks = 20, Bytes = 1 << 20, Kept = 5 };

static void *Held[Blocks];

__attribute__((noinline)) static void rise(void) {
  for (int I = 0; I < Blocks; I++)
    Held[I] = malloc(Bytes);
}

int main(void) {
  printf("%d\n", getpid());
  fflush(stdout);
  rise();
  usleep(800000);
  for (int I = Kept; I < Blocks; I++)
    free(Held[I]);
  sleep(60);
  return 0;
}
