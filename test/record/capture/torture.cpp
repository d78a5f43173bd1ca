// All that can be on a stack: every sampled stack is that of libgcc's unwinder.
//
// RUN: %cxx -O2 -g -shared -fPIC -DLIBRARY=1 %s -o %t.1.so
// RUN: %cxx -O2 -g -shared -fPIC -DLIBRARY=5 %s -o %t.5.so
// RUN: %cxx -O2 -g -fno-builtin -mavx -pthread %s -o %t -ldl
// RUN: %oracle 3000 4 -- %t %t.1.so %t.5.so | FileCheck %s
// RUN: %cxx -O1 -fno-omit-frame-pointer -g -fno-builtin -mavx -pthread %s -o %t.fp -ldl
// RUN: %oracle 3000 4 -- %t.fp %t.1.so %t.5.so | FileCheck %s
//
// With control-flow enforcement. (A shadow stack is only there where kernel and
// processor have it; walks read the common stack alone, and leave it as it is.)
// RUN: %cxx -O2 -fcf-protection=full -Wl,-z,ibt -Wl,-z,shstk -g -fno-builtin -mavx -pthread %s -o %t.cet -ldl
// RUN: readelf -n %t.cet | grep 'IBT, SHSTK'
// RUN: %oracle 3000 4 -- %t.cet %t.1.so %t.5.so | FileCheck %s
//
// CHECK: different 0 beyond 0 marked 0
// CHECK: status 0

#include <alloca.h>
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define NOINLINE __attribute__((noinline))

#ifdef LIBRARY

extern "C" NOINLINE void *inner(int N) {
  volatile char Pad[64 * LIBRARY];
  Pad[0] = 1;
  void *P = malloc(size_t(N + Pad[0]));
  Pad[1] = 3;
  return P;
}
extern "C" NOINLINE void *entry(int N) {
  volatile char Pad[64 * LIBRARY];
  Pad[1] = 2;
  void *P = inner(N + Pad[1]);
  Pad[2] = 1;
  return P;
}

#else

static thread_local void *volatile Sink;

static NOINLINE void takeAndGive(size_t N) {
  Sink = malloc(N);
  free(Sink);
}

static NOINLINE void variable(int N) {
  char *P = static_cast<char *>(alloca(size_t(N)));
  memset(P, 1, size_t(N));
  takeAndGive(size_t(N));
  P[0]++;
  asm volatile("" : : "r"(P) : "memory");
}

static NOINLINE void realigned(int N) {
  alignas(64) volatile char B[256];
  B[N & 255] = 1;
  char *P = static_cast<char *>(alloca(size_t(N)));
  P[0] = 1;
  asm volatile("" : : "r"(P), "r"(B) : "memory");
  variable(N / 2 + 16);
  takeAndGive(size_t(N));
  B[3]++;
}

static NOINLINE void realignedTwice(int N) {
  alignas(32) volatile float B[64];
  B[N & 63] = 1;
  takeAndGive(size_t(N) + 1);
  realigned(N);
  B[3]++;
}

static void handler(int) {
  takeAndGive(33);
  realigned(40);
}

static NOINLINE int thrower(int Depth) {
  if (!Depth)
    throw std::runtime_error(std::string(100, 'x'));
  volatile char Pad[24];
  Pad[0] = char(Depth);
  int R = thrower(Depth - 1);
  return R + Pad[0];
}

static jmp_buf Back;
static NOINLINE void jumper(int Depth) {
  takeAndGive(size_t(Depth) + 1);
  if (!Depth)
    longjmp(Back, 1);
  volatile char Pad[40];
  Pad[0] = 1;
  jumper(Depth - 1);
  Pad[1] = 1;
}

static ucontext_t Main, Other;
static NOINLINE void deeper(int Depth) {
  volatile char Pad[100];
  Pad[0] = 1;
  takeAndGive(77);
  if (Depth)
    deeper(Depth - 1);
  Pad[1] = 1;
}
static void coroutine() {
  for (int I = 0; I < 20; ++I) {
    deeper(I * 3);
    swapcontext(&Other, &Main);
  }
}

static void signals() {
  signal(SIGUSR1, handler);
  for (int I = 0; I < 50; ++I)
    raise(SIGUSR1);
  struct sigaction Action = {};
  Action.sa_handler = handler;
  Action.sa_flags = SA_ONSTACK;
  stack_t Stack = {};
  Stack.ss_sp = malloc(65536);
  Stack.ss_size = 65536;
  sigaltstack(&Stack, nullptr);
  sigaction(SIGUSR2, &Action, nullptr);
  for (int I = 0; I < 50; ++I)
    raise(SIGUSR2);
  // One that lies in a frame of the thread's own stack.
  char Here[65536];
  Stack.ss_sp = Here;
  sigaltstack(&Stack, nullptr);
  for (int I = 0; I < 50; ++I)
    raise(SIGUSR2);
  Stack.ss_flags = SS_DISABLE;
  sigaltstack(&Stack, nullptr);
}

static void coroutines() {
  for (bool Mapped : {false, true}) {
    size_t Bytes = 65536;
    void *P = Mapped ? mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : malloc(Bytes);
    getcontext(&Other);
    Other.uc_stack.ss_sp = P;
    Other.uc_stack.ss_size = Bytes;
    Other.uc_link = &Main;
    makecontext(&Other, coroutine, 0);
    for (int I = 0; I < 20; ++I) {
      swapcontext(&Main, &Other);
      deeper(I);
    }
    if (Mapped)
      munmap(P, Bytes);
    else
      free(P);
  }
}

static NOINLINE void deepAlloca(size_t Bytes) {
  volatile char *P = static_cast<volatile char *>(alloca(Bytes));
  for (size_t I = 0; I < Bytes; I += 4096)
    P[I] = 1;
  variable(20);
  deeper(3);
}

int main(int, char **Argv) {
  for (int I = 0; I < 200; ++I) {
    variable(64 + I % 7 * 16);
    realigned(100 + I);
    realignedTwice(50 + I % 5 * 32);
  }
  signals();
  for (int I = 0; I < 200; ++I)
    try {
      thrower(I % 20);
    } catch (std::exception &E) {
      free(strdup(E.what()));
    }
  for (int I = 0; I < 200; ++I)
    if (!setjmp(Back))
      jumper(I % 10);
  std::vector<int> Values(100);
  for (int I = 0; I < 30; ++I)
    std::sort(Values.begin(), Values.end(), [&](int A, int B) {
      takeAndGive(size_t(A + 8));
      return A < B;
    });
  for (int I = 0; I < 200; ++I) {
    void *Library = dlopen(Argv[1 + I % 2], RTLD_NOW);
    auto *Entry = reinterpret_cast<void *(*)(int)>(dlsym(Library, "entry"));
    for (int K = 0; K < 20; ++K)
      free(Entry(K));
    dlclose(Library);
  }
  std::vector<std::thread> Threads;
  for (int I = 0; I < 4; ++I)
    Threads.emplace_back([] {
      for (int K = 0; K < 300; ++K) {
        variable(32 + K % 5 * 16);
        realignedTwice(K % 9 * 16);
      }
      deepAlloca(1 << 20);
    });
  for (auto &T : Threads)
    T.join();
  coroutines();
  deepAlloca(5 << 20);
  fflush(stdout);
  pid_t Child = fork();
  if (!Child) {
    for (int I = 0; I < 200; ++I)
      realigned(100 + I);
    exit(0);
  }
  int Status;
  waitpid(Child, &Status, 0);
  return Status;
}
#endif
