// Small tables, small limits, closed descriptors.
//
// RUN: %cc -O0 -g -pthread %s -o %t
//
// A tree with room for 20 nodes: the others go to the nearest ancestor.
// RUN: %wiredrain --nodes 20 -- %t recurse 60 | FileCheck %s --check-prefix=NODES
// NODES: live 0 blocks 0 bytes unknown 0 twice 0 lost 0
// NODES: nodes 19 
// NODES: table-full {{[1-9]}}
//
// Deeper than --max-depth: both ends of the stack are there, a mark between.
// RUN: %wiredrain --max-depth 10 --stacks -- %t recurse 60 | FileCheck %s --check-prefix=DEPTH
// DEPTH: alloc malloc size 70{{( [^ ]*limits[^ ]*)+}} (gap){{( [^ ]+)+}} depth 11
//
// Very deep: more than the buffer for addresses had room for.
// RUN: %wiredrain -- %t recurse 6000 | FileCheck %s --check-prefix=DEEP
// DEEP: live 0 blocks 0 bytes unknown 0 twice 0 lost 0
// DEEP: depth 1025
//
// More threads at a time than rings: what they do is counted as lost.
// RUN: %wiredrain --rings 4 -- %t threads 12 | FileCheck %s --check-prefix=RINGS
// RINGS: rings 4 
// RINGS: no-ring {{[1-9]}}
// RINGS: status 0
//
// Many threads one after the other share a ring.
// RUN: %wiredrain --rings 4 -- %t chain 300 | FileCheck %s --check-prefix=CHAIN
// CHAIN: threads 301 ended 300
// CHAIN: no-ring 0
//
// No descriptor is kept, none is in the way, none is missed.
// RUN: %wiredrain -- %t closed 0 | FileCheck %s --check-prefix=CLOSED
// RUN: %wiredrain -- %t closed 0 <&- | FileCheck %s --check-prefix=CLOSED
// CLOSED: allocations 101 reallocations 0 frees 101
// CLOSED: status 0
//
// Nothing to be had: no room for addresses or descriptors, no recorder, or one
// that refuses. The program runs.
// RUN: %wiredrain -- sh -c 'ulimit -v 30000; exec "%t" threads 2' | FileCheck %s --check-prefix=RUNS
// RUN: %wiredrain -- sh -c 'exec 3>&- 4>&- 5>&-; ulimit -n 4; exec "%t" threads 2' | FileCheck %s --check-prefix=RUNS
// RUN: %wiredrain -- sh -c 'ulimit -f 0; exec "%t" threads 2' | FileCheck %s --check-prefix=RUNS
// RUN: %wiredrain --refuse -- %t threads 2 | FileCheck %s --check-prefix=RUNS
// RUN: env LD_PRELOAD=%libmemrec %t threads 2
// RUN: env LD_PRELOAD=%libmemrec MEMREC_SOCKET=%t.none MEMREC_PRELOAD=%libmemrec %t threads 2
// RUNS: status 0

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *volatile Sink;

static void recurse(int Depth) {
  char Pad[32];
  Pad[0] = (char)Depth;
  if (Depth)
    recurse(Depth - 1);
  else
    free(Sink = malloc(70));
  *(volatile char *)Pad = 0;
}

static pthread_barrier_t Barrier;

static void *together(void *Arg) {
  free(malloc(20));
  pthread_barrier_wait(&Barrier);
  free(malloc(21));
  return 0;
}

static void *alone(void *Arg) {
  free(malloc(20));
  return 0;
}

static int threads(int N) {
  pthread_t T[100];
  pthread_barrier_init(&Barrier, 0, N);
  for (int I = 0; I < N; ++I)
    if (pthread_create(&T[I], 0, together, 0))
      return 1;
  for (int I = 0; I < N; ++I)
    pthread_join(T[I], 0);
  return 0;
}

static int chain(int N) {
  for (int I = 0; I < N; ++I) {
    pthread_t T;
    if (pthread_create(&T, 0, alone, 0) || pthread_join(T, 0))
      return 1;
    if (I % 2 == 0)
      usleep(2000); // the recorder has to have seen the end of a ring's owner
  }
  return 0;
}

/// Descriptors of shared memory or sockets that are not the standard streams.
static int strangers(void) {
  int N = 0;
  for (int Fd = 0; Fd < 1000; ++Fd) {
    char Link[64], Is[64] = "";
    snprintf(Link, sizeof(Link), "/proc/self/fd/%d", Fd);
    if (readlink(Link, Is, sizeof(Is) - 1) > 0)
      N += strstr(Is, "memfd") != 0 || (Fd > 2 && strstr(Is, "socket"));
  }
  return N;
}

static int closed(void) {
  errno = 77;
  free(Sink = malloc(1));
  if (errno != 77)
    return 2;
  if (strangers())
    return 3;
  closefrom(3);
  for (int I = 0; I < 100; ++I)
    free(Sink = malloc(5));
  return 0;
}

int main(int Argc, char **Argv) {
  int N = atoi(Argv[2]);
  if (!strcmp(Argv[1], "recurse"))
    recurse(N);
  else if (!strcmp(Argv[1], "threads"))
    return threads(N);
  else if (!strcmp(Argv[1], "chain"))
    return chain(N);
  else if (!strcmp(Argv[1], "closed"))
    return closed();
  return 0;
}
