// Without unwind tables and frame pointers: see missing-callers.c.
#include <stdlib.h>

__attribute__((noinline)) void *inner(size_t Bytes) {
  char *volatile P = malloc(Bytes);
  *P = 1;
  return P;
}

__attribute__((noinline)) void middle(size_t Bytes) {
  char *volatile P = inner(Bytes);
  free(P);
}
