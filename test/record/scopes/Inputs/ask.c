// Asks for numbers, at first and each time that a byte comes from the descriptor
// of its argument.
#include <memkit/memkit.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int Argc, char **Argv) {
  (void)Argc;
  struct memkit_stats S;
  char C;
  for (int I = 0; I != 3; ++I) {
    printf("answered %d\n", memkit_stats(0, &S));
    fflush(stdout);
    if (I != 2 && read(atoi(Argv[1]), &C, 1) != 1)
      return 1;
  }
  puts("end");
  return 0;
}
