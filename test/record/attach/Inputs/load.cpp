// A program to attach to: threads that allocate, wait in system calls, compute
// below the stack pointer, load libraries, come and go. Each checks its results;
// a call that ends with EINTR is an error. Prints `ready`, ends at SIGTERM, and
// prints what it has done: exit 0 if all was right.
//
// load THREADS: the number of threads that allocate.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <map>
#include <poll.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<bool> Stop{false};
static std::atomic<unsigned long> Blocks{0}, Waits{0}, Threads{0}, Loads{0},
    Errors{0};

static void expect(bool Is, const char *What) {
  if (Is)
    return;
  ++Errors;
  std::fprintf(stderr, "wrong: %s, errno %d\n", What, errno);
}

struct Block {
  unsigned char *At = nullptr;
  size_t Bytes = 0;
  unsigned char Mark = 0;

  void fill(unsigned char With) {
    Mark = With;
    std::memset(At, Mark, Bytes);
  }
  void check() const {
    for (size_t I = 0; I < Bytes; I += Bytes / 4 + 1)
      expect(At[I] == Mark, "a block's content");
  }
};

static void change(Block &B, unsigned Random) {
  size_t Bytes = Random % 2000 + 1;
  B.check();
  if (B.At && Random & 0x10000) {
    std::free(B.At);
    B = Block();
    return;
  }
  if (B.At)
    B.At = static_cast<unsigned char *>(std::realloc(B.At, Bytes));
  else
    B.At = static_cast<unsigned char *>(
        Random & 0x20000 ? std::malloc(Bytes) : std::calloc(Bytes, 1));
  B.Bytes = Bytes;
  B.fill(static_cast<unsigned char>(Random >> 8));
}

static void allocate(unsigned Random) {
  std::vector<Block> Some(64);
  double Sum = 1;
  unsigned long Count = 0;
  while (!Stop) {
    Random = Random * 1103515245 + 12345;
    change(Some[Random >> 26], Random >> 4);
    std::string Text(Random % 200, 'x');
    expect(Text.size() == Random % 200, "a string");
    double Before = Sum;
    Sum = Sum * 0.5 + 1;
    expect(Sum == Before * 0.5 + 1, "a sum");
    ++Blocks;
    if (++Count % 64 == 0) {
      errno = 77;
      timespec Nap{0, 200000};
      expect(nanosleep(&Nap, nullptr) == 0, "a nap");
      expect(errno == 77, "errno");
    }
  }
  for (Block &B : Some)
    std::free(B.At);
}

static void sleepLong() {
  while (!Stop) {
    timespec Nap{0, 20000000}, Begin, End;
    clock_gettime(CLOCK_MONOTONIC, &Begin);
    expect(nanosleep(&Nap, nullptr) == 0, "nanosleep");
    clock_gettime(CLOCK_MONOTONIC, &End);
    double Ms = double(End.tv_sec - Begin.tv_sec) * 1e3 +
                double(End.tv_nsec - Begin.tv_nsec) / 1e6;
    expect(Ms >= 20, "the length of nanosleep");
    ++Waits;
  }
}

static void readBytes(int Fd) {
  char Byte;
  while (!Stop)
    expect(read(Fd, &Byte, 1) == 1, "read");
}

static void pollNothing(int Fd) {
  while (!Stop) {
    pollfd P{Fd, POLLIN, 0};
    expect(poll(&P, 1, 20) == 0, "poll");
  }
}

/// Counts in a word below the stack pointer, where a signal's frame may not
/// lie.
static void useRedZone() {
  while (!Stop) {
    unsigned long Is;
    asm volatile("movq $0, -8(%%rsp)\n"
                 "movq $50000, %%rcx\n"
                 "1: incq -8(%%rsp)\n"
                 "decq %%rcx\n"
                 "jnz 1b\n"
                 "movq -8(%%rsp), %0\n"
                 : "=r"(Is)
                 :
                 : "rcx", "memory");
    expect(Is == 50000, "the red zone");
    usleep(500);
  }
}

static void comeAndGo() {
  while (!Stop) {
    std::thread([] {
      std::map<int, std::string> Map;
      for (int I = 0; I != 50; ++I)
        Map[I] = std::string(size_t(I) + 30, 'a');
      expect(Map.size() == 50 && Map[49].size() == 79, "a map");
    }).join();
    ++Threads;
    usleep(500);
  }
}

static void load() {
  while (!Stop) {
    void *Handle = dlopen("libz.so.1", RTLD_NOW);
    if (!Handle)
      Handle = dlopen("libutil.so.1", RTLD_LAZY);
    expect(Handle, "dlopen");
    expect(Handle && dlclose(Handle) == 0, "dlclose");
    ++Loads;
    usleep(1000);
  }
}

int main(int Argc, char **Argv) {
  int Full[2], Empty[2];
  if (pipe(Full) != 0 || pipe(Empty) != 0)
    return 2;
  struct sigaction Action{};
  Action.sa_handler = [](int) { Stop = true; };
  sigaction(SIGTERM, &Action, nullptr);
  // The handler would end a call of another thread with EINTR, as where a stop
  // of the first thread lets the kernel choose another one.
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &Ends, nullptr);
  std::vector<std::thread> All;
  int Count = Argc > 1 ? std::atoi(Argv[1]) : 4;
  for (int I = 0; I != Count; ++I)
    All.emplace_back(allocate, unsigned(I) * 7919 + 1);
  All.emplace_back(sleepLong);
  All.emplace_back(readBytes, Full[0]);
  All.emplace_back(pollNothing, Empty[0]);
  All.emplace_back(useRedZone);
  All.emplace_back(comeAndGo);
  All.emplace_back(load);
  pthread_sigmask(SIG_UNBLOCK, &Ends, nullptr);
  std::puts("ready");
  std::fflush(stdout);
  while (!Stop) {
    expect(write(Full[1], "x", 1) == 1, "write");
    usleep(5000);
  }
  expect(write(Full[1], "xx", 2) == 2, "write");
  for (std::thread &T : All)
    T.join();
  std::printf("blocks %s, waits %s, threads %s, loads %s, errors %lu\n",
              Blocks ? "some" : "none", Waits ? "some" : "none",
              Threads ? "some" : "none", Loads ? "some" : "none",
              Errors.load());
  return Errors != 0;
}
