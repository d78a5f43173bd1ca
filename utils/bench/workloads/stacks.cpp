// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many distinct stacks, with few or many nodes each.
//
//   stacks COUNT TAIL
//
// Allocates and frees one block from each of COUNT stacks. A stack is the way
// to a leaf of a tree with 16 call sites at each branch, then TAIL further
// frames: each stack adds about 5 + TAIL nodes to the tree of stacks.

#include <cstdint>
#include <cstdlib>

namespace {

__attribute__((noinline)) void tail(uint64_t Frames) {
  if (Frames) {
    tail(Frames - 1);
  } else {
    void *Block = malloc(16);
    asm volatile("" : "+r"(Block)); // keeps the pair of calls
    free(Block);
  }
  asm volatile(""); // no tail call: the frame must stay
}

__attribute__((noinline)) void walk(int Levels, uint64_t Path,
                                    uint64_t Frames) {
  if (!Levels) {
    tail(Frames);
    asm volatile("");
    return;
  }
  // The sites need different code after the call: the compiler would merge
  // equal sites.
#define SITE(N)                                                                \
  case N:                                                                      \
    walk(Levels - 1, Path >> 4, Frames);                                       \
    asm volatile("" ::"i"(N) : "memory");                                      \
    asm volatile(".nops " #N " + 1");                                          \
    break;
  switch (Path & 15) {
    SITE(0)
    SITE(1)
    SITE(2)
    SITE(3)
    SITE(4)
    SITE(5)
    SITE(6)
    SITE(7)
    SITE(8) SITE(9) SITE(10) SITE(11) SITE(12) SITE(13) SITE(14) SITE(15)
  }
}

} // namespace

int main(int Argc, char **Argv) {
  uint64_t Count = Argc > 1 ? strtoull(Argv[1], nullptr, 10) : 100000;
  uint64_t Tail = Argc > 2 ? strtoull(Argv[2], nullptr, 10) : 0;
  for (uint64_t Path = 0; Path != Count; ++Path)
    walk(6, Path, Tail);
}
