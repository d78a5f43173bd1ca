// Stacks that make no sense, or hardly any: no walk faults, and what can be known
// is recorded.
//
// RUN: %cxx -O1 -g -fno-builtin -pthread %s -o %t
// RUN: %wiredrain -- %t scribble | FileCheck %s
// RUN: %wiredrain -- %t garbage | FileCheck %s
// RUN: %wiredrain -- %t jit | FileCheck %s
// RUN: %wiredrain --stacks -- %t jit | FileCheck %s --check-prefix=JIT
// RUN: %wiredrain -- %t guard | FileCheck %s
// RUN: %wiredrain --stacks --max-depth 10 -- %t deep | FileCheck %s --check-prefix=DEEP
// RUN: %oracle 3 8 -- %t deep | FileCheck %s --check-prefix=ORACLE
//
// CHECK: unknown 0 twice 0 lost 0
// CHECK: status 0
//
// Code that no module owns, with a frame pointer: the walk goes through it.
// JIT: alloc malloc size 4242 badstack.cpp{{[^ ]*}}+0x{{[^ ]*}} ?+0x{{[^ ]*}} badstack.cpp
// JIT: status 0
//
// 90,000 frames: the inner and the outer half of those that are wanted, a mark
// between them. Nothing is lost, and the same stack is the same node.
// DEEP: alloc malloc size 777 {{(badstack[^ ]* )+}}(gap) [[OUTER:.*libc.*]] depth 11
// DEEP: alloc malloc size 777 {{(badstack[^ ]* )+}}(gap) [[OUTER]] depth 11
// DEEP: table-full 0
// DEEP: status 0
// ORACLE: different 0
// ORACLE: status 0

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <thread>

#define NOINLINE __attribute__((noinline))

static void *volatile Sink;
static NOINLINE void takeAndGive(size_t N) {
  Sink = malloc(N);
  free(Sink);
}

static uint64_t Seed = 88172645463325252ull;
static uint64_t any() {
  Seed ^= Seed << 13;
  Seed ^= Seed >> 7;
  return Seed ^= Seed << 17;
}

/// Overwrites its callers' frames with what may look like addresses, allocates,
/// and puts them back.
static NOINLINE void scribble(int Kind) {
  auto *Here = static_cast<uint64_t *>(__builtin_frame_address(0));
  constexpr int Words = 60;
  static uint64_t Saved[Words];
  memcpy(Saved, Here, sizeof(Saved));
  for (int I = 0; I < Words; ++I)
    switch (any() % uint64_t(Kind)) {
    case 0:
      break;
    case 1:
      Here[I] = any();
      break;
    case 2:
      Here[I] = uint64_t(Here) + any() % 4096 - 512; // the stack
      break;
    case 3:
      Here[I] = uint64_t(&takeAndGive) + any() % 4096; // code
      break;
    case 4:
      Here[I] = uint64_t(&printf) + any() % 65536; // libc's
      break;
    case 5:
      Here[I] = any() % 65536;
      break;
    }
  takeAndGive(33);
  memcpy(Here, Saved, sizeof(Saved));
}

static NOINLINE void below(int Depth, int Kind) {
  volatile uint64_t Pad[8] = {};
  if (Depth)
    below(Depth - 1, Kind);
  else
    scribble(Kind);
  Pad[0] = 1;
}

/// mov rsp, rdi … with rsp at the last bytes of a page behind which is nothing.
static NOINLINE void onStack(void *Sp, void (*Fn)(size_t), size_t Arg) {
  asm volatile("mov %%rsp, %%rbx\n mov %0, %%rsp\n call *%1\n mov %%rbx, %%rsp"
               :
               : "r"(Sp), "r"(Fn), "D"(Arg)
               : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
                 "memory", "cc");
}

static void guard() {
  auto *P = static_cast<char *>(mmap(nullptr, 9 * 4096, PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(P, 8 * 4096, PROT_READ | PROT_WRITE);
  for (int Left = 0; Left < 256; Left += 16)
    for (int I = 0; I < 3; ++I)
      onStack(P + 8 * 4096 - 16 - Left, takeAndGive, 40);
  // The same place with less behind it: nothing that was known of it holds.
  mprotect(P + 7 * 4096, 4096, PROT_NONE);
  for (int Left = 0; Left < 256; Left += 16)
    onStack(P + 7 * 4096 - 16 - Left, takeAndGive, 40);
}

/// push rbp; mov rbp, rsp; call rsi; pop rbp; ret
static void jit() {
  static const unsigned char Code[] = {0x55, 0x48, 0x89, 0xe5, 0xff,
                                       0xd6, 0x5d, 0xc3};
  void *P = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(P, Code, sizeof(Code));
  auto *Fn = reinterpret_cast<void (*)(size_t, void (*)(size_t))>(P);
  for (int I = 0; I < 100; ++I)
    Fn(4242, takeAndGive);
}

static NOINLINE void deep(int Depth) {
  volatile char Pad[8];
  Pad[0] = 1;
  if (Depth)
    deep(Depth - 1);
  else
    for (int I = 0; I < 50; ++I) {
      takeAndGive(777);
      takeAndGive(778);
    }
  if (Depth % 10000 == 0)
    takeAndGive(779);
  Pad[0] = 0;
}

int main(int, char **Argv) {
  if (!strcmp(Argv[1], "scribble"))
    for (int I = 0; I < 20000; ++I)
      below(I % 5, 2 + I % 5);
  else if (!strcmp(Argv[1], "garbage"))
    std::thread([] {
      for (int I = 0; I < 20000; ++I)
        below(I % 3, 6);
    }).join();
  else if (!strcmp(Argv[1], "guard"))
    guard();
  else if (!strcmp(Argv[1], "jit"))
    jit();
  else
    deep(90000);
  return 0;
}
