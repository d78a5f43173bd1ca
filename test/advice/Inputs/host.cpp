// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that an advice about host memory helps, each beside one that the advice does not help. The argument
// is the name of the program, and ADVICE=1 follows the advice. Prints `end BYTES`, the resident memory at the
// end, `peak BYTES`, the highest, and `request ok` if the program had all the memory that it asked for.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <malloc.h>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

static const size_t MiB = 1 << 20;
static const bool IsAdvised = getenv("ADVICE") != nullptr;

static void pauseMs(int Ms) { usleep(Ms * 1000); }

static char *make(size_t Bytes) {
  char *New = static_cast<char *>(malloc(Bytes));
  return New ? static_cast<char *>(memset(New, 1, Bytes)) : nullptr;
}

static void freeAll(std::vector<char *> &Blocks) {
  for (char *B : Blocks)
    free(B);
  Blocks.clear();
}

static size_t statm(int Field) {
  size_t Pages[2] = {};
  if (FILE *F = fopen("/proc/self/statm", "r")) {
    if (fscanf(F, "%zu %zu", &Pages[0], &Pages[1]) != 2)
      Pages[0] = Pages[1] = 0;
    fclose(F);
  }
  return Pages[Field] * 4096;
}

static void printPeak() {
  FILE *F = fopen("/proc/self/status", "r");
  char Line[200];
  size_t KiB = 0;
  while (F && fgets(Line, sizeof Line, F) && sscanf(Line, "VmHWM: %zu", &KiB) != 1)
    ;
  printf("peak %zu\n", KiB * 1024);
  if (F)
    fclose(F);
}

//===----------------------------------------------------------------------===//
// Freed memory
//===----------------------------------------------------------------------===//

/// Fills Table with small blocks, and makes one block above them that stays.
static char *fillBelow(std::vector<char *> &Table, int Count) {
  Table.reserve(Count);
  for (int I = 0; I != Count; ++I)
    Table.push_back(make(120));
  return make(40000);
}

/// A document is freed below an index that stays: trimming returns it.
static void document() {
  std::vector<char *> Document;
  char *Index = fillBelow(Document, 800000);
  freeAll(Document);
  if (IsAdvised)
    malloc_trim(0);
  pauseMs(800);
  printf("end %zu\n", statm(1));
  free(Index);
}

/// Each burst takes what the burst before it freed.
static void bursts() {
  char *Log = nullptr;
  for (int Burst = 0; Burst != 5; ++Burst) {
    std::vector<char *> Table;
    Table.reserve(800000);
    for (int I = 0; I != 800000; ++I)
      Table.push_back(make(120));
    if (!Log)
      Log = make(40000);
    freeAll(Table);
    if (IsAdvised)
      malloc_trim(0);
    pauseMs(200);
  }
  free(Log);
}

/// A thread's share of work: keeps one small block, which holds the arena's top.
static void parse(std::vector<char *> &Records, char *&Result) {
  for (int I = 0; I != 150000; ++I)
    Records.push_back(make(120));
  Result = make(100);
}

constexpr int NumThreads = 6;

/// One thread works at a time: one arena would serve all.
static void turns() {
  std::mutex Turn;
  std::vector<std::thread> Pool;
  pthread_barrier_t Done;
  pthread_barrier_init(&Done, nullptr, NumThreads + 1);
  static char *Results[NumThreads];
  for (int I = 0; I != NumThreads; ++I)
    Pool.emplace_back([&, I] {
      {
        std::lock_guard<std::mutex> Lock(Turn);
        std::vector<char *> Records;
        parse(Records, Results[I]);
        freeAll(Records);
      }
      pthread_barrier_wait(&Done); // all work is done
      pthread_barrier_wait(&Done); // the arenas stay until the end
    });
  pthread_barrier_wait(&Done);
  pauseMs(800);
  pthread_barrier_wait(&Done);
  for (std::thread &T : Pool)
    T.join();
}

