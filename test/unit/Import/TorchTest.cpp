// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the reader of PyTorch's snapshots: the log of events, the sizes of
// blocks, the segments before the first event, places in a training.

#include "Import/Torch/TorchLog.h"
#include "Import/Torch/TorchPlaces.h"
#include "Import/Torch/TorchSegments.h"
#include "Import/Torch/TorchSizes.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace memkit;

//===----------------------------------------------------------------------===//
// TorchLog
//===----------------------------------------------------------------------===//

TEST(TorchLog, GivesBackWhatItTook) {
  std::mt19937_64 Random(1);
  std::vector<TorchEvent> Events;
  TorchLog Log;
  TorchEvent E;
  for (unsigned I = 0; I != 50000; ++I) {
    E.Action = TorchAction(Random() % NumTorchActions);
    // Any of the values changes, to a value of any length.
    uint64_t New = Random() >> Random() % 64;
    switch (Random() % 8) {
    case 0:
      E.Address = New;
      break;
    case 1:
      E.Size = New;
      break;
    case 2:
      E.TimeUs = New;
      break;
    case 3:
      E.Stream = uint32_t(New);
      break;
    case 4:
      E.Pool = uint32_t(New);
      break;
    case 5:
      E.Stack = uint32_t(New);
      break;
    case 6:
      E.Label = uint32_t(New);
      break;
    }
    Events.push_back(E);
    Log.append(E);
  }
  EXPECT_EQ(Log.size(), Events.size());
  size_t At = 0;
  for (TorchLog::Reader R(Log); !R.atEnd(); R.next(), ++At)
    ASSERT_EQ(R.event(), Events[At]) << At;
  EXPECT_EQ(At, Events.size());
}

TEST(TorchLog, IsSmall) {
  TorchLog Log;
  EXPECT_TRUE(TorchLog::Reader(Log).atEnd());
  TorchEvent E;
  E.TimeUs = 1776479641085368;
  for (unsigned I = 0; I != 100000; ++I) {
    E.Action = TorchAction(I % 3);
    E.TimeUs += 37;
    if (I % 3 == 0) {
      E.Address = 0x7f0000000000 + I * 7919ull % 4096 * 512;
      E.Size = 100 + I % 7000;
      E.Stack = I % 5000;
    }
    Log.append(E);
  }
  EXPECT_LT(Log.bytes(), Log.size() * 5);
}

//===----------------------------------------------------------------------===//
// TorchSizes
//===----------------------------------------------------------------------===//

static constexpr uint64_t Kib = 1024, Mib = 1024 * Kib;

TEST(TorchSizes, Rounds) {
  TorchSizes Sizes({});
  EXPECT_EQ(Sizes.rounded(0), 512u);
  EXPECT_EQ(Sizes.rounded(1), 512u);
  EXPECT_EQ(Sizes.rounded(512), 512u);
  EXPECT_EQ(Sizes.rounded(513), 1024u);
  EXPECT_EQ(Sizes.rounded(Mib + 1), Mib + 512);
  EXPECT_EQ(Sizes.rounded(~uint64_t(0)), ~uint64_t(0));
}

TEST(TorchSizes, RoundsToDivisionsOfPowers) {
  TorchSizes::SizeSettings Set;
  Set.Divisions[0] = 4; // below 2 MiB
  Set.Divisions[10] = 8;
  Set.Divisions[15] = ~uint64_t(0);
  TorchSizes Sizes(Set);
  // Too small to be divided.
  EXPECT_EQ(Sizes.rounded(2000), 2048u);
  EXPECT_EQ(Sizes.rounded(2049), 2560u);
  EXPECT_EQ(Sizes.rounded(1200 * Kib), 1280 * Kib);
  EXPECT_EQ(Sizes.rounded(1280 * Kib), 1280 * Kib);
  EXPECT_EQ(Sizes.rounded(Mib), Mib);
  EXPECT_EQ(Sizes.rounded(3 * Mib + 1), 3 * Mib + 512);
  EXPECT_EQ(Sizes.rounded(1025 * Mib), 1152 * Mib);
  EXPECT_EQ(Sizes.rounded((1ull << 40) + 1), (1ull << 40) + 512);
}

