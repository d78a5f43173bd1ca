// Blocks that other threads free, and threads that end: samples are known to all.
//
// RUN: %cc -O0 -g -pthread %s -o %t.exe
// RUN: env MEMREC_SAMPLE_SEED=3 memrec -q --sample=16K -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/near.py %t.json host.malloc allocated 200000000 live 0
// RUN: %python -c "import json; s = json.load(open('%t.json')); assert s['threads'] >= 5 and s['losses']['unknown_free'] == 0"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { Threads = 4, Blocks = 50000, Slots = 1024 };
static void *Shared[Slots];

/// Each puts blocks where others find them, and frees what it finds.
static void *work(void *Arg) {
  unsigned Random = (unsigned)(size_t)Arg;
  for (int I = 0; I != Blocks; ++I) {
    Random = Random * 1103515245 + 12345;
    free(__atomic_exchange_n(&Shared[Random >> 16 & (Slots - 1)], malloc(1000),
                             __ATOMIC_ACQ_REL));
  }
  return NULL;
}

int main(void) {
  pthread_t Of[Threads];
  for (size_t T = 0; T != Threads; ++T)
    pthread_create(&Of[T], NULL, work, (void *)(T + 1));
  for (size_t T = 0; T != Threads; ++T)
    pthread_join(Of[T], NULL);
  for (int I = 0; I != Slots; ++I)
    free(Shared[I]);
  _exit(0);
}
