// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumeration values of newer versions of memkit.

#include "Frames.h"
#include "SampleTrace.h"
#include "memkit/Trace/TraceReader.h"
#include "trace_generated.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

/// A value of the enumeration E unknown to this version.
template <class E> static E newer() { return E(200); }

/// Sections with one unknown value of each enumeration (except event kinds),
/// each beside a known value.
static std::vector<AnySection> newerSections() {
  Dictionary D;
  D.Strings = {"f"};
  D.Functions = {{1, 0, 0}};
  D.Frames = {{FrameKind::Named, 1, 0}, {newer<FrameKind>(), 9, 0x1234}};
  D.Stacks = {{0, 2}};
  D.NodeFrames = {1, 2};
  D.Scopes = {{ScopeKind::Layer, 1, 0}, {newer<ScopeKind>(), 1, 0}};
  D.ScopePaths = {{0, 2, 0}};
  D.Processes.resize(2);
  D.Processes[0].Origin = ProcessOrigin::Fork;
  D.Processes[1].Origin = newer<ProcessOrigin>();
  D.Heaps = {{1, 0, 0, HF_None, 0}};
  Marks M;
  M.Rows.resize(3);
  M.Rows[0].Kind = MarkKind::Rss;
  M.Rows[1].Kind = newer<MarkKind>();
  M.Rows[1].Name = 99; // a newer memkit may not use a string here
  M.Rows[2].Kind = MarkKind::Loss;
  M.Rows[2].Id = 200;
  Intervals S;
  S.Process = 1;
  S.Rows.resize(2);
  S.Rows[0].Detail = IntervalDetail::Whole;
  S.Rows[1].Detail = newer<IntervalDetail>();
  for (Interval &I : S.Rows)
    I.Rows.push_back({1, 1, 2, 3, 4, 5, 6});
  Summary Sums;
  Sums.Layers.resize(2);
  for (LayerStats &L : Sums.Layers)
    L.Process = 1;
  Sums.Layers[1].Kind = newer<ScopeKind>();
  Sums.Losses = {{1, LossKind::NoRing, 2}, {1, newer<LossKind>(), 3}};
  Sums.Categories = {{1, 1, TensorCategory::Input, 0, 0, 0, 1, 8},
                     {1, 1, newer<TensorCategory>(), 0, 0, 0, 2, 16}};
  BlockCategories Blocks{
      1, {{1, TensorCategory::Input}, {2, newer<TensorCategory>()}}};
  return {D, M, S, Sums, Blocks};
}

static std::unique_ptr<TraceReader> openNewer(std::string &File,
                                              bool Complete = true) {
  File = writeTrace(sampleHeader(), newerSections(), Complete);
  return cantFail(
      TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false)));
}

template <class T> static T readOne(TraceReader &R, size_t At) {
  T Out;
  cantFail(R.read(R.sections()[At], Out));
  return Out;
}