TEST(TorchSizes, LittleAtTheEndBelongsToTheBlock) {
  TorchSizes Sizes({});
  EXPECT_EQ(Sizes.inFree(11 * Mib, 12 * Mib), 12 * Mib);
  EXPECT_EQ(Sizes.inFree(11 * Mib, 12 * Mib + 512), 11 * Mib);
  // Small blocks are always cut; what does not fit says nothing.
  EXPECT_EQ(Sizes.inFree(1 * Mib, 1 * Mib + 512), 1 * Mib);
  EXPECT_EQ(Sizes.inFree(11 * Mib, 10 * Mib), 11 * Mib);
  TorchSizes::SizeSettings Set;
  Set.MaxSplit = 20 * Mib;
  EXPECT_EQ(TorchSizes(Set).inFree(30 * Mib, 60 * Mib), 60 * Mib);
  EXPECT_EQ(TorchSizes(Set).inFree(10 * Mib, 60 * Mib), 10 * Mib);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

namespace {

struct SegmentCase {
  TorchDevice D;

  void event(TorchAction Action, uint64_t Address, uint64_t Size) {
    TorchEvent E;
    E.Action = Action;
    E.Address = Address;
    E.Size = Size;
    D.Trace.SegmentEvents.push_back(E);
  }
  void last(uint64_t Address, uint64_t Size, bool Expands) {
    TorchSegment &S = D.Segments.emplace_back();
    S.Address = Address;
    S.Size = Size;
    S.Expands = Expands;
  }
  std::string before() const {
    std::string Text;
    for (const TorchSegment &S : segmentsBefore(D))
      Text += std::to_string(S.Address) + "+" + std::to_string(S.Size) +
              (S.Expands ? "e " : " ");
    return Text;
  }
};

} // namespace

TEST(TorchSegments, Fixed) {
  SegmentCase C;
  C.event(TorchAction::SegmentFree, 100, 10);  // lived
  C.event(TorchAction::SegmentAlloc, 200, 20); // did not
  C.event(TorchAction::SegmentFree, 200, 20);
  C.event(TorchAction::SegmentAlloc, 100, 30);
  C.last(100, 30, false);
  C.last(50, 5, false); // has no event
  EXPECT_EQ(C.before(), "50+5 100+10 ");
}

TEST(TorchSegments, Expanding) {
  SegmentCase C;
  C.event(TorchAction::SegmentMap, 140, 20);
  C.event(TorchAction::SegmentUnmap, 120, 60);
  C.event(TorchAction::SegmentMap, 110, 100);
  C.last(100, 120, true);
  // Lived: 100-110 (no event), 120-140 and 160-180 (unmapped), 210-220.
  EXPECT_EQ(C.before(), "100+10e 120+20e 160+20e 210+10e ");
}

TEST(TorchSegments, ExpandingPiecesJoin) {
  SegmentCase C;
  C.event(TorchAction::SegmentUnmap, 30, 10);
  C.event(TorchAction::SegmentUnmap, 20, 10);
  C.last(10, 10, true);
  EXPECT_EQ(C.before(), "10+30e ");
  // The end of a damaged range is the end of all addresses.
  C.event(TorchAction::SegmentUnmap, ~uint64_t(0) - 5, 10);
  EXPECT_EQ(C.before(), "10+30e ");
}

//===----------------------------------------------------------------------===//
// Places and categories
//===----------------------------------------------------------------------===//

TEST(TorchPlaces, OfFrames) {
  StringRef Venv = "/v/site-packages/torch/";
  auto Of = [&](StringRef File, StringRef Function) {
    return torchPlaceOf((Venv + File).str(), Function);
  };
  EXPECT_EQ(Of("optim/adamw.py", "step"), TorchPlace::Optimizer);
  EXPECT_EQ(Of("autograd/graph.py", "_engine_run_backward"),
            TorchPlace::Backward);
  EXPECT_EQ(Of("nn/modules/module.py", "_apply"), TorchPlace::Setup);
  EXPECT_EQ(Of("nn/modules/linear.py", "Linear.reset_parameters"),
            TorchPlace::Setup);
  EXPECT_EQ(Of("nn/init.py", "uniform_"), TorchPlace::Setup);
  EXPECT_EQ(Of("nn/modules/module.py", "_wrapped_call_impl"),
            TorchPlace::Forward);
  EXPECT_EQ(Of("nn/functional.py", "linear"), TorchPlace::Other);
  EXPECT_EQ(
      torchPlaceOf("D:\\v\\Lib\\site-packages\\torch\\optim\\sgd.py", "f"),
      TorchPlace::Optimizer);
  EXPECT_EQ(torchPlaceOf("/home/me/mytorch/optim/x.py", "step"),
            TorchPlace::Other);
  EXPECT_EQ(torchPlaceOf("??", "torch::autograd::Engine::thread_main()"),
            TorchPlace::Backward);
}

TEST(TorchPlaces, CategoriesNeedAKnownEnd) {
  TorchTensorLife L;
  L.Made = TorchPlace::Backward;
  // The free has the stack of its allocation: nothing is known.
  EXPECT_EQ(categoryOf(L), TensorCategory::Unknown);
  L.IsLive = true;
  EXPECT_EQ(categoryOf(L), TensorCategory::Gradient);
  L.IsLive = false;
  L.HasFreed = true;
  EXPECT_EQ(categoryOf(L), TensorCategory::Gradient);
  L.Freed = TorchPlace::Backward;
  EXPECT_EQ(categoryOf(L), TensorCategory::Temporary);
  L.Made = TorchPlace::Forward;
  EXPECT_EQ(categoryOf(L), TensorCategory::Activation);
  L.Freed = TorchPlace::Other;
  EXPECT_EQ(categoryOf(L), TensorCategory::Unknown);
  L.Made = TorchPlace::Optimizer;
  EXPECT_EQ(categoryOf(L), TensorCategory::OptimizerState);
  // A range says when the step has ended, whatever frees have.
  L = {};
  L.InOptimizer = true;
  EXPECT_EQ(categoryOf(L), TensorCategory::Temporary);
  L.OptimizerEnded = true;
  EXPECT_EQ(categoryOf(L), TensorCategory::OptimizerState);
}
