// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cut, corrupt and hostile files.

#include "Frames.h"
#include "SampleTrace.h"
#include "memkit/Trace/TraceReader.h"
#include "trace_generated.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

/// Reads everything in File; returns the first error's message, or the damage.
static std::string readAll(StringRef File, size_t *Blocks = nullptr) {
  auto R = TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false));
  if (!R)
    return "error: " + toString(R.takeError());
  if (Blocks)
    *Blocks = (*R)->sections().size();
  IdLimits Limits;
  for (const SectionInfo &B : (*R)->sections()) {
    Expected<AnySection> Block = (*R)->readAny(B);
    if (!Block)
      return "error: " + toString(Block.takeError());
    std::string Bad = std::visit(
        [&](const auto &X) -> std::string {
          if constexpr (std::is_same_v<std::decay_t<decltype(X)>, Dictionary>)
            return Limits.add(X);
          else if constexpr (requires { Limits.check(X); })
            return Limits.check(X);
          else
            return "";
        },
        *Block);
    if (!Bad.empty())
      return "id: " + Bad;
  }
  return (*R)->damage().str();
}

TEST(Damage, NotATrace) {
  EXPECT_EQ(readAll(""), "error: t.fb: empty file");
  EXPECT_EQ(readAll("#!/bin/sh\n"),
            "error: t.fb: not a memkit trace; memrec writes traces, memimport "
            "makes them of other tools' recordings");
}

TEST(Damage, CutAtEveryByte) {
  std::vector<AnySection> Sample = sampleBlocks();
  std::string File = writeTrace(sampleHeader(), Sample);
  std::string Head = writeTrace(sampleHeader(), {}, /*Complete=*/false);
  ASSERT_EQ(readAll(File), "");
  size_t Last = 0;
  for (size_t Cut = 1; Cut != File.size(); ++Cut) {
    size_t Blocks = 0;
    std::string Got = readAll(StringRef(File).take_front(Cut), &Blocks);
    std::string Message = "cut off at offset " + std::to_string(Cut);
    if (Cut < Head.size()) {
      EXPECT_EQ(Got, "error: t.fb: offset 0: " + Message);
    } else {
      EXPECT_TRUE(StringRef(Got).starts_with(Message + ": ")) << Got;
      EXPECT_GE(Blocks, std::max<size_t>(Last, 1));
      Last = Blocks;
    }
  }
  EXPECT_EQ(Last, Sample.size() + 1);
}

/// The sections of File, which must read without an error.
static std::vector<AnySection> blocksOf(StringRef File) {
  std::vector<AnySection> Out;
  auto R = cantFail(
      TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false)));
  for (const SectionInfo &B : R->sections())
    Out.push_back(cantFail(R->readAny(B)));
  return Out;
}

TEST(Damage, EveryByteFlipped) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks());
  std::vector<AnySection> Good = blocksOf(File);
  unsigned Harmless = 0;
  for (size_t I = 0; I != File.size(); ++I)
    for (unsigned char Flip : {0x01, 0x80, 0xff}) {
      std::string Bad = File;
      Bad[I] = char(Bad[I] ^ Flip);
      // A reader notices the damage, except in bits without meaning (of zstd's
      // headers, of the seek table).
      if (!readAll(Bad).empty())
        continue;
      ++Harmless;
      EXPECT_TRUE(blocksOf(Bad) == Good) << "byte " << I;
    }
  EXPECT_LT(Harmless, 120u);
}

TEST(Damage, TwoHeaders) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks());
  EXPECT_EQ(readAll(File + File),
            "error: t.fb: offset " + std::to_string(File.size()) +
                ": a second header (traces cannot be joined with cat)");
}

TEST(Damage, NewerVersionsAreRefusedWithBothNamed) {
  Header H = sampleHeader();
  H.Format = FormatVersion + 1;
  EXPECT_EQ(readAll(writeTrace(H, {})),
            "error: t.fb: offset 0: format version 2 is newer than this memkit "
            "reads (1); upgrade memkit");
  H = sampleHeader();
  H.Container = 9;
  EXPECT_EQ(readAll(writeTrace(H, {})),
            "error: t.fb: offset 0: container version 9, this memkit reads 1");
}

TEST(Damage, IdsBeyondTheDictionary) {
  uint64_t Next = 0, Time = 0;
  std::vector<AnySection> Blocks = {sampleBlocks()[0]};
  Events E = randomEvents(5, 20, 1, Next, Time, false);
  E.Rows[3].Thread = 77;
  Blocks.push_back(E);
  EXPECT_EQ(readAll(writeTrace(sampleHeader(), Blocks)),
            "id: event of thread 77, there are 3");
}

