// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols from a process of its own.

#include "Symbolize/NameProcess.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <csignal>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

extern "C" [[gnu::noinline]] void memkitNamedFunction() { asm volatile(""); }

namespace {

/// The address of a function of this program, as in the program's headers.
uint64_t ownAddress() {
  Dl_info Info = {};
  EXPECT_TRUE(dladdr(reinterpret_cast<void *>(memkitNamedFunction), &Info));
  return uint64_t(memkitNamedFunction) - uint64_t(Info.dli_fbase);
}

SymbolFiles ownFiles() {
  SymbolFiles Files;
  Files.Symbols = "/proc/" + std::to_string(getpid()) + "/exe";
  return Files;
}

/// The names of `Count` times the same address; `none` for an address without
/// an answer.
std::vector<std::string> names(NameProcess &P, size_t Count,
                               std::string *Problem = nullptr) {
  std::vector<std::string> Names(Count, "none");
  std::string Text =
      P.resolve(ownFiles(), std::vector<uint64_t>(Count, ownAddress()),
                [&](size_t I, std::vector<SourceLocation> Locations) {
                  Names[I] = Locations.empty() ? "" : Locations[0].Function;
                });
  if (Problem)
    *Problem = Text;
  return Names;
}

/// The children of process Pid.
std::vector<pid_t> childrenOf(pid_t Pid) {
  std::string Id = std::to_string(Pid);
  std::ifstream In("/proc/" + Id + "/task/" + Id + "/children");
  std::vector<pid_t> Children;
  for (pid_t Child; In >> Child;)
    Children.push_back(Child);
  return Children;
}

TEST(NameProcess, FilesThatAreNotThere) {
  NameProcess P;
  SymbolFiles Files;
  Files.Debug = Files.Symbols = "/gone";
  unsigned Answers = 0;
  for (unsigned Round = 0; Round != 2; ++Round) {
    std::string Problem =
        P.resolve(Files, {1, 2, 3},
                  [&](size_t, std::vector<SourceLocation>) { ++Answers; });
    EXPECT_NE(Problem.find("No such file"), std::string::npos) << Problem;
    EXPECT_EQ(Answers, 0u);
  }
  // The process is as good as before.
  EXPECT_EQ(names(P, 1)[0], "memkitNamedFunction");
}

TEST(NameProcess, MoreQuestionsThanAtATime) {
  NameProcess P;
  std::string Problem;
  std::vector<std::string> Names = names(P, 5000, &Problem);
  EXPECT_EQ(Problem, "");
  EXPECT_EQ(Names, std::vector<std::string>(5000, "memkitNamedFunction"));
}

TEST(NameProcess, DebugInformationThatIsNotThere) {
  NameProcess P;
  SymbolFiles Files = ownFiles();
  Files.Debug = "/gone";
  std::string Name;
  std::string Problem = P.resolveOrTable(
      Files, ownAddress(), [&](size_t, std::vector<SourceLocation> Locations) {
        ASSERT_EQ(Locations.size(), 1u);
        Name = Locations[0].Function;
      });
  EXPECT_NE(Problem.find("No such file"), std::string::npos) << Problem;
  EXPECT_EQ(Name, "memkitNamedFunction");
}

TEST(NameProcess, EndsEarly) {
  NameProcess P;
  size_t Answers = 0;
  P.resolve(
      ownFiles(), std::vector<uint64_t>(5000, ownAddress()),
      [&](size_t, std::vector<SourceLocation>) { ++Answers; },
      [&] { return Answers > 100; });
  EXPECT_GT(Answers, 100u);
  EXPECT_LT(Answers, 5000u);
  // Late answers do not count for the next call.
  EXPECT_EQ(names(P, 70), std::vector<std::string>(70, "memkitNamedFunction"));
}

TEST(NameProcess, AWorkerThatIsKilled) {
  NameProcess P;
  ASSERT_EQ(names(P, 1)[0], "memkitNamedFunction");
  std::vector<pid_t> First = childrenOf(getpid());
  ASSERT_EQ(First.size(), 1u);
  std::vector<pid_t> Worker = childrenOf(First[0]);
  ASSERT_EQ(Worker.size(), 1u);
  kill(Worker[0], SIGKILL);
  // Another one goes on; the kill may have hit a question.
  std::string Problem;
  std::vector<std::string> Names = names(P, 20, &Problem);
  EXPECT_EQ(Names.back(), "memkitNamedFunction");
  EXPECT_LE(std::count(Names.begin(), Names.end(), "none"), 1);
}

TEST(NameProcess, AWorkerThatRests) {
  NameLimits Limits;
  Limits.IdleMs = 10;
  NameProcess P(Limits);
  ASSERT_EQ(names(P, 1)[0], "memkitNamedFunction");
  std::vector<pid_t> First = childrenOf(getpid());
  ASSERT_EQ(First.size(), 1u);
  for (unsigned I = 0; I != 1000 && !childrenOf(First[0]).empty(); ++I)
    usleep(10000);
  EXPECT_TRUE(childrenOf(First[0]).empty());
  EXPECT_EQ(names(P, 1)[0], "memkitNamedFunction");
}

TEST(NameProcess, AWorkerThatIsTooLarge) {
  NameLimits Limits;
  Limits.PrivateBytes = 1;
  NameProcess P(Limits);
  EXPECT_EQ(names(P, 1000),
            std::vector<std::string>(1000, "memkitNamedFunction"));
}

TEST(NameProcess, LeavesNoProcess) {
  std::vector<pid_t> Worker;
  {
    NameProcess P;
    ASSERT_EQ(names(P, 1)[0], "memkitNamedFunction");
    std::vector<pid_t> First = childrenOf(getpid());
    ASSERT_EQ(First.size(), 1u);
    Worker = childrenOf(First[0]);
  }
  EXPECT_TRUE(childrenOf(getpid()).empty());
  // Not even one that has ended, and waits for a parent that asks for it.
  ASSERT_EQ(Worker.size(), 1u);
  EXPECT_NE(kill(Worker[0], 0), 0);
}

TEST(NameProcess, TheFirstProcessEnds) {
  NameProcess P;
  ASSERT_EQ(names(P, 1)[0], "memkitNamedFunction");
  std::vector<pid_t> First = childrenOf(getpid());
  ASSERT_EQ(First.size(), 1u);
  kill(-First[0], SIGKILL);
  std::string Problem;
  names(P, 5, &Problem);
  EXPECT_NE(Problem.find("ended"), std::string::npos) << Problem;
  names(P, 5, &Problem);
  EXPECT_NE(Problem.find("ended"), std::string::npos) << Problem;
}

} // namespace
