/* Which descriptors the program gets, and whether any file that it has there is
   touched by others while it allocates: prints the numbers and the positions. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile Sink;

/* By many ways, so that stacks are walked anew. */
static int deep(int Depth, int Size) {
  if (Depth)
    return deep(Depth - 1, Size) + 1;
  Sink = malloc(Size);
  free(Sink);
  return 1;
}

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 1;
  int In = open(Argv[1], O_RDONLY);
  int Out = open(Argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
  printf("descriptors %d %d\n", In, Out);
  for (int Fd = 3; Fd < 30; ++Fd)
    if (Fd != In && Fd != Out)
      dup2(Fd % 2 ? In : Out, Fd);
  for (int I = 0; I < 200; ++I)
    deep(I, I);
  printf("read %ld, written %ld\n", (long)lseek(In, 0, SEEK_CUR),
         (long)lseek(Out, 0, SEEK_END));
  return 0;
}
