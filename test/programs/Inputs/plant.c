// A leak for programs that are not ours, preloaded: each PLANT_EVERYth call (50) of
// PLANT_FUNCTION keeps a block of PLANT_SIZE bytes (2,000), from a second after the first call
// on. PLANT_FUNCTION is set by the compiler, has up to six integers or pointers, and returns one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#define TEXT_OF(Name) #Name
#define TEXT(Name) TEXT_OF(Name)

struct block {
  struct block *Next;
};

static struct block *Kept;

static long fromEnvironment(const char *Name, long Otherwise) {
  const char *Value = getenv(Name);
  return Value ? atol(Value) : Otherwise;
}

// Its frame is what a report should name.
__attribute__((noinline)) static void plantBlock(size_t Size) {
  struct block *B = malloc(Size);
  if (!B)
    return;
  do
    B->Next = __atomic_load_n(&Kept, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&Kept, &B->Next, B, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void called(void) {
  static long Calls, Begin;
  struct timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  long Ms = Now.tv_sec * 1000 + Now.tv_nsec / 1000000, None = 0;
  __atomic_compare_exchange_n(&Begin, &None, Ms, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (Ms - __atomic_load_n(&Begin, __ATOMIC_RELAXED) < 1000)
    return;
  if (__atomic_add_fetch(&Calls, 1, __ATOMIC_RELAXED) % fromEnvironment("PLANT_EVERY", 50) == 0)
    plantBlock(fromEnvironment("PLANT_SIZE", 2000));
}

long PLANT_FUNCTION(long A, long B, long C, long D, long E, long F) {
  static long (*Real)(long, long, long, long, long, long);
  if (!Real)
    *(void **)&Real = dlsym(RTLD_NEXT, TEXT(PLANT_FUNCTION));
  called();
  return Real(A, B, C, D, E, F);
}
