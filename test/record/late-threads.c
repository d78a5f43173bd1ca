// What a thread allocates after the last destructor that the library sees is
// still its own: it is one thread, and its ring is given back. There are more of
// them than rings.
//
// RUN: %cc -O1 -g -pthread %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb | FileCheck %s
#include <pthread.h>
#include <stdlib.h>

enum { Threads = 5000 };

static pthread_key_t Keys[8];

static void use(size_t Size) {
  void *volatile P = malloc(Size);
  free(P);
}

// Asks to be called again for as long as there are rounds, and allocates in all.
static void destroy(void *Key) {
  use(10);
  pthread_setspecific(*(pthread_key_t *)Key, Key);
}

static void *run(void *Nothing) {
  use(100);
  for (int I = 0; I < 8; ++I)
    pthread_setspecific(Keys[I], &Keys[I]);
  return Nothing;
}

int main(void) {
  // The library's key is made at the first allocation: some are before it, some
  // behind.
  for (int I = 0; I < 4; ++I)
    pthread_key_create(&Keys[I], destroy);
  use(1);
  for (int I = 4; I < 8; ++I)
    pthread_key_create(&Keys[I], destroy);
  for (int I = 0; I < Threads; ++I) {
    pthread_t T;
    if (pthread_create(&T, 0, run, 0))
      return 1;
    pthread_join(T, 0);
  }
  return 0;
}
// CHECK: "lost": 0,
// CHECK: "threads": 5001