TEST(Damage, SharesOfSpaces) {
  auto Read = [](SpaceShares Shares) {
    Summary S;
    StepStats &T = S.Steps.emplace_back();
    T.Process = 1;
    T.Shares = std::move(Shares);
    return readAll(writeTrace(sampleHeader(), {sampleBlocks()[0], S}));
  };
  EXPECT_EQ(Read({{1, 5}}), "");
  EXPECT_EQ(Read({{2, 5}}), "id: share of device 2, there are 1");
  EXPECT_EQ(Read({{UINT32_MAX, 5}}),
            "id: share of device 4294967295, there are 1");
  // A device may appear once only, so there are at most as many shares as
  // devices.
  for (SpaceShares Twice : {SpaceShares{{1}, {1}}, SpaceShares{{1}, {0}}})
    EXPECT_NE(Read(Twice).find("shares of spaces that do not rise"),
              std::string::npos);
}

/// FlatBuffers may refer to one table many times: few bytes must not become
/// many rows.
TEST(Damage, SharesThatRepeatThemselves) {
  auto Read = [](unsigned NumSteps) {
    flatbuffers::FlatBufferBuilder B;
    std::vector<flatbuffers::Offset<fb::SpaceShare>> Shares;
    for (uint32_t D = 0; D != 5000; ++D)
      Shares.push_back(fb::CreateSpaceShare(B, D));
    auto All = B.CreateVector(Shares);
    std::vector<flatbuffers::Offset<fb::StepStats>> Steps;
    for (unsigned N = 0; N != NumSteps; ++N)
      Steps.push_back(
          fb::CreateStepStats(B, 1, N, 0, 0, 0, 0, 0, 0, 0, 0, All));
    auto StepsV = B.CreateVector(Steps);
    fb::SummaryBuilder S(B);
    S.add_complete(true);
    S.add_steps(StepsV);
    fb::FinishSizePrefixedSectionBuffer(
        B, fb::CreateSection(B, fb::Body::Summary, S.Finish().Union()));
    SmallVector<char, 0> Frame;
    FrameCompressor().compress(Bytes(B.GetBufferPointer(), B.GetSize()), {},
                               Frame);
    return readAll(writeTrace(sampleHeader(), {}, /*Complete=*/false) +
                   std::string(Frame.data(), Frame.size()));
  };
  EXPECT_NE(Read(2).find("id: totals of process 1"), std::string::npos);
  EXPECT_NE(Read(100).find("malformed section"), std::string::npos);
}

/// A trace whose second section has an unknown field, or with Kind is of an
/// unknown kind.
static std::string newerTrace(bool Kind) {
  flatbuffers::FlatBufferBuilder B;
  auto Start = B.StartTable();
  B.AddElement<uint32_t>(fb::Marks::VT_MARKS + 2, 7, 0);
  flatbuffers::Offset<void> Body(B.EndTable(Start));
  fb::FinishSizePrefixedSectionBuffer(
      B, fb::CreateSection(B, Kind ? fb::Body(200) : fb::Body::Marks, Body));
  SmallVector<char, 0> Frame;
  FrameCompressor().compress(Bytes(B.GetBufferPointer(), B.GetSize()), {},
                             Frame);
  return writeTrace(sampleHeader(), {}, /*Complete=*/false) +
         std::string(Frame.data(), Frame.size());
}

TEST(Damage, WhatANewerMemkitWroteIsRefusedOrPassedOver) {
  for (bool Kind : {false, true}) {
    std::string File = newerTrace(Kind);
    EXPECT_NE(readAll(File).find("a newer memkit wrote it"), std::string::npos);

    int Fds[2];
    ASSERT_EQ(pipe(Fds), 0);
    ASSERT_EQ(write(Fds[1], File.data(), File.size()), ssize_t(File.size()));
    close(Fds[1]);
    auto Stream = cantFail(SectionStream::open(
        "/dev/fd/" + std::to_string(Fds[0]), SectionStream::Unknown::PassOver));
    ASSERT_TRUE(cantFail(Stream->next()));
    std::optional<AnySection> Newer = cantFail(Stream->next());
    ASSERT_TRUE(Newer);
    EXPECT_EQ(std::holds_alternative<std::monostate>(*Newer), Kind);
    EXPECT_FALSE(cantFail(Stream->next()));
    close(Fds[0]);
  }
}