TEST(UnknownValues, IdsStayAndRowsAreSkipped) {
  std::string File;
  auto R = openNewer(File);
  EXPECT_FALSE(R->unknownValues().any());

  auto D = readOne<Dictionary>(*R, 1);
  EXPECT_EQ(D.Frames[1], (Frame{FrameKind::Unknown, 0, 0x1234}));
  EXPECT_EQ(D.Scopes[1].Kind, ScopeKind::User);
  EXPECT_EQ(D.Processes[0].Origin, ProcessOrigin::Fork);
  EXPECT_EQ(D.Processes[1].Origin, ProcessOrigin::Start);
  IdLimits Limits;
  EXPECT_EQ(Limits.add(D), "");

  auto M = readOne<Marks>(*R, 2);
  ASSERT_EQ(M.Rows.size(), 2u);
  EXPECT_EQ(M.Rows[0].Kind, MarkKind::Rss);
  EXPECT_EQ(M.Rows[1].Id, 200u);
  EXPECT_EQ(M.Unknown, 1u);
  EXPECT_EQ(Limits.check(M), "");

  auto S = readOne<Intervals>(*R, 3);
  EXPECT_EQ(S.Rows[0].Rows[0], (IntervalRow{1, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(S.Rows[1].Detail, IntervalDetail::None);
  EXPECT_EQ(S.Rows[1].Rows[0], (IntervalRow{1, 1, 2, 3, 0, 0, 0}));

  auto Sums = readOne<Summary>(*R, 4);
  EXPECT_EQ(Sums.Layers.size(), 1u);
  EXPECT_EQ(Sums.Losses[1], (Loss{1, LossKind::Unknown, 3}));
  EXPECT_EQ(Sums.Categories[1].Category, TensorCategory::Unknown);
  EXPECT_EQ(Sums.Categories[1].Bytes, 16u);

  auto Blocks = readOne<BlockCategories>(*R, 5);
  EXPECT_EQ(Blocks.Rows[0].Category, TensorCategory::Input);
  EXPECT_EQ(Blocks.Rows[1].Category, TensorCategory::Unknown);
}

/// Each section counts once, however often and in whatever order the sections
/// are read; the scan of a file without an index reads some sections first.
TEST(UnknownValues, AreCountedOnce) {
  for (bool Complete : {true, false}) {
    std::string File;
    auto R = openNewer(File, Complete);
    for (int Times = 0; Times != 2; ++Times) {
      DictionaryOutline Outline;
      cantFail(R->readOutline(R->sections()[1], Outline, false));
      readOne<BlockCategories>(*R, 5);
      readOne<Summary>(*R, 4);
      readOne<Intervals>(*R, 3);
      readOne<Marks>(*R, 2);
      readOne<Dictionary>(*R, 1);
    }
    EXPECT_EQ(R->unknownValues().list(),
              "1 frame, 1 scope, 1 process, 1 mark, 1 interval, 1 row of "
              "layers, 2 losses, 2 rows of categories");
    std::vector<std::string> Warnings = R->unknownWarnings();
    ASSERT_EQ(Warnings.size(), 8u);
    EXPECT_EQ(Warnings[3], "t.fb: 1 mark of a kind that this version does not "
                           "know was skipped");
  }
}

TEST(UnknownValues, ACopyRefusesThem) {
  std::string File;
  auto R = openNewer(File);
  for (const SectionInfo &B : R->sections().drop_front()) {
    Expected<AnySection> Got = R->readAny(B);
    ASSERT_FALSE(Got);
    EXPECT_NE(toString(Got.takeError()).find(" 200; a newer memkit wrote it"),
              std::string::npos);
  }
}

/// The effect of an unknown kind of event on later allocation ids is unknown.
TEST(UnknownValues, KindsOfEventsEndTheReading) {
  flatbuffers::FlatBufferBuilder B;
  auto Kind = B.CreateVector(std::vector<uint8_t>{200});
  auto Near = B.CreateVector(std::vector<uint8_t>{0});
  auto Threads = B.CreateVector(std::vector<uint32_t>{1});
  fb::EventsBuilder E(B);
  E.add_process(1);
  E.add_count(1);
  E.add_references(1);
  E.add_threads(Threads);
  E.add_kind(Kind);
  E.add_near(Near);
  fb::FinishSizePrefixedSectionBuffer(
      B, fb::CreateSection(B, fb::Body::Events, E.Finish().Union()));
  SmallVector<char, 0> Frame;
  FrameCompressor().compress(Bytes(B.GetBufferPointer(), B.GetSize()), {},
                             Frame);
  std::string File = writeTrace(sampleHeader(), {}, /*Complete=*/false) +
                     std::string(Frame.data(), Frame.size());
  auto R = cantFail(
      TraceReader::create(MemoryBuffer::getMemBuffer(File, "t.fb", false)));
  EXPECT_NE(
      R->damage().find("unknown kind of event; the remainder is not read"),
      StringRef::npos)
      << R->damage().str();
}
