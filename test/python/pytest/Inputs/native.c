/* A library with leaks, for tests of Python. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *leak_malloc(size_t size) { return memset(malloc(size), 1, size); }
void *leak_mmap(size_t size) { return mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
void no_leak(size_t size) { free(leak_malloc(size)); }

/* As OpenSSL's error queues: a list that grows. */
struct error {
  struct error *next;
  char text[200];
};
static struct error *errors;
void push_error(void) {
  struct error *e = calloc(1, sizeof(*e));
  e->next = errors;
  errors = e;
}
void clear_errors(void) {
  while (errors) {
    struct error *e = errors;
    errors = e->next;
    free(e);
  }
}
/* Made once. */
static void *table;
void use_table(void) {
  if (!table)
    table = calloc(1, 100000);
}
static void *work(void *size) { return leak_malloc((size_t)size); }
void leak_in_thread(size_t size) {
  pthread_t thread;
  pthread_create(&thread, 0, work, (void *)size);
  pthread_join(thread, 0);
}
