// Threads that allocate and free from many stacks, with naps between, for so many
// seconds.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *Kept[8][1024];

__attribute__((noinline)) static void *deep(unsigned Path, int Depth,
                                            size_t Size) {
  if (!Depth)
    return malloc(Size);
  void *P = Path & 1 ? deep(Path >> 1, Depth - 1, Size)
                     : deep(Path >> 1, Depth - 1, Size + 1);
  __asm__ volatile("" ::: "memory");
  return P;
}

static void *run(void *Argument) {
  void **Mine = Kept[(long)Argument];
  for (unsigned Random = 1, Turn = 0;; ++Turn) {
    if (Turn % 500 == 0)
      usleep(1000);
    Random = Random * 1664525 + 1013904223;
    unsigned Slot = Random >> 16 & 1023;
    free(Mine[Slot]);
    Mine[Slot] = deep(Random >> 8, 9, 16 + (Random & 255));
  }
  return NULL;
}

int main(int Count, char **Arguments) {
  int Threads = atoi(Arguments[1]);
  pthread_t Thread;
  for (long I = 0; I < Threads; ++I)
    pthread_create(&Thread, NULL, run, (void *)I);
  sleep((unsigned)atoi(Arguments[2]));
  _exit(0);
}
