// What resident memory consists of: each part within 1 % of what the program
// has made, and of what the kernel says of its mappings.
//
// RUN: %cc -g -pthread %s -o %t
// RUN: memrec -q -o %t.fb -- %t > %t.smaps
// RUN: memstat --format=json %t.fb > %t.json
// RUN: %python %S/Inputs/check-parts.py %t.json %t.smaps
// RUN: memstat --show=resident --top=0 %t.fb | FileCheck %s
// RUN: memstat %t.fb | FileCheck --check-prefix=FIRST %s
// RUN: memdump %t.fb | FileCheck --check-prefix=TEXT %s

// CHECK: resident: {{.*}} at
// CHECK: live blocks of malloc 32{{.*}} MiB
// CHECK: free memory in malloc 32{{.*}} MiB
// CHECK: the program's mappings 24{{.*}} MiB
// CHECK: stacks of threads 2{{.*}} MiB
// CHECK: mapped files 16 MiB
// CHECK: shared memory 8 MiB
// CHECK: mappings with MAP_NORESERVE 12 MiB
// CHECK: arena of malloc
// CHECK: 0x{{[0-9a-f]+}} 6{{[0-9.]+}} MiB 32{{.*}} MiB {{.*}} MiB parts.c:{{[0-9]+}} main
// CHECK: malloc_trim(0) gives back
// CHECK: mappings of
// CHECK: parts.c:{{[0-9]+}} map 24 MiB 32 MiB 1
// CHECK: parts.c:{{[0-9]+}} map (MAP_NORESERVE) 12 MiB 1 GiB 1
// CHECK: binaries and files resident written size
// CHECK-DAG: {{.*}} 16 MiB 0 B 16 MiB
// CHECK-DAG: {{.*}} 8 MiB 0 B 8 MiB
// CHECK-DAG: libc.so.6 {{.*}} MiB {{.*}} KiB

// FIRST: resident {{.*}} at most: free memory in malloc 32{{.*}}, live blocks of malloc 32{{.*}}, the program's mappings 24

// TEXT: resident malloc {{.*}} malloc-free {{.*}} stack {{.*}} module
// TEXT: resident-piece arena at 0x

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_barrier_t Touched;

static void *touchStack(void *Unused) {
  volatile char Room[2 << 20];
  for (size_t I = 0; I < sizeof(Room); I += 4096)
    Room[I] = 1;
  pthread_barrier_wait(&Touched);
  pause(); // until the process ends: the last sample, too, meets this stack
  return Unused;
}

static void *map(size_t Size, size_t Touch, int Flags, int Fd) {
  void *P = mmap(NULL, Size, PROT_READ | PROT_WRITE, Flags, Fd, 0);
  memset(P, 1, Touch);
  return P;
}

int main(void) {
  enum { Block = 8192, Count = 8192 };
  static char *Blocks[Count];
  for (int I = 0; I != Count; ++I)
    memset(Blocks[I] = malloc(Block), 1, Block);
  // Pieces of 4 MiB: whole pages become free, and the arena stays.
  for (int I = 0; I != Count; ++I)
    if (I / 512 % 2 == 0)
      free(Blocks[I]);
  map(32 << 20, 24 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  map(1 << 30, 12 << 20, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  int Shared = memfd_create("shared", 0);
  char Name[] = "/tmp/memkit-parts-XXXXXX";
  int File = mkstemp(Name);
  if (ftruncate(Shared, 8 << 20) != 0 || ftruncate(File, 16 << 20) != 0)
    return 1;
  unlink(Name);
  map(8 << 20, 8 << 20, MAP_SHARED, Shared);
  map(16 << 20, 16 << 20, MAP_SHARED, File);
  pthread_barrier_init(&Touched, NULL, 2);
  pthread_t Thread;
  pthread_create(&Thread, NULL, touchStack, NULL);
  pthread_barrier_wait(&Touched);
  usleep(2500000); // a sample or two
  static char Text[1 << 16];
  int Smaps = open("/proc/self/smaps", O_RDONLY);
  for (ssize_t N; (N = read(Smaps, Text, sizeof(Text))) > 0;)
    fwrite(Text, 1, (size_t)N, stdout);
  return 0;
}
