// block STATUS SIZE: allocates a block, frees it and exits.
#include <stdlib.h>

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 100;
  char *volatile Block = malloc(strtoul(Argv[2], NULL, 10));
  Block[0] = 1;
  free(Block);
  return atoi(Argv[1]);
}
