// Takes a MiB at a time and uses it, 200 times.
#include <stdlib.h>
#include <string.h>

int main(void) {
  for (int I = 0; I < 200; ++I) {
    char *P = malloc(1 << 20);
    memset(P, 1, 1 << 20);
  }
  return 0;
}
