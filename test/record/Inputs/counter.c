// Allocates and frees for ever; counts the allocations that have returned in the
// file argv[1], behind it its pid.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  int Fd = open(Argv[1], O_RDWR);
  volatile uint64_t *Count = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, Fd, 0);
  if (Count == MAP_FAILED)
    return 1;
  Count[1] = (uint64_t)getpid();
  static char *volatile Blocks[64];
  for (uint64_t I = 0;; ++I) {
    Blocks[I % 64] = malloc(16 + I % 1000);
    Count[0] = I + 1;
    if (I >= 63) {
      free(Blocks[(I + 1) % 64]);
      Blocks[(I + 1) % 64] = NULL;
    }
  }
}
