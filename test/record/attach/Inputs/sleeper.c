// Allocates now and then.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  puts("ready");
  fflush(stdout);
  for (;;) {
    free(malloc(1000));
    usleep(10000);
  }
}
