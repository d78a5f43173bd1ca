// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source locations through a pipe, and the process at its other end.

#include "Symbolize/AnswerPipe.h"
#include "Symbolize/BinarySymbols.h"
#include "gtest/gtest.h"
#include <dlfcn.h>
#include <random>

using namespace llvm;
using namespace memkit;

extern "C" [[gnu::noinline]] void memkitNamedFunction() { asm volatile(""); }

namespace {

using PipeStep = PipeReader::PipeStep;

std::vector<SourceLocation> someLocations() {
  SourceLocation A, B;
  A.Function = "ns::f(int)";
  A.File = "/src/a.cpp";
  A.Line = 12;
  A.StartLine = 10;
  B.Function = "main";
  return {A, B};
}

TEST(AnswerPipe, PiecesOfAnySize) {
  std::string Bytes = encodeText(PipeRecord::Ready, "") +
                      encodeAnswer(someLocations()) + encodeAnswer({}) +
                      encodeText(PipeRecord::Damage, "what") +
                      encodeText(PipeRecord::End, "");
  for (size_t Size = 1; Size <= Bytes.size(); ++Size) {
    PipeReader Reader;
    std::vector<PipeRecord> Kinds;
    for (StringRef Rest = Bytes; !Rest.empty();
         Rest = Rest.drop_front(std::min(Size, Rest.size()))) {
      Reader.feed(Rest.take_front(Size));
      while (Reader.next() == PipeStep::Record) {
        Kinds.push_back(Reader.Kind);
        if (Kinds.size() == 2) {
          ASSERT_EQ(Reader.Locations.size(), 2u);
          EXPECT_EQ(Reader.Locations[0].Function, "ns::f(int)");
          EXPECT_EQ(Reader.Locations[0].File, "/src/a.cpp");
          EXPECT_EQ(Reader.Locations[0].Line, 12u);
          EXPECT_EQ(Reader.Locations[0].StartLine, 10u);
          EXPECT_EQ(Reader.Locations[1].Function, "main");
        }
        if (Kinds.size() == 3) {
          EXPECT_TRUE(Reader.Locations.empty());
        }
        if (Kinds.size() == 4) {
          EXPECT_EQ(Reader.Text, "what");
        }
      }
    }
    EXPECT_EQ(Kinds,
              (std::vector<PipeRecord>{PipeRecord::Ready, PipeRecord::Answer,
                                       PipeRecord::Answer, PipeRecord::Damage,
                                       PipeRecord::End}));
  }
}

TEST(AnswerPipe, LongTextsAreCut) {
  SourceLocation Long;
  Long.Function = std::string(100000, 'f');
  PipeReader Reader;
  Reader.feed(encodeAnswer(std::vector<SourceLocation>(300, Long)));
  ASSERT_EQ(Reader.next(), PipeStep::Record);
  EXPECT_EQ(Reader.Locations.size(), 255u);
  EXPECT_EQ(Reader.Locations[254].Function.size(), 65536u);
}

TEST(AnswerPipe, BadBytes) {
  auto Read = [](StringRef Bytes) {
    PipeReader Reader;
    Reader.feed(Bytes);
    return Reader.next();
  };
  EXPECT_EQ(Read(""), PipeStep::More);
  EXPECT_EQ(Read(StringRef("\1\0\0\0", 4)), PipeStep::More);
  // A length that no record has; a kind that does not exist.
  EXPECT_EQ(Read(StringRef("\1\xff\xff\xff\xff", 5)), PipeStep::Broken);
  EXPECT_EQ(Read(StringRef("\x77\0\0\0\0", 5)), PipeStep::Broken);
  // A function longer than the record.
  EXPECT_EQ(Read(StringRef("\1\x10\0\0\0"
                           "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
                           21)),
            PipeStep::Broken);
}

TEST(AnswerPipe, AnyBytes) {
  std::mt19937 Random(1);
  std::string Good = encodeAnswer(someLocations());
  for (unsigned I = 0; I != 20000; ++I) {
    std::string Bytes = Good + Good;
    for (unsigned N = Random() % 4 + 1; N; --N)
      Bytes[Random() % Bytes.size()] = char(Random());
    PipeReader Reader;
    Reader.feed(Bytes);
    unsigned Records = 0;
    while (Reader.next() == PipeStep::Record)
      EXPECT_LE(++Records, Bytes.size());
  }
}

TEST(ResolveApart, FilesThatAreNotThere) {
  SymbolFiles Files;
  Files.Debug = Files.Symbols = "/gone";
  unsigned Answers = 0;
  std::string Problem =
      resolveApart(Files, {1, 2, 3},
                   [&](size_t, std::vector<SourceLocation>) { ++Answers; });
  EXPECT_NE(Problem.find("No such file"), std::string::npos) << Problem;
  EXPECT_EQ(Answers, 0u);
}

/// The address of a function of this program, as in the program's headers.
uint64_t ownAddress(void (*Function)()) {
  Dl_info Info = {};
  EXPECT_TRUE(dladdr(reinterpret_cast<void *>(Function), &Info));
  return uint64_t(Function) - uint64_t(Info.dli_fbase);
}

TEST(ResolveApart, OwnSymbols) {
  SymbolFiles Files;
  Files.Symbols = "/proc/self/exe";
  std::string Name;
  std::string Problem =
      resolveApart(Files, {ownAddress(memkitNamedFunction)},
                   [&](size_t I, std::vector<SourceLocation> Locations) {
                     EXPECT_EQ(I, 0u);
                     ASSERT_EQ(Locations.size(), 1u);
                     Name = Locations[0].Function;
                   });
  EXPECT_EQ(Problem, "");
  EXPECT_EQ(Name, "memkitNamedFunction");
}

} // namespace
