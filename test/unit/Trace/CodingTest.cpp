// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codings of columns.

#include "IndexLog.h"
#include "References.h"
#include "StackTree.h"
#include "memkit/Trace/Summary.h"
#include "gtest/gtest.h"
#include <random>

using namespace memkit;

TEST(References, BytesAsTheFormatSays) {
  ReferenceCoder C;
  EXPECT_EQ(C.encode(9, 10), 0);           // the newest block
  EXPECT_EQ(C.encode(0, 128), 127);        // as far as a distance reaches
  EXPECT_EQ(C.encode(63, 1000), 191 + 63); // 63 after the previous block
  EXPECT_EQ(C.encode(0, 1000), 191 - 63);
  EXPECT_EQ(C.encode(64, 1000), ReferenceCoder::Far);
}

TEST(References, WhatDoesNotExistIsRefused) {
  uint64_t Block;
  EXPECT_FALSE(ReferenceCoder().decode(0, 0, 0, Block));
  EXPECT_FALSE(ReferenceCoder().decode(10, 0, 10, Block));
  EXPECT_TRUE(ReferenceCoder().decode(9, 0, 10, Block));
  EXPECT_FALSE(ReferenceCoder().decode(191, 0, 10, Block)); // no previous block
  EXPECT_FALSE(ReferenceCoder().decode(255, 10, 10, Block));
  EXPECT_FALSE(ReferenceCoder().decode(255, ~uint64_t(0), 10, Block));
  ReferenceCoder C;
  EXPECT_TRUE(C.decode(0, 0, 10, Block));
  EXPECT_FALSE(C.decode(192, 0, 10, Block)); // block 10
}

TEST(StackTree, RowsThatLeadOutAreRefused) {
  std::vector<NewStack> Out;
  EXPECT_FALSE(
      StackTree().decode({{1}, {}, {0}, {}}, 0, Out)); // above the root
  EXPECT_FALSE(StackTree().decode({{0}, {}, {2}, {}}, 1, Out)); // too long
  EXPECT_FALSE(
      StackTree().decode({{0}, {}, {1}, {}}, 2, Out)); // nodes left over
  EXPECT_FALSE(StackTree().decode({{255}, {1}, {0}, {}}, 0, Out)); // far parent
  EXPECT_FALSE(StackTree().decode({{255}, {}, {0}, {}}, 0, Out));
  EXPECT_TRUE(StackTree().decode({{0, 1}, {}, {2, 1}, {}}, 3, Out));
  EXPECT_EQ(Out[1].Parent, 1u);
}

TEST(StackTree, RandomTreesComeBack) {
  std::mt19937 Random(3);
  StackTreeWriter Writer;
  StackTree Reader;
  for (unsigned Round = 0; Round != 20; ++Round) {
    std::vector<NewStack> Stacks, Got;
    uint32_t Nodes = Writer.nodes(), Added = 0;
    for (unsigned I = 0; I != 500; ++I) {
      NewStack S;
      S.Parent = uint32_t(Random() % (Nodes + Added + 1));
      S.Length = Random() % 50 ? uint32_t(Random() % 8) : 250 + Random() % 10;
      Added += S.Length;
      Stacks.push_back(S);
    }
    StackRows Rows;
    Writer.encode(Stacks, Rows);
    ASSERT_TRUE(Reader.decode(Rows, Added, Got));
    EXPECT_TRUE(Got == Stacks);
  }
}

static std::vector<SectionInfo> all(const IndexLog &Log) {
  std::vector<SectionInfo> Out;
  Log.forEach([&](const SectionInfo &B) { Out.push_back(B); });
  return Out;
}

TEST(IndexLog, WhatWasAddedComesBack) {
  IndexLog Log;
  EXPECT_TRUE(all(Log).empty());
  std::mt19937_64 Random(5);
  // Random bits, small values, and zero.
  auto Value = [&] {
    return Random() % 4 ? Random() >> (Random() % 64) : uint64_t(0);
  };
  std::vector<SectionInfo> Added;
  for (unsigned I = 0; I != 3000; ++I) {
    SectionInfo B;
    B.Kind = SectionKind(Random() % NumSectionKinds);
    B.Compressed = Value();
    B.Raw = Value();
    B.Process = uint32_t(Value());
    B.Epoch = uint32_t(Value());
    B.BeginNs = Value();
    B.EndNs = Value();
    B.Events = Value();
    Added.push_back(B);
    Log.add(B);
  }
  EXPECT_EQ(Log.size(), Added.size());
  EXPECT_EQ(all(Log), Added);
}

TEST(IndexLog, AnotherProcessReadsIt) {
  IndexLog Log;
  uint64_t Offset = 0;
  std::vector<SectionInfo> Added;
  for (unsigned I = 0; I != 1000; ++I) {
    SectionInfo B;
    B.Kind = SectionKind(1 + I % (NumSectionKinds - 1));
    B.Offset = Offset;
    B.Compressed = 100 + I * 37;
    B.Raw = 3 * B.Compressed;
    B.Process = I % 3;
    B.EndNs = I * 1000;
    Offset += B.Compressed;
    Added.push_back(B);
    Log.add(B);
  }
  std::string Bytes = Log.save();
  EXPECT_EQ(IndexLog::load(Bytes), Added);
  EXPECT_EQ(IndexLog::load(""), std::vector<SectionInfo>());
  // Anything else is refused or read as something, and stays within Bytes.
  EXPECT_FALSE(IndexLog::load(llvm::StringRef(Bytes).drop_back(1)));
  std::mt19937 Random(3);
  for (unsigned I = 0; I != 2000; ++I) {
    std::string Bad = Bytes.substr(0, 4096);
    for (unsigned N = 0; N != 1 + I % 5; ++N)
      Bad[Random() % Bad.size()] = char(Random());
    (void)IndexLog::load(Bad);
  }
  EXPECT_FALSE(IndexLog::load(std::string(4096, '\xff')));
}

TEST(IndexLog, ALongRecordingTakesLittle) {
  IndexLog Log;
  uint64_t Now = 1'700'000'000'000;
  constexpr unsigned Blocks = 100'000;
  for (unsigned I = 0; I != Blocks; ++I) {
    SectionInfo B;
    B.Kind = SectionKind::Events;
    B.Compressed = 100'000 + I % 977;
    B.Raw = 1'400'000 + I % 1009;
    B.Process = 1 + I % 2;
    B.Epoch = I;
    B.BeginNs = Now + 40;
    B.EndNs = Now += 6'000'000;
    B.Events = MaxSectionRows;
    Log.add(B);
  }
  // One byte per 1,000 events would be 65.
  EXPECT_LT(Log.bytes(), Blocks * size_t(20));
}

TEST(Summary, RowsWithTheirSharesFillASection) {
  std::vector<StepStats> Steps(10);
  for (StepStats &S : Steps)
    S.Shares.resize(2);
  EXPECT_EQ(rowsThatFit(Steps, 0, 30), 10u);
  EXPECT_EQ(rowsThatFit(Steps, 0, 29), 9u);
  EXPECT_EQ(rowsThatFit(Steps, 8, 29), 2u);
  EXPECT_EQ(rowsThatFit(Steps, 10, 29), 0u);
  EXPECT_EQ(rowsThatFit(std::vector<Loss>(10), 3, 5), 5u);
}
