// A program reports the blocks of its own allocator. They lie in a block of
// malloc, so that no byte counts twice, and in a child of fork, too.
//
// RUN: %cxx -O0 -g -I%src_root/include %s -o %t.exe
// RUN: %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// RUN: memleak -v --heap=pool.arena %t.fb | FileCheck %s --check-prefix=LEAK
//
// Of a sample of malloc's blocks the outer block cannot be told; heaps can be
// chosen; a program that stops recording reports nothing.
//
// RUN: memrec -q --sample=1M -o %t.sample.fb %t.exe
// RUN: memdump --check %t.sample.fb
// RUN: memrec -q --heap='pool.*' -o %t.pool.fb %t.exe
// RUN: memdump --summary %t.pool.fb | FileCheck %s --check-prefix=POOL
// RUN: memrec -q --heap=host.malloc -o %t.malloc.fb %t.exe
// RUN: memdump --summary %t.malloc.fb | FileCheck %s --check-prefix=MALLOC

#include <cstdlib>
#include <memkit/memkit.h>
#include <sys/wait.h>
#include <unistd.h>

static char *Chunk;

__attribute__((noinline)) static void *arenaAllocate(size_t At, size_t Size) {
  void *P = Chunk + At;
  memkit_allocated("arena", P, Size);
  return P;
}

int main() {
  Chunk = static_cast<char *>(malloc(1 << 20));
  arenaAllocate(0, 1000);
  void *Gone = arenaAllocate(1000, 3000);
  arenaAllocate(4000, 500000);
  memkit_freed("arena", Gone);
  memkit::Pool Strings("strings");
  Strings.allocated(Chunk + 4000, 100); // in a block of the other pool
  // Before it is freed and after, each pool has its own block there.
  Strings.freed(Chunk + 4000);
  if (pid_t Child = fork()) {
    waitpid(Child, nullptr, 0);
  } else {
    memkit_freed("arena", Chunk); // the parent's
    memkit_allocated("arena", Chunk, 7);
    _exit(0);
  }
  memkit_allocated("arena", Chunk + 900000, size_t(-5)); // no size
  memkit_stop();
  arenaAllocate(600000, 100);
  return 0;
}

// CHECK: 1 inherited free, 0 lost
// CHECK: host {{.*}} 1 MiB {{ *}}[[#]] {{ *}}1 MiB
// CHECK-DAG: host.malloc {{.*}} 1 MiB
// CHECK-DAG: pool.arena {{ *}}4 {{ *}}1 {{ *}}492 KiB {{ *}}489 KiB
// CHECK-DAG: pool.strings {{ *}}1 {{ *}}1 {{.*}} 0 B
// LEAK: pool.arena
// LEAK: arenaAllocate
// POOL: host.malloc {{ *}}0 {{ *}}0
// POOL: pool.arena
// MALLOC-NOT: pool.arena
