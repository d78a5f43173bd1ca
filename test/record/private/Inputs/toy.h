/* An allocator that a binary builds into itself: blocks one after the other in a mapping; small ones again
   when they are free. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HIDDEN __attribute__((visibility("hidden"), noinline))
enum { TOY_ROOM = 256 << 20 };

static char *toy_next, *toy_end;
static pthread_mutex_t toy_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t toy_live; /* bytes that were asked for */
static size_t *toy_free[256]; /* by the size in units of 16 bytes; the second word leads to the next */

static void *toy_take(size_t size) {
  pthread_mutex_lock(&toy_lock);
  if (!toy_next) {
    toy_next = (char *)mmap(0, TOY_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    toy_end = toy_next + TOY_ROOM;
  }
  size_t *at = 0;
  size_t all = (size + 16 + 15) & ~(size_t)15;
  size_t **free = all / 16 < 256 ? &toy_free[all / 16] : 0;
  if (free && *free) {
    at = *free;
    *free = (size_t *)at[1];
  } else if (all < size + 16 || all > (size_t)(toy_end - toy_next)) {
    pthread_mutex_unlock(&toy_lock);
    return 0;
  } else {
    at = (size_t *)toy_next;
    toy_next += all;
  }
  toy_live += size;
  pthread_mutex_unlock(&toy_lock);
  at[0] = size;
  return at + 2;
}

static void toy_drop(void *p) {
  pthread_mutex_lock(&toy_lock);
  if (p) {
    size_t *at = (size_t *)p - 2, units = (at[0] + 16 + 15) / 16;
    toy_live -= at[0];
    if (units < 256) {
      at[1] = (size_t)toy_free[units];
      toy_free[units] = at;
    }
  }
  pthread_mutex_unlock(&toy_lock);
}
