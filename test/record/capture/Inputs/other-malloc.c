// An allocator as a library: bump allocation, and a calloc and a realloc that call
// malloc and free through the dynamic symbol, so that hooks nest.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static char *Next, *End;

void *malloc(size_t N) {
  size_t All = (N + 31) & ~(size_t)15;
  if (Next + All > End) {
    Next = mmap(0, 1 << 26, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    End = Next + (1 << 26);
  }
  size_t *P = (size_t *)(void *)__atomic_fetch_add(&Next, All, __ATOMIC_RELAXED);
  P[0] = N;
  return P + 2;
}

void free(void *P) {}

void *calloc(size_t N, size_t Each) { return memset(malloc(N * Each), 0, N * Each); }

void *realloc(void *P, size_t N) {
  void *New = malloc(N);
  if (P) {
    size_t Old = ((size_t *)P)[-2];
    memcpy(New, P, Old < N ? Old : N);
    free(P);
  }
  return New;
}

int posix_memalign(void **To, size_t A, size_t N) {
  *To = (void *)(((uintptr_t)malloc(N + A) + A - 1) & ~(A - 1));
  return 0;
}
