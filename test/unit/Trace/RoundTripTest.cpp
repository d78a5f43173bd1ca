// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace reads as it was written.

#include "SampleTrace.h"
#include "memkit/Trace/SectionVisitor.h"
#include "memkit/Trace/TraceReader.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

static std::unique_ptr<TraceReader> openBytes(StringRef Bytes) {
  auto R =
      TraceReader::create(MemoryBuffer::getMemBuffer(Bytes, "t.fb", false));
  if (!R) {
    ADD_FAILURE() << toString(R.takeError());
    return nullptr;
  }
  return std::move(*R);
}

TEST(RoundTrip, EverySectionAndField) {
  std::vector<AnySection> Blocks = sampleBlocks();
  std::string File = writeTrace(sampleHeader(), Blocks);
  auto R = openBytes(File);
  ASSERT_TRUE(R);
  EXPECT_TRUE(R->complete());
  EXPECT_EQ(R->damage(), "");
  EXPECT_EQ(R->header(), sampleHeader());
  ASSERT_EQ(R->sections().size(), Blocks.size() + 1);
  for (size_t I = 0; I != Blocks.size(); ++I) {
    Expected<AnySection> B = R->readAny(R->sections()[I + 1]);
    ASSERT_TRUE(bool(B)) << toString(B.takeError());
    EXPECT_TRUE(*B == Blocks[I]) << "block " << I;
  }
}

TEST(RoundTrip, WritingWhatWasReadGivesTheSameBytes) {
  std::string File = writeTrace(sampleHeader(), sampleBlocks());
  auto R = openBytes(File);
  ASSERT_TRUE(R);
  std::vector<AnySection> Again;
  for (const SectionInfo &B : R->sections().drop_front()) {
    Expected<AnySection> Block = R->readAny(B);
    ASSERT_TRUE(bool(Block)) << toString(Block.takeError());
    Again.push_back(std::move(*Block));
  }
  EXPECT_EQ(writeTrace(R->header(), Again), File);
}

TEST(RoundTrip, DictionariesInAnyOrder) {
  std::vector<AnySection> Blocks = sampleBlocks();
  std::string File = writeTrace(sampleHeader(), Blocks);
  auto R = openBytes(File);
  ASSERT_TRUE(R);
  // The later dictionary continues the tree of the earlier one.
  for (size_t I : {7, 1, 7, 7, 1}) {
    Dictionary D;
    Error E = R->read(R->sections()[I], D);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
    EXPECT_TRUE(D == std::get<Dictionary>(Blocks[I - 1]));
  }
}

TEST(RoundTrip, ScanFindsWhatTheIndexTells) {
  std::vector<AnySection> Blocks = sampleBlocks();
  std::string Whole = writeTrace(sampleHeader(), Blocks);
  std::string Open = writeTrace(sampleHeader(), Blocks, /*Complete=*/false);
  auto A = openBytes(Whole), B = openBytes(Open);
  ASSERT_TRUE(A && B);
  EXPECT_FALSE(B->complete());
  EXPECT_TRUE(B->damage().starts_with("cut off at offset " +
                                      std::to_string(Open.size()) + ": "));
  EXPECT_TRUE(A->sections() == B->sections());
}

TEST(RoundTrip, FullSectionsOfManyThreadsAndHeaps) {
  uint64_t Next = 0, Time = 0;
  for (unsigned Threads : {1u, 2u, MaxSectionThreads}) {
    Events E = randomEvents(Threads, MaxSectionRows, Threads, Next, Time,
                            Threads == 2);
    if (Threads == MaxSectionThreads)
      for (size_t I = 0; I != E.Rows.size(); ++I)
        if (E.Rows[I].Kind == EventKind::Allocate)
          E.Rows[I].Heap = uint16_t(1 + I % 1000);
    std::string File = writeTrace(sampleHeader(), {E});
    auto R = openBytes(File);
    ASSERT_TRUE(R);
    Events Got;
    Error Failed = R->read(R->sections()[1], Got);
    ASSERT_FALSE(bool(Failed)) << toString(std::move(Failed));
    EXPECT_TRUE(Got == E) << Threads << " threads";
  }
}

TEST(RoundTrip, LargeDictionariesAreWrittenInParts) {
  Dictionary D;
  for (unsigned I = 0; I != MaxSectionRows + 1000; ++I)
    D.Strings.push_back("string " + std::to_string(I));
  D.Functions.assign(MaxSectionRows + 7, {1, 2, 3});
  D.Frames.assign(MaxSectionRows * 2, {FrameKind::Named, 1, 0});
  for (unsigned I = 0; I != 70000; ++I) {
    D.Stacks.push_back({I, 5});
    D.NodeFrames.insert(D.NodeFrames.end(), 5, 1 + I);
  }
  D.Symbols.assign(3000, {1, std::vector<Location>(255, {1, 1})});
  std::string File = writeTrace(sampleHeader(), {D});
  auto R = openBytes(File);
  ASSERT_TRUE(R);
  Dictionary All;
  IdLimits Limits;
  for (const SectionInfo &B : R->sections().drop_front()) {
    EXPECT_LE(B.Raw, MaxSectionBytes);
    Dictionary Part;
    Error E = R->read(B, Part);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
    EXPECT_EQ(Limits.add(Part), "");
    auto Append = [](auto &To, const auto &From) {
      To.insert(To.end(), From.begin(), From.end());
    };
    Append(All.Strings, Part.Strings);
    Append(All.Functions, Part.Functions);
    Append(All.Frames, Part.Frames);
    Append(All.Stacks, Part.Stacks);
    Append(All.NodeFrames, Part.NodeFrames);
    Append(All.Symbols, Part.Symbols);
  }
  EXPECT_TRUE(All == D);
}

namespace {
struct CountingVisitor : SectionVisitor {
  using SectionVisitor::visit;
  unsigned EventSections = 0, Indexes = 0;
  Error visit(const SectionInfo &, const Events &) override {
    ++EventSections;
    return Error::success();
  }
  Error visit(const SectionInfo &, const memkit::Index &) override {
    ++Indexes;
    return Error::success();
  }
};
} // namespace

TEST(RoundTrip, StreamFromAPipeGivesEverySection) {
  std::vector<AnySection> Blocks = sampleBlocks();
  std::string File = writeTrace(sampleHeader(), Blocks);
  int Fds[2];
  ASSERT_EQ(pipe(Fds), 0);
  ASSERT_LT(File.size(), 65536u);
  ASSERT_EQ(write(Fds[1], File.data(), File.size()), ssize_t(File.size()));
  close(Fds[1]);
  auto Stream = SectionStream::open("/dev/fd/" + std::to_string(Fds[0]));
  ASSERT_TRUE(bool(Stream)) << toString(Stream.takeError());
  CountingVisitor V;
  Error E = visitSections(**Stream, V);
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  EXPECT_EQ(V.EventSections, 2u);
  EXPECT_EQ(V.Indexes, 1u);
  EXPECT_EQ((*Stream)->damage(), "");
  close(Fds[0]);
}
