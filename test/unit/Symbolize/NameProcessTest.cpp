// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols from a process of its own.

#include "Symbolize/NameProcess.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <new>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

extern "C" [[gnu::noinline]] void memkitNamedFunction() { asm volatile(""); }

namespace {

/// GCC and Clang tell it differently.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool IsSanitized = true;
#elif defined(__has_feature)
constexpr bool IsSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool IsSanitized = false;
#endif

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

TEST(NameProcess, AWorkerThatIsKilledAtWork) {
  NameProcess P;
  ASSERT_EQ(names(P, 1)[0], "memkitNamedFunction");
  pid_t First = childrenOf(getpid()).at(0);
  std::vector<unsigned> Answers(5000);
  size_t Count = 0;
  P.resolve(ownFiles(), std::vector<uint64_t>(Answers.size(), ownAddress()),
            [&](size_t I, std::vector<SourceLocation> Locations) {
              EXPECT_EQ(Locations.size(), 1u);
              ++Answers[I];
              if (++Count % 1000 == 0)
                kill(childrenOf(First).at(0), SIGKILL);
            });
  // An address at work at a kill has no answer; each of the others has one.
  EXPECT_LE(std::count(Answers.begin(), Answers.end(), 0u), 4);
  EXPECT_GE(std::count(Answers.begin(), Answers.end(), 1u), 4996);
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

/// Writes an ELF file with Count functions `f` of 16 bytes.
void writeSymbols(const std::string &Path, size_t Count) {
  ::Elf64_Ehdr Head = {};
  memcpy(Head.e_ident, ELFMAG, SELFMAG);
  Head.e_ident[EI_CLASS] = ELFCLASS64;
  Head.e_ident[EI_DATA] = ELFDATA2LSB;
  Head.e_ident[EI_VERSION] = EV_CURRENT;
  Head.e_type = ET_DYN;
  Head.e_machine = EM_X86_64;
  Head.e_version = EV_CURRENT;
  Head.e_ehsize = sizeof(::Elf64_Ehdr);
  Head.e_shoff = sizeof(::Elf64_Ehdr);
  Head.e_shentsize = sizeof(::Elf64_Shdr);
  Head.e_shnum = 4;
  Head.e_shstrndx = 2;
  const char Strings[] = "\0f";
  ::Elf64_Shdr Sections[4] = {};
  ::Elf64_Shdr &Code = Sections[1], &Names = Sections[2], &Table = Sections[3];
  Code.sh_type = SHT_NOBITS;
  Code.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  Code.sh_size = 16 * Count;
  Names.sh_type = SHT_STRTAB;
  Names.sh_offset = sizeof(Head) + sizeof(Sections);
  Names.sh_size = sizeof(Strings);
  Table.sh_type = SHT_SYMTAB;
  Table.sh_link = 2;
  Table.sh_info = 1;
  Table.sh_entsize = sizeof(::Elf64_Sym);
  Table.sh_offset = (Names.sh_offset + Names.sh_size + 7) & ~7ull;
  Table.sh_size = Count * sizeof(::Elf64_Sym);
  std::ofstream Out(Path, std::ios::binary);
  auto Write = [&](const void *From, size_t Bytes) {
    Out.write(static_cast<const char *>(From), std::streamsize(Bytes));
  };
  Write(&Head, sizeof(Head));
  Write(Sections, sizeof(Sections));
  Write(Strings, sizeof(Strings));
  Write("\0\0\0\0\0\0\0", Table.sh_offset - Names.sh_offset - Names.sh_size);
  for (size_t I = 0; I != Count; ++I) {
    ::Elf64_Sym Symbol = {};
    Symbol.st_name = 1;
    Symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    Symbol.st_shndx = 1;
    Symbol.st_value = 16 * I;
    Symbol.st_size = 16;
    Write(&Symbol, sizeof(Symbol));
  }
}

// The handler of the caller is not for the worker: memrec's ends its recording.
TEST(NameProcess, AWorkerWithoutMemory) {
  if (IsSanitized)
    GTEST_SKIP() << "a sanitizer has an allocator of its own";
  // The file has 96 MB, and its index has 64 MB, which is more than this
  // process can have left free.
  std::string Path =
      testing::TempDir() + "many-symbols." + std::to_string(getpid());
  writeSymbols(Path, 4'000'000);
  SymbolFiles Files;
  Files.Symbols = Path;
  auto FirstName = [&](uint64_t DataBytes, std::string &Problem) {
    NameLimits Limits;
    Limits.DataBytes = DataBytes;
    NameProcess P(Limits);
    std::string Name;
    Problem =
        P.resolve(Files, {17}, [&](size_t, std::vector<SourceLocation> Found) {
          ASSERT_EQ(Found.size(), 1u);
          Name = Found[0].Function;
        });
    return Name;
  };
  std::new_handler Before = std::set_new_handler([] { _exit(0); });
  std::string Problem;
  EXPECT_EQ(FirstName(uint64_t(200) << 20, Problem), "f");
  EXPECT_EQ(Problem, "");
  EXPECT_EQ(FirstName(uint64_t(10) << 20, Problem), "");
  EXPECT_EQ(Problem, "LLVM's reader takes more than 10 MiB of memory");
  std::set_new_handler(Before);
  std::remove(Path.c_str());
}

TEST(NameProcess, FilesThatTakeTooLong) {
  std::string Path =
      testing::TempDir() + "slow-symbols." + std::to_string(getpid());
  writeSymbols(Path, 4'000'000);
  SymbolFiles Files;
  Files.Symbols = Path;
  NameProcess P;
  P.start();
  auto Answers = [&](const SymbolFiles &Of, std::string &Problem) {
    size_t Count = 0;
    Problem = P.resolve(Of, {17, 33},
                        [&](size_t, std::vector<SourceLocation>) { ++Count; });
    return Count;
  };
  std::string Problem;
  P.setPatience(0);
  EXPECT_EQ(Answers(Files, Problem), 0u);
  EXPECT_EQ(Problem, "LLVM's reader takes more than 0 ms of processor time");
  // Not read again; other files are.
  P.setPatience(300'000);
  EXPECT_EQ(Answers(Files, Problem), 0u);
  EXPECT_EQ(Problem, "LLVM's reader takes more than 0 ms of processor time");
  EXPECT_EQ(Answers(ownFiles(), Problem), 2u);
  EXPECT_EQ(Problem, "");
  NameProcess Patient;
  size_t Count = 0;
  Patient.resolve(Files, {17, 33},
                  [&](size_t, std::vector<SourceLocation>) { ++Count; });
  EXPECT_EQ(Count, 2u);
  std::remove(Path.c_str());
}

TEST(NameProcess, PathsThatAreTooLong) {
  NameProcess P;
  SymbolFiles Files;
  Files.Symbols = std::string(NameQuestion::MaxBytes, '/');
  std::string Problem = P.resolve(
      Files, {1, 2}, [](size_t, std::vector<SourceLocation>) { FAIL(); });
  EXPECT_EQ(Problem, "the paths of the files are too long");
  EXPECT_EQ(names(P, 1)[0], "memkitNamedFunction");
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
