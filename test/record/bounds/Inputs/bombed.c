// Loads the library of its argument, calls it, and says when it ends.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int Count, char **Arguments) {
  void *Library = dlopen(Arguments[Count - 1], RTLD_NOW);
  void *(*Keeps)(size_t) =
      Library ? (void *(*)(size_t))dlsym(Library, "keeps") : 0;
  if (!Keeps)
    return 1;
  for (size_t I = 0; I != 100; ++I)
    free(Keeps(1000 + I));
  struct timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  printf("%lld.%09ld\n", (long long)Now.tv_sec, Now.tv_nsec);
  return 0;
}
