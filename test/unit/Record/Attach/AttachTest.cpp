// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading, judging and borrowing threads of another process.

#include "Attach/AttachCheck.h"
#include "Attach/BorrowedThread.h"
#include "Attach/CodePatches.h"
#include "Attach/StoppedProcess.h"
#include "Attach/TargetTasks.h"
#include "Attach/TargetThread.h"
#include "gtest/gtest.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <link.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

namespace {

/// What a child and its parent both see.
struct SharedWords {
  std::atomic<int> IsReady, Stop, Wrong, Rounds, Done;
};

uint64_t nowMs() {
  timespec T = {};
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1000 + uint64_t(T.tv_nsec) / 1'000'000;
}

void napMs(long Ms) {
  timespec T{Ms / 1000, Ms % 1000 * 1'000'000};
  nanosleep(&T, nullptr);
}

/// A child process that runs a function; ends with the test.
class TestChild {
public:
  explicit TestChild(const std::function<void(SharedWords &)> &Run) {
    void *Room = mmap(nullptr, sizeof(SharedWords), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Words = new (Room) SharedWords{};
    Pid = fork();
    if (Pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Run(*Words);
      _exit(0);
    }
    while (!Words->IsReady)
      napMs(1);
    napMs(20);
  }
  ~TestChild() {
    kill(Pid, SIGKILL);
    waitpid(Pid, nullptr, 0);
    munmap(Words, sizeof(SharedWords));
  }
  TestChild(const TestChild &) = delete;
  TestChild &operator=(const TestChild &) = delete;

  pid_t pid() const { return Pid; }
  SharedWords *operator->() const { return Words; }

private:
  pid_t Pid;
  SharedWords *Words;
};

/// Sleeps 400 ms at a time, and counts what went wrong.
void sleepInTurns(SharedWords &W) {
  constexpr uint64_t Ms = 400;
  W.IsReady = 1;
  while (!W.Stop) {
    uint64_t Begin = nowMs();
    timespec T{0, long(Ms) * 1'000'000};
    if (nanosleep(&T, nullptr) != 0 || nowMs() - Begin < Ms)
      ++W.Wrong;
    ++W.Rounds;
  }
  W.Done = 1;
}

/// Computes in registers of all kinds.
void compute(SharedWords &W) {
  W.IsReady = 1;
  while (!W.Stop) {
    double Sum = 0;
    uint64_t Hash = 1;
    for (int I = 1; I <= 10000; ++I) {
      Sum += 1.0 / I;
      Hash = Hash * 31 + uint64_t(I);
      asm volatile("" : "+x"(Sum), "+r"(Hash));
    }
    static const double FirstSum = Sum;
    static const uint64_t FirstHash = Hash;
    if (Sum != FirstSum || Hash != FirstHash)
      ++W.Wrong;
    ++W.Rounds;
  }
  W.Done = 1;
}

/// As sleepInTurns(), below words that the loader and the allocator have left
/// on the stack.
__attribute__((noinline)) void leaveWords() {
  volatile char Room[1 << 14];
  Room[0] = 1;
  (void)Room[0];
  std::free(std::malloc(100));
  dl_iterate_phdr([](dl_phdr_info *, size_t, void *) { return 0; }, nullptr);
  signal(SIGUSR2, [](int) {});
  raise(SIGUSR2);
}
__attribute__((noinline)) void sleepAboveWords(SharedWords &W) {
  leaveWords();
  volatile char Room[1 << 15];
  Room[0] = 1;
  sleepInTurns(W);
  (void)Room[0];
}

__attribute__((noinline)) int answer() {
  asm volatile("");
  return 1;
}
/// What memrec reads as the library's: one row, and two that make no sense.
wire::CodePatchRow PatchRows[3];

/// Counts in Wrong what is not 1.
void answerAgain(SharedWords &W) {
  W.IsReady = 1;
  while (!W.Stop) {
    W.Wrong = answer() - 1;
    ++W.Rounds;
    napMs(1);
  }
  W.Done = 1;
}

SharedWords *HandlersWords;

void sleepInHandler(SharedWords &W) {
  HandlersWords = &W;
  signal(SIGUSR1, [](int) {
    HandlersWords->IsReady = 1;
    for (;;)
      napMs(1000);
  });
  raise(SIGUSR1);
}

void sleepInCallback(SharedWords &W) {
  auto OnBinary = [](dl_phdr_info *, size_t, void *Words) {
    static_cast<SharedWords *>(Words)->IsReady = 1;
    for (;;)
      napMs(1000);
    return 1;
  };
  dl_iterate_phdr(OnBinary, &W);
}

/// A child's memory, code and first thread, stopped.
struct StoppedChild {
  explicit StoppedChild(const TestChild &Child)
      : Memory(cantFail(TargetMemory::open(Child.pid()))),
        Code(cantFail(SafeMoment::create(Memory))), Thread(Child.pid()) {
    EXPECT_TRUE(Thread.isHeld());
    EXPECT_TRUE(Thread.stop(1000));
  }
  TargetMemory Memory;
  SafeMoment Code;
  TargetThread Thread;
};

/// Whether the child goes on, and ends by itself.
void expectRight(TestChild &Child) {
  int Rounds = Child->Rounds;
  for (int I = 0; I != 500 && Child->Rounds < Rounds + 2; ++I)
    napMs(10);
  EXPECT_GE(Child->Rounds, Rounds + 2);
  EXPECT_EQ(Child->Wrong, 0);
  Child->Stop = 1;
  for (int I = 0; I != 500 && !Child->Done; ++I)
    napMs(10);
  EXPECT_EQ(Child->Done, 1);
}

TEST(AttachTest, MemoryOfAChild) {
  static std::atomic<uint64_t> Word = 7;
  TestChild Child([](SharedWords &W) {
    W.IsReady = 1;
    while (Word == 7)
      napMs(1);
    W.Done = Word == 99;
    napMs(10000);
  });
  TargetMemory Memory = cantFail(TargetMemory::open(Child.pid()));
  uint64_t Read = 0, New = 99;
  ASSERT_TRUE(Memory.read(uint64_t(&Word), Read));
  EXPECT_EQ(Read, 7u);
  EXPECT_FALSE(Memory.read(16, Read));
  EXPECT_TRUE(Memory.readUpTo(16, 100).empty());
  std::vector<TargetMap> Maps = Memory.maps();
  const TargetMap *Code = mapAt(Maps, uint64_t(&sleepInTurns));
  ASSERT_NE(Code, nullptr);
  EXPECT_TRUE(Code->IsExecutable);
  EXPECT_EQ(mapAt(Maps, 16), nullptr);
  ASSERT_TRUE(Memory.write(
      uint64_t(&Word),
      ArrayRef(reinterpret_cast<const uint8_t *>(&New), sizeof(New))));
  for (int I = 0; I != 500 && !Child->Done; ++I)
    napMs(10);
  EXPECT_EQ(Child->Done, 1);
  EXPECT_EQ(Word, 7u);
}

TEST(AttachTest, TouchedPages) {
  constexpr uint64_t Page = 4096, Count = 5000;
  auto *Begin = static_cast<char *>(
      mmap(nullptr, Count * Page, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  madvise(Begin, Count * Page, MADV_NOHUGEPAGE);
  auto IsTouched = [](uint64_t I) { return I % 3 == 0 || I % 100 < 40; };
  for (uint64_t I = 0; I != Count; ++I)
    if (IsTouched(I))
      Begin[I * Page] = 1;
  TargetMemory Memory = cantFail(TargetMemory::open(getpid()));
  // Not from a page's start, nor to its end.
  uint64_t From = uint64_t(Begin) + 100, End = From + Count * Page - 300;
  std::vector<bool> Found(Count);
  uint64_t Bytes = 0, Expected = 0;
  for (uint64_t At = From, To; At < End; At = To) {
    for (auto [Start, Size] : Memory.touched(At, End, To)) {
      ASSERT_GE(Start, At);
      ASSERT_LE(Start + Size, End);
      Bytes += Size;
      for (uint64_t P = Start / Page; P * Page < Start + Size; ++P)
        Found[P - uint64_t(Begin) / Page] = true;
    }
    ASSERT_GT(To, At);
  }
  for (uint64_t I = 0; I != Count; ++I) {
    EXPECT_EQ(Found[I], IsTouched(I)) << I;
    Expected += IsTouched(I) * Page;
  }
  // The last page is not touched.
  EXPECT_EQ(Bytes, Expected - 100);
  munmap(Begin, Count * Page);
}

TEST(AttachTest, FunctionsOfABinary) {
  TargetMemory Memory = cantFail(TargetMemory::open(getpid()));
  SafeMoment Code = cantFail(SafeMoment::create(Memory));
  EXPECT_EQ(Code.library(), nullptr);
  EXPECT_EQ(Code.find("getppid"), uint64_t(&getppid));
  EXPECT_EQ(Code.find("no_such_function"), 0u);
  const TargetFunction *F = Code.libc().functionAt(uint64_t(&getppid) + 1);
  ASSERT_NE(F, nullptr);
  EXPECT_EQ(F->Start, uint64_t(&getppid));
  EXPECT_FALSE(Code.libc().isAfterCall(uint64_t(&getppid)));
  EXPECT_TRUE(Code.libc().exports(Memory, "getppid"));
  EXPECT_FALSE(Code.libc().exports(Memory, "no_such_function"));
}

TEST(AttachTest, ThreadsAreJudged) {
  using Case = std::pair<void (*)(SharedWords &), NotSafe>;
  for (auto [Run, Is] :
       {Case(sleepInTurns, NotSafe::Safe), Case(compute, NotSafe::Safe),
        Case(sleepAboveWords, NotSafe::Safe),
        Case(sleepInHandler, NotSafe::InSignal),
        Case(sleepInCallback, NotSafe::InAllocator)}) {
    TestChild Child(Run);
    StoppedChild S(Child);
    EXPECT_EQ(S.Code.judge(S.Memory, S.Thread), Is)
        << textOf(S.Code.judge(S.Memory, S.Thread)).str();
    EXPECT_FALSE(S.Code.isInLibrary(S.Memory, S.Thread));
  }
}

/// Calls functions in a child, in a system call or out of one.
void callIn(TestChild &Child) {
  {
    StoppedChild S(Child);
    BorrowedThread B(S.Memory, S.Code, S.Thread);
    ASSERT_FALSE(bool(B.begin()));
    Expected<uint64_t> Pid = B.call(S.Code.find("getpid"), {0, 0}, 1000);
    EXPECT_EQ(cantFail(std::move(Pid)), uint64_t(Child.pid()));
    // The kernel keeps the time that is left of one sleep only.
    Expected<uint64_t> Slept = B.call(S.Code.find("usleep"), {1000, 0}, 1000);
    EXPECT_EQ(cantFail(std::move(Slept)), 0u);
    Expected<uint64_t> Five = B.call(S.Code.find("labs"), {-5ull, 0}, 1000);
    EXPECT_EQ(cantFail(std::move(Five)), 5u);
    B.end();
  }
  expectRight(Child);
}

TEST(AttachTest, CallsInASystemCall) {
  TestChild Child(sleepInTurns);
  callIn(Child);
}

TEST(AttachTest, CallsInAComputation) {
  TestChild Child(compute);
  callIn(Child);
}

TEST(AttachTest, ACrashOfACallIsUndone) {
  TestChild Child(sleepInTurns);
  {
    StoppedChild S(Child);
    BorrowedThread B(S.Memory, S.Code, S.Thread);
    ASSERT_FALSE(bool(B.begin()));
    Expected<uint64_t> No = B.call(16, {0, 0}, 1000);
    ASSERT_FALSE(bool(No));
    EXPECT_EQ(toString(No.takeError()), "refused: signal 11");
    B.end();
  }
  expectRight(Child);
}

/// Kills the tracer while the child is in a call that takes 200 ms.
/// Waits until the child has seen Value.
bool sees(TestChild &Child, int Value) {
  for (int I = 0; I != 500 && Child->Wrong != Value; ++I)
    napMs(10);
  return Child->Wrong == Value;
}

TEST(AttachTest, CodeIsReplacedAndRestored) {
  constexpr uint8_t Two[] = {0xb8, 2, 0, 0, 0, 0xc3}; // mov $2, %eax; ret
  auto *Code = reinterpret_cast<const uint8_t *>(&answer);
  wire::CodePatchRow &Row = PatchRows[0];
  Row = {uint64_t(Code), sizeof(Two), 0, {}, {}};
  std::copy(Code, Code + sizeof(Two), Row.Original);
  std::copy(Two, Two + sizeof(Two), Row.New);
  if (Code[0] != Two[0])
    GTEST_SKIP() << "the compiler makes other code";
  PatchRows[1] = {uint64_t(Code), 99, 0, {}, {}};
  PatchRows[2] = {0, 8, 0, {}, {}};
  TestChild Child(answerAgain);
  TargetMemory Memory = cantFail(TargetMemory::open(Child.pid()));
  auto Patches = [&] { return CodePatches(Memory, uint64_t(&PatchRows), 3); };
  EXPECT_TRUE(sees(Child, 0));
  EXPECT_EQ(cantFail(Patches().restore()).Functions, 0u);
  EXPECT_EQ(cantFail(Patches().apply()).Functions, 1u);
  EXPECT_TRUE(sees(Child, 1));
  EXPECT_EQ(cantFail(Patches().apply()).Functions, 0u);
  EXPECT_EQ(cantFail(Patches().restore()).Functions, 1u);
  EXPECT_TRUE(sees(Child, 0));
  CodePatches Nonsense(Memory, 8, ~0u);
  EXPECT_EQ(cantFail(Nonsense.apply()).Functions, 0u);
  expectRight(Child);
}

TEST(AttachTest, AThreadRestoresItselfWhenTheTracerDies) {
  for (auto *Run : {sleepInTurns, compute}) {
    TestChild Child(Run);
    TestChild Tracer([&](SharedWords &W) {
      StoppedChild S(Child);
      BorrowedThread B(S.Memory, S.Code, S.Thread);
      if (B.begin())
        _exit(1);
      W.IsReady = 1;
      consumeError(
          B.call(S.Code.find("usleep"), {200'000, 0}, 10'000).takeError());
      W.Done = 1;
    });
    ASSERT_EQ(Tracer->Done, 0);
    kill(Tracer.pid(), SIGKILL);
    expectRight(Child);
  }
}

TEST(AttachTest, TargetsByName) {
  TestChild Child([](SharedWords &W) {
    prctl(PR_SET_NAME, "memkit-a-target");
    W.IsReady = 1;
    napMs(10000);
  });
  EXPECT_EQ(cantFail(findTarget("memkit-a-target")), Child.pid());
  EXPECT_EQ(cantFail(findTarget(std::to_string(Child.pid()))), Child.pid());
  EXPECT_EQ(toString(findTarget("memkit-no-target").takeError()),
            "there is no process with the name 'memkit-no-target'");
  EXPECT_EQ(processText(Child.pid()),
            std::to_string(Child.pid()) + " (memkit-a-target)");
  EXPECT_EQ(ownerOf(Child.pid()).User, getuid());
}

/// Holds the only thread of a process, for Ms milliseconds after it is ready.
struct OtherTracer : TestChild {
  OtherTracer(pid_t Pid, long Ms)
      : TestChild([=](SharedWords &W) {
          TargetThread T(Pid);
          W.Wrong = !T.isHeld();
          W.IsReady = 1;
          napMs(Ms);
          T.release();
          napMs(10000);
        }) {}
};

TEST(AttachTest, StopsAThreadThatIsRefusedForAWhile) {
  TestChild Child([](SharedWords &W) {
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    sleepInTurns(W);
  });
  {
    OtherTracer Brief(Child.pid(), 100);
    ASSERT_EQ(Brief->Wrong, 0);
    Expected<StoppedProcess> P = StoppedProcess::stop(Child.pid());
    ASSERT_TRUE(bool(P)) << toString(P.takeError());
    EXPECT_EQ(P->threads().size(), 1u);
  }
  OtherTracer Long(Child.pid(), 10000);
  ASSERT_EQ(Long->Wrong, 0);
  Expected<StoppedProcess> P = StoppedProcess::stop(Child.pid());
  ASSERT_FALSE(bool(P));
  EXPECT_EQ(toString(P.takeError()),
            "has a thread that cannot be stopped: Operation not permitted");
}

TEST(AttachTest, TasksOfAProcess) {
  TestChild Child(sleepInTurns);
  std::vector<TargetTask> Tasks = tasksOf(Child.pid());
  ASSERT_EQ(Tasks.size(), 1u);
  EXPECT_EQ(Tasks[0].Tid, Child.pid());
  EXPECT_TRUE(Tasks[0].IsWaiting);
  EXPECT_TRUE(Tasks[0].MayStop);
  EXPECT_FALSE(Tasks[0].isGone());
  kill(Child.pid(), SIGSTOP);
  waitpid(Child.pid(), nullptr, WUNTRACED);
  EXPECT_EQ(stateOf(Child.pid(), Child.pid()), 'T');
  EXPECT_FALSE(tasksOf(Child.pid())[0].MayStop);
}

} // namespace
