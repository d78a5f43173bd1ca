// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions and answers between the process that asks for names and the one
// that finds them.

#include "Symbolize/AnswerPipe.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace memkit;

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
  std::string Bytes = encodeText(PipeRecord::Fatal, 70000, "why") +
                      encodeAnswer(70001, someLocations()) +
                      encodeAnswer(70002, {}) +
                      encodeText(PipeRecord::Damage, 70003, "what");
  for (size_t Size = 1; Size <= Bytes.size(); ++Size) {
    PipeReader Reader;
    std::vector<PipeRecord> Kinds;
    for (StringRef Rest = Bytes; !Rest.empty();
         Rest = Rest.drop_front(std::min(Size, Rest.size()))) {
      Reader.feed(Rest.take_front(Size));
      while (Reader.next() == PipeStep::Record) {
        Kinds.push_back(Reader.Kind);
        EXPECT_EQ(Reader.Number, 69999 + Kinds.size());
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
    EXPECT_EQ(Kinds, (std::vector<PipeRecord>{
                         PipeRecord::Fatal, PipeRecord::Answer,
                         PipeRecord::Answer, PipeRecord::Damage}));
  }
}

TEST(AnswerPipe, LongTextsAreCut) {
  SourceLocation Long;
  Long.Function = std::string(100000, 'f');
  PipeReader Reader;
  Reader.feed(encodeAnswer(1, std::vector<SourceLocation>(300, Long)));
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
  EXPECT_EQ(Read(StringRef("\0\1\0\0\0\0\0\0", 8)), PipeStep::More);
  // A length that no record has; a kind that does not exist.
  EXPECT_EQ(Read(StringRef("\0\1\0\0\0\xff\xff\xff\xff", 9)), PipeStep::Broken);
  EXPECT_EQ(Read(StringRef("\x77\1\0\0\0\0\0\0\0", 9)), PipeStep::Broken);
  // A function longer than the record.
  EXPECT_EQ(Read(StringRef("\0\1\0\0\0\x10\0\0\0"
                           "\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
                           25)),
            PipeStep::Broken);
}

TEST(AnswerPipe, AnyBytes) {
  std::mt19937 Random(1);
  std::string Good = encodeAnswer(1, someLocations());
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

TEST(NameQuestion, ThereAndBack) {
  NameQuestion Q, Back;
  Q.Number = 4000000000;
  Q.Addresses = {0x123456789abcdef0, 0, 1};
  Q.Debug = "/usr/lib/debug/a.debug";
  Q.Symbols = "/usr/bin/a";
  std::string Bytes = Q.encode();
  ASSERT_TRUE(Back.decode(Bytes));
  EXPECT_EQ(Back.Number, Q.Number);
  EXPECT_EQ(Back.Addresses, Q.Addresses);
  EXPECT_EQ(Back.Debug, Q.Debug);
  EXPECT_EQ(Back.Symbols, Q.Symbols);
  EXPECT_EQ(Back.Alt, "");
  for (size_t Size = 0; Size != Bytes.size(); ++Size)
    EXPECT_FALSE(Back.decode(StringRef(Bytes).take_front(Size))) << Size;
  EXPECT_FALSE(Back.decode(Bytes + "more"));
  for (size_t Count : {size_t(0), NameQuestion::MaxAddresses + 1}) {
    NameQuestion Wrong = Q;
    Wrong.Addresses.assign(Count, 1);
    EXPECT_FALSE(Back.decode(Wrong.encode())) << Count;
  }
  Q.Alt = std::string(NameQuestion::MaxBytes, 'a');
  EXPECT_EQ(Q.encode(), "");
}

} // namespace
