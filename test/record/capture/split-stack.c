// Stacks that grow by pieces (gcc -fsplit-stack): a walk goes from one to the
// next, as libgcc's does.
//
// REQUIRES: gold
// RUN: %cc -O1 -g -fsplit-stack -pthread -fuse-ld=gold %s -o %t
// RUN: %oracle 2000 1 -- %t 200 | FileCheck %s
// RUN: memrec -q -o %t.fb %t 200
// RUN: memdump %t.fb > %t.txt
// RUN: FileCheck %s --check-prefix=DEEP < %t.txt
// RUN: grep __morestack %t.txt
// RUN: not grep 'no unwind information' %t.txt
//
// CHECK: different 0 beyond 0 marked 0
// CHECK: status 0
//
// Every frame down to main, on whatever piece it lies.
// DEEP: 777 B host.malloc
// DEEP-NEXT: stack {{[0-9]+}}:
// DEEP-NEXT: malloc
// DEEP-NEXT: descend (split-stack.c:
// DEEP: main (split-stack.c:
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static __thread uintptr_t LastFrame;
static __thread int Pieces;

// A frame of 8 KiB, more than a piece has left after some.
__attribute__((noinline)) static int descend(int Depth, size_t Size) {
  volatile char Room[8192];
  Room[0] = (char)Depth;
  // A frame far from its caller's is on another piece.
  uintptr_t Here = (uintptr_t)Room;
  if (LastFrame && (Here > LastFrame || LastFrame - Here > 65536))
    ++Pieces;
  LastFrame = Here;
  void *volatile P = malloc(Size);
  free(P);
  int Sum = Depth ? descend(Depth - 1, Size) : 0;
  P = malloc(Size + 1);
  free(P);
  return Sum + Room[0];
}

static void *run(void *Depth) {
  for (int I = 0; I < 5; ++I) {
    LastFrame = 0;
    descend((int)(intptr_t)Depth, 100);
  }
  return (void *)(intptr_t)Pieces;
}

int main(int Argc, char **Argv) {
  int Depth = Argc > 1 ? atoi(Argv[1]) : 200;
  pthread_t T;
  void *InThread;
  if (pthread_create(&T, 0, run, (void *)(intptr_t)Depth) ||
      pthread_join(T, &InThread))
    return 1;
  void *InMain = run((void *)(intptr_t)Depth);
  descend(3, 777);
  // There were several pieces, else this shows nothing.
  return !InThread || !InMain;
}
