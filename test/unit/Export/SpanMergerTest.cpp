// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merged spans against the spans that were added.

#include "Export/SpanMerger.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace memkit;

namespace {

struct AddedSpan {
  uint32_t Process, Heap;
  BlockSpan S;
};

/// Spans of Keys stacks in Tables heaps, in the order of their ends; every
/// tenth block lives until the end.
std::vector<AddedSpan> randomSpans(unsigned Seed, size_t Count, uint32_t Keys,
                                   uint32_t Tables, uint64_t EndNs) {
  std::mt19937_64 Random(Seed);
  std::vector<AddedSpan> Out;
  for (uint64_t Number = 0; Number != Count; ++Number) {
    uint64_t BeginNs = Random() % EndNs;
    uint64_t Age = uint64_t(1) << Random() % 20;
    uint64_t End =
        Random() % 10 ? std::min(BeginNs + Age, EndNs) : BlockSpan::Alive;
    uint32_t Table = Random() % Tables;
    Out.push_back({Table / 2 + 1,
                   Table % 2 + 1,
                   {BeginNs, End, 1 + Random() % 1000, Number,
                    uint32_t(Random() % Keys), 1 + uint32_t(Random() % 2), 1}});
  }
  std::stable_sort(Out.begin(), Out.end(), [](const auto &A, const auto &B) {
    return A.S.EndNs < B.S.EndNs;
  });
  return Out;
}

BlockSpans merged(const std::vector<AddedSpan> &Spans, size_t Max,
                  uint64_t EndNs) {
  SpanMerger M(Max, EndNs);
  for (const AddedSpan &A : Spans)
    M.add(A.Process, A.Heap, A.S);
  return M.finish();
}

size_t countOf(const BlockSpans &Of) {
  size_t Count = 0;
  for (const HeapSpans &H : Of.Heaps)
    Count += H.Spans.size();
  return Count;
}

/// By process, heap and stack.
using Sums = std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t>;

void addLive(Sums &To, uint32_t Process, uint32_t Heap, const BlockSpan &S,
             uint64_t AtNs) {
  if (S.BeginNs <= AtNs && AtNs < S.EndNs)
    To[{Process, Heap, S.Key}] += S.Bytes;
}

/// The live bytes after all events up to AtNs.
Sums liveAt(const BlockSpans &Of, uint64_t AtNs) {
  Sums Out;
  for (const HeapSpans &H : Of.Heaps)
    for (const BlockSpan &S : H.Spans)
      addLive(Out, H.Process, H.Heap, S, AtNs);
  return Out;
}
Sums liveAt(const std::vector<AddedSpan> &Of, uint64_t AtNs) {
  Sums Out;
  for (const AddedSpan &A : Of)
    addLive(Out, A.Process, A.Heap, A.S, AtNs);
  return Out;
}

uint64_t sumOf(const Sums &Of) {
  uint64_t Sum = 0;
  for (const auto &[Key, Bytes] : Of)
    Sum += Bytes;
  return Sum;
}

TEST(SpanMerger, BelowTheLimitNothingChanges) {
  auto Spans = randomSpans(1, 1000, 7, 3, 1 << 30);
  BlockSpans Out = merged(Spans, 1000, 1 << 30);
  EXPECT_EQ(countOf(Out), 1000u);
  EXPECT_EQ(Out.RoundedNs, 0u);
  EXPECT_EQ(Out.Read, 1000u);
  ASSERT_EQ(Out.Heaps.size(), 3u);
  EXPECT_EQ(Out.Heaps[2].Process, 2u);
  for (uint64_t AtNs = 0; AtNs < 1 << 30; AtNs += 12345678)
    EXPECT_EQ(liveAt(Out, AtNs), liveAt(Spans, AtNs));
}

TEST(SpanMerger, SumsAreExactAtMultiplesOfTheRounding) {
  const uint64_t EndNs = 1 << 30;
  for (unsigned Seed = 0; Seed != 4; ++Seed) {
    auto Spans = randomSpans(Seed, 20000, 5, 1 + Seed, EndNs);
    BlockSpans Out = merged(Spans, 1000, EndNs);
    EXPECT_LE(countOf(Out), 1000u);
    EXPECT_GT(countOf(Out), 200u) << "coarser than necessary";
    ASSERT_NE(Out.RoundedNs, 0u);
    EXPECT_FALSE(Out.HasSmaller);
    for (uint64_t AtNs = 0; AtNs <= EndNs; AtNs += Out.RoundedNs)
      EXPECT_EQ(liveAt(Out, AtNs), liveAt(Spans, AtNs)) << AtNs;
    // All that was ever allocated is there, and nothing goes before it comes.
    uint64_t Allocated = 0, Expected = 0;
    for (const HeapSpans &H : Out.Heaps)
      for (const BlockSpan &S : H.Spans) {
        Allocated += S.Bytes;
        EXPECT_LE(S.BeginNs, S.EndNs);
        EXPECT_LE(S.BeginNs, EndNs);
      }
    for (const AddedSpan &A : Spans)
      Expected += A.S.Bytes;
    EXPECT_EQ(Allocated, Expected);
  }
}

TEST(SpanMerger, NumbersOfMergedSpansAreUnique) {
  BlockSpans Out = merged(randomSpans(5, 5000, 3, 2, 1 << 20), 100, 1 << 20);
  for (const HeapSpans &H : Out.Heaps) {
    std::map<uint64_t, unsigned> Times;
    for (const BlockSpan &S : H.Spans)
      EXPECT_EQ(++Times[S.Number], 1u);
  }
}

TEST(SpanMerger, StacksWithTheFewestBytesAreFolded) {
  const uint64_t EndNs = 1 << 20;
  auto Spans = randomSpans(6, 20000, 5000, 1, EndNs);
  Spans.push_back({1, 1, {0, BlockSpan::Alive, 1 << 30, 99, 12345, 1, 0}});
  BlockSpans Out = merged(Spans, 100, EndNs);
  EXPECT_TRUE(Out.HasSmaller);
  EXPECT_LE(countOf(Out), 100u);
  Sums Live = liveAt(Out, UINT64_MAX - 1);
  EXPECT_EQ(sumOf(Live), sumOf(liveAt(Spans, UINT64_MAX - 1)));
  EXPECT_EQ((Live[{1, 1, 12345}]), uint64_t(1) << 30);
  EXPECT_NE((Live[{1, 1, BlockSpans::SmallerKey}]), 0u);
}

TEST(SpanMerger, ManyHeapsKeepASpanEach) {
  std::vector<AddedSpan> Spans;
  for (uint32_t Process = 1; Process <= 500; ++Process)
    for (uint64_t Number = 0; Number != 10; ++Number)
      Spans.push_back(
          {Process,
           1,
           {Number, BlockSpan::Alive, 1, Number, uint32_t(Number), 1, 0}});
  BlockSpans Out = merged(Spans, 10, 100);
  EXPECT_EQ(Out.Heaps.size(), 500u);
  EXPECT_EQ(sumOf(liveAt(Out, UINT64_MAX - 1)), 5000u);
}

TEST(SpanMerger, TimesAndSizesOfHostileTracesSaturate) {
  std::vector<AddedSpan> Spans;
  for (uint64_t Number = 0; Number != 100; ++Number)
    Spans.push_back({1,
                     1,
                     {UINT64_MAX - 1 - Number, UINT64_MAX - 1, UINT64_MAX,
                      Number, 1, 1, 1}});
  BlockSpans Out = merged(Spans, 3, 0);
  EXPECT_LE(countOf(Out), 100u);
  for (const HeapSpans &H : Out.Heaps)
    for (const BlockSpan &S : H.Spans) {
      EXPECT_EQ(S.Bytes, UINT64_MAX);
      EXPECT_LE(S.BeginNs, S.EndNs);
    }
}

TEST(SpanMerger, BlocksWithoutBytesAreLeftOut) {
  SpanMerger M(0, 100);
  M.add(1, 1, {1, 2, 0, 0, 1, 1, 1});
  EXPECT_TRUE(M.finish().Heaps.empty());
}

} // namespace
