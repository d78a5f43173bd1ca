// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A framework that only this folder knows has scope paths, stats and steps.

#include "MockScopes.h"
#include "Output/MemorySink.h"
#include "Output/Recording.h"
#include "Shared/SharedProcess.h"
#include <gtest/gtest.h>

using namespace memkit;

namespace {

struct MockFramework : testing::Test {
  using Kind = MockBeginRecord::Kind;
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R = llvm::cantFail(
      Recording::create(Out, Header(), TscClock({0, 0, 0}, 1000000000)));
  std::unique_ptr<SharedProcess> Shared =
      llvm::cantFail(SharedProcess::create(1, ProcessSettings(), "test"));
  std::unique_ptr<ScopeThreads> Threads;
  std::unique_ptr<LayerScopes> Layers;
  std::unique_ptr<MockScopes> Mock;
  uint64_t Tsc = 0, Numbers = 0;

  void SetUp() override {
    R->names().addProcess(ProcessRecord());
    R->stats().beginProcess(1, 0);
    Threads = std::make_unique<ScopeThreads>(*Shared, *R, 1, 0);
    Layers = std::make_unique<LayerScopes>(*Threads);
    Mock = std::make_unique<MockScopes>(*Threads, *Layers);
  }
  uint64_t begin(Kind Is, const char *Name) {
    uint32_t Text = Threads->names().own(Name);
    EXPECT_TRUE(Mock->take({Is, Text, ++Numbers}, {Tsc += 1000, 0}));
    return Numbers;
  }
  void end(uint64_t Number) {
    uint32_t Ring = 0;
    EXPECT_TRUE(Threads->end(Number, Ring, Tsc += 1000));
  }
  uint64_t calls(ScopeKind Is, llvm::StringRef Name) {
    for (const LayerStats &T : R->scopeTotals())
      if (T.Kind == Is && T.Name == R->names().Names.string(Name))
        return T.Calls;
    return 0;
  }
};

TEST_F(MockFramework, HasPathsStatsAndSteps) {
  for (unsigned Episode = 0; Episode != 3; ++Episode) {
    uint64_t Outer = begin(Kind::Episode, "episode");
    begin(Kind::Layer, "encoder");
    uint32_t OfLayer = Threads->context(0).ScopePath;
    uint64_t Inner = begin(Kind::Operator, "mix");
    EXPECT_NE(OfLayer, Threads->context(0).ScopePath);
    end(Inner);
    EXPECT_EQ(OfLayer, Threads->context(0).ScopePath);
    // The end of the episode closes the layer.
    end(Outer);
    EXPECT_EQ(0u, Threads->context(0).ScopePath);
  }
  EXPECT_EQ(3u, R->maxSteps());
  Threads->finish(Tsc += 1000);
  EXPECT_EQ(3u, calls(ScopeKind::Range, "episode"));
  EXPECT_EQ(3u, calls(ScopeKind::Layer, "encoder"));
  EXPECT_EQ(3u, calls(ScopeKind::Operator, "mix"));
}

TEST_F(MockFramework, StepsOfTheProgramPrecedeItsOwn) {
  Threads->steps().report(Tsc += 1000, 0);
  end(begin(Kind::Episode, "episode"));
  EXPECT_EQ(1u, R->maxSteps());
}

// Ranges are not measured: many of them do not push a layer out.
TEST_F(MockFramework, LayersKnowTheirReservedMemoryBehindManyRanges) {
  uint64_t Layer = begin(Kind::Layer, "encoder");
  Layers->reserved().set(Threads->timeNs({Tsc, 0}), 100, 400);
  for (size_t I = 0; I != 2 * ScopeReserved::MaxOpen; ++I)
    end(begin(Kind::Episode, "episode"));
  end(Layer);
  Threads->finish(Tsc += 1000);
  uint32_t Share = 0;
  for (const LayerStats &T : R->scopeTotals())
    if (T.Kind == ScopeKind::Layer)
      Share = T.FragmentationPpm;
  EXPECT_EQ(750000u, Share);
}

} // namespace
