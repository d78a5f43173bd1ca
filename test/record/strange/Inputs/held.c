// Holds 64 MiB at its end, in blocks of a size that no allocator rounds up.
#include <stdlib.h>
#include <string.h>

static char *volatile Kept[64 << 10];

int main(void) {
  for (int I = 0; I != 64 << 10; ++I)
    memset(Kept[I] = malloc(1024), 1, 1024);
  return 0;
}