/// All threads hold their records at the same time: arenas cost nothing.
static void together() {
  std::vector<std::thread> Pool;
  pthread_barrier_t Full;
  pthread_barrier_init(&Full, nullptr, NumThreads);
  static char *Results[NumThreads];
  for (int I = 0; I != NumThreads; ++I)
    Pool.emplace_back([&, I] {
      std::vector<char *> Records;
      parse(Records, Results[I]);
      pthread_barrier_wait(&Full);
      freeAll(Records);
      pthread_barrier_wait(&Full);
      pauseMs(800);
    });
  for (std::thread &T : Pool)
    T.join();
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// A new buffer for each of many packets; glibc maps and unmaps each.
static void packets() {
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  char *Mine = IsAdvised ? static_cast<char *>(malloc(140 << 10)) : nullptr;
  for (int I = 0; I != 110000; ++I) {
    char *Buffer = Mine ? Mine : static_cast<char *>(malloc(140 << 10));
    Buffer[I % 4096] = 1;
    if (!Mine)
      free(Buffer);
  }
  free(Mine);
}

/// As many keys of 16 bytes, beside a table that takes the time and memory.
static void keys() {
  char *Mine = IsAdvised ? static_cast<char *>(malloc(16)) : nullptr;
  std::vector<std::unique_ptr<char, void (*)(void *)>> Tables;
  for (int I = 0; I != 110000; ++I) {
    char *Key = Mine ? Mine : static_cast<char *>(malloc(16));
    snprintf(Key, 16, "k%d", I);
    if (!Mine)
      free(Key);
    if (I % 1000 == 0)
      Tables.emplace_back(make(MiB), free);
  }
  free(Mine);
}

/// A cache of all tiles that were ever rendered.
static void tiles() {
  std::map<int, char *> Tiles;
  for (int I = 0; I != 3000; ++I) {
    Tiles[I] = make(16000);
    if (IsAdvised && I >= 200) {
      free(Tiles[I - 200]);
      Tiles.erase(I - 200);
    }
    if (I % 2)
      pauseMs(1);
  }
}

/// A table that is full after a fifth of the run, and used to its end.
static void slots() {
  static char *Slots[600];
  for (int I = 0; I != 3000; ++I) {
    char *&Slot = Slots[I % 600];
    Slot = Slot ? Slot : static_cast<char *>(malloc(80000));
    memset(Slot, I, 80000);
    if (I % 2)
      pauseMs(1);
  }
}

//===----------------------------------------------------------------------===//
// Out of memory
//===----------------------------------------------------------------------===//

/// Limits the address space to what it is, and Bytes more.
static void limitTo(size_t Bytes) {
  rlimit L;
  L.rlim_cur = L.rlim_max = statm(0) + Bytes;
  setrlimit(RLIMIT_AS, &L);
}

static void request(size_t Bytes) {
  char *New = static_cast<char *>(malloc(Bytes));
  printf("request %s\n", New ? "ok" : "failed");
  pauseMs(100);
  free(New);
}

static std::vector<char *> Frames;
__attribute__((noinline)) static void loadFrames(int Count) {
  for (int I = 0; I != Count; ++I)
    Frames.push_back(make(MiB));
}

/// Frames take the memory that a request needs.
static void frames() {
  limitTo(240 * MiB);
  loadFrames(IsAdvised ? 60 : 180);
  request(100 * MiB);
}

/// Frames take little of what a request needs.
static void thumbnails() {
  limitTo(240 * MiB);
  loadFrames(IsAdvised ? 0 : 60);
  request(1000 * MiB);
}

/// The shell's limit is below what a matrix needs; LIMIT is the tool's advice.
static void matrix() {
  rlimit L;
  const char *Limit = getenv("LIMIT");
  L.rlim_cur = L.rlim_max = Limit ? strtoull(Limit, nullptr, 10) : 150 * MiB;
  char *Small = make(5 * MiB);
  setrlimit(RLIMIT_AS, &L);
  request(200 * MiB);
  free(Small);
}

/// A wrong header: no machine has the memory, whatever the limit is.
static void header() {
  limitTo(400 * MiB);
  volatile size_t Rows = size_t(1) << (IsAdvised ? 11 : 23);
  request(Rows * Rows);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static bool IsOver = false;

static void *reply(void *) { return nullptr; }

static void *serve(void *) {
  while (!__atomic_load_n(&IsOver, __ATOMIC_RELAXED))
    pauseMs(20);
  return nullptr;
}

static std::vector<pthread_t> startThreads(int Count, void *(*Run)(void *),
                                           bool Joins) {
  pthread_attr_t Small;
  pthread_attr_init(&Small);
  pthread_attr_setstacksize(&Small, 256 << 10);
  std::vector<pthread_t> All;
  for (int I = 0; I != Count; ++I) {
    pthread_t New;
    if (pthread_create(&New, &Small, Run, nullptr))
      abort();
    if (Joins)
      pthread_join(New, nullptr);
    else
      All.push_back(New);
    pauseMs(4);
  }
  return All;
}

/// A thread for each request, which nobody joins.
static void requests() {
  startThreads(300, reply, IsAdvised);
  printf("end %zu\n", statm(0));
}

/// A thread for each client, which lives as long as the client.
static void clients() {
  std::vector<pthread_t> All = startThreads(300, serve, false);
  printf("end %zu\n", statm(0));
  __atomic_store_n(&IsOver, true, __ATOMIC_RELAXED);
  for (pthread_t T : All)
    if (IsAdvised)
      pthread_detach(T);
    else
      pthread_join(T, nullptr);
}

int main(int argc, char **argv) {
  static const std::map<std::string, std::function<void()>> Programs = {
      {"document", document}, {"bursts", bursts},     {"turns", turns},
      {"together", together}, {"packets", packets},   {"keys", keys},
      {"tiles", tiles},       {"slots", slots},       {"frames", frames},
      {"thumbnails", thumbnails}, {"matrix", matrix}, {"header", header},
      {"requests", requests}, {"clients", clients}};
  auto Found = Programs.find(argc > 1 ? argv[1] : "");
  if (Found == Programs.end())
    return 2;
  Found->second();
  printPeak();
}
