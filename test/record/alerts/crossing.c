// The time of an alert is that of the event that crosses the bound, in whichever order the
// recorder takes events; its mark has what holds the memory when the recorder looks; the condition rests until the
// value has fallen.
//
// RUN: %cc -O1 -g %s -o %t.exe -pthread
// RUN: memrec -q -o %t.fb --alert='host:live>20MiB' --alert='host.malloc:live>=30MiB' --alert='live>35M' --sample-interval=0 %t.exe 2> %t.err
// RUN: FileCheck %s --input-file=%t.err
// RUN: %python %S/Inputs/crossings.py %t.fb host=20971520 host.malloc=31457279 host=36700160
// RUN: memdump --check %t.fb
// RUN: memstat %t.fb | FileCheck %s --check-prefix=STAT

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *keep[100];

static void *noise(void *P) {
  for (int I = 0; I != 200000; ++I)
    free(malloc(10 + I % 100));
  return P;
}

__attribute__((noinline)) static void *load(size_t Size) {
  return memset(malloc(Size), 1, Size);
}

int main(void) {
  for (int Round = 0; Round != 2; ++Round) {
    pthread_t T;
    pthread_create(&T, 0, noise, 0);
    for (int I = 0; I != 40; ++I) {
      keep[I] = load(1 << 20);
      usleep(1000);
    }
    // Up and down above the bound is no news.
    for (int I = 0; I != 20; ++I)
      free(load(1 << 20));
    pthread_join(T, 0);
    for (int I = 0; I != 40; ++I)
      free(keep[I]);
    usleep(500000);
  }
  return 0;
}

// CHECK-COUNT-2: memrec: alert at {{[0-9.]+ m?s}}: host: 2{{[01](\.[0-9]+)?}} MiB live, above 20 MiB (host:live>20MiB)
// CHECK-NOT: host:live>20MiB
//
// A recorder that comes late, where all is freed, names nothing.
// STAT: ! alert {{.*}}6 alerts, the last: host: 35{{[^(]*}}(live>35M) at {{[0-9.]+ m?s(; held by crossing.c:[0-9]+ load [23][0-9.]+ MiB.*)?$}}
