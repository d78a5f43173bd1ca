/* Needs as much memory as its argument says, and keeps that of a second argument. Ends with status 5 without one. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2)
    return 5;
  char *needed = malloc(strtoul(argv[1], 0, 10));
  memset(needed, 1, 1000);
  if (argc < 3)
    free(needed);
}
