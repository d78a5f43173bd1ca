// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A storm of allocations and frees under realistic call stacks.
//
//   storm THREADS PAIRS [PATHS=50] [LIVE=20000] [ANYSIZE=0]
//
// Each thread makes PAIRS pairs of malloc and free. Each of PATHS call paths is
// a fixed random walk of 10 to 40 frames over 24 functions, and ends in a leaf
// that makes 8 pairs from 4 call sites: PATHS * 4 distinct stacks. Half of the
// blocks are short-lived, half replace a random block of LIVE blocks. Sizes are
// log-uniform over 16 to 4095 bytes: 64 distinct sizes, or with ANYSIZE all
// sizes.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace {

constexpr int NumFunctions = 24;
constexpr int MaxDepth = 40;

struct CallPath {
  uint8_t Depth;
  uint8_t Functions[MaxDepth];
};

uint64_t xorshift(uint64_t &State) {
  State ^= State << 13;
  State ^= State >> 7;
  State ^= State << 17;
  return State;
}

/// The state of one thread.
struct Worker {
  const CallPath *Path;
  uint64_t Random;
  void **Live;
  uint32_t NumLive;
  bool AnySize;
  uint64_t Pairs;
  uint64_t Checksum;

  uint64_t next() { return xorshift(Random); }

  size_t nextSize() {
    uint64_t R = next();
    unsigned Shift = 4 + (R & 7);
    size_t Base = size_t(1) << Shift;
    if (AnySize)
      return Base + ((R >> 8) & (Base - 1));
    return Base + ((R >> 8) & 7) * (Base >> 3);
  }
};

// Inlined into the leaf, so that each use is a separate call site of malloc.
__attribute__((always_inline)) inline void *allocate(size_t Size) {
  void *Block = malloc(Size);
  *static_cast<volatile uint64_t *>(Block) = Size;
  return Block;
}

__attribute__((noinline)) uint64_t leaf(Worker &W) {
  void *A = allocate(W.nextSize());
  void *B = allocate(W.nextSize());
  W.Checksum += *static_cast<uint64_t *>(A);
  free(B);
  uint32_t Slot = W.next() % W.NumLive;
  free(W.Live[Slot]);
  W.Live[Slot] = allocate(W.nextSize());
  Slot = W.next() % W.NumLive;
  free(W.Live[Slot]);
  W.Live[Slot] = allocate(W.nextSize());
  free(A);
  W.Pairs += 4;
  return W.Checksum;
}

using Function = uint64_t (*)(Worker &, int);
extern const Function Functions[NumFunctions];

/// A function of the paths; frame sizes differ between functions.
template <int N> __attribute__((noinline)) uint64_t node(Worker &W, int Depth) {
  volatile uint64_t Pad[1 + (N % 5) * 2];
  Pad[0] = W.Checksum + N;
  uint64_t Result;
  if (Depth >= W.Path->Depth) {
    Result = leaf(W);
    Result += leaf(W);
  } else {
    Result = Functions[W.Path->Functions[Depth]](W, Depth + 1);
  }
  return Result + Pad[0]; // no tail call: the frame must stay
}

const Function Functions[NumFunctions] = {
    node<0>,  node<1>,  node<2>,  node<3>,  node<4>,  node<5>,
    node<6>,  node<7>,  node<8>,  node<9>,  node<10>, node<11>,
    node<12>, node<13>, node<14>, node<15>, node<16>, node<17>,
    node<18>, node<19>, node<20>, node<21>, node<22>, node<23>};

std::vector<CallPath> makePaths(int Count) {
  std::vector<CallPath> Paths(Count);
  uint64_t Random = 88172645463325252ull;
  for (CallPath &Path : Paths) {
    Path.Depth = 10 + xorshift(Random) % 31;
    for (uint8_t &Function : Path.Functions)
      Function = xorshift(Random) % NumFunctions;
  }
  return Paths;
}

void work(int Thread, uint64_t Pairs, uint32_t NumLive, bool AnySize,
          const std::vector<CallPath> &Paths) {
  Worker W{};
  W.Random = 0x9E3779B97F4A7C15ull * (Thread + 1);
  W.NumLive = NumLive;
  W.AnySize = AnySize;
  W.Live = static_cast<void **>(calloc(NumLive, sizeof(void *)));
  while (W.Pairs < Pairs) {
    W.Path = &Paths[W.next() % Paths.size()];
    Functions[W.Path->Functions[0]](W, 1);
  }
  for (uint32_t I = 0; I < NumLive; ++I)
    free(W.Live[I]);
  free(W.Live);
}

} // namespace

int main(int Argc, char **Argv) {
  auto Argument = [&](int I, uint64_t Default) {
    return Argc > I ? strtoull(Argv[I], nullptr, 10) : Default;
  };
  int NumThreads = Argument(1, 1);
  uint64_t Pairs = Argument(2, 10000000);
  std::vector<CallPath> Paths = makePaths(Argument(3, 50));
  uint32_t NumLive = Argument(4, 20000);
  bool AnySize = Argument(5, 0);

  auto Start = std::chrono::steady_clock::now();
  if (NumThreads <= 1) {
    work(0, Pairs, NumLive, AnySize, Paths);
  } else {
    std::vector<std::thread> Threads;
    for (int T = 0; T < NumThreads; ++T)
      Threads.emplace_back(work, T, Pairs, NumLive, AnySize, std::cref(Paths));
    for (std::thread &T : Threads)
      T.join();
  }
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;

  rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  double Total = double(Pairs) * (NumThreads < 1 ? 1 : NumThreads);
  fprintf(stderr,
          "storm: %d threads, %.0f pairs, %.3f s, %.1f ns a pair, %.1f MiB\n",
          NumThreads, Total, Took.count(), Took.count() * 1e9 / Total,
          Usage.ru_maxrss / 1024.0);
}
