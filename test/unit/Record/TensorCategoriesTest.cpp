// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of tensors by their lives.

#include "Scopes/TensorCategories.h"
#include "Output/CategoryTable.h"
#include "Scopes/TensorFrames.h"
#include <gtest/gtest.h>

using namespace memkit;
using Place = TrainingPlace;
using Origin = TensorCategories::Origin;

namespace memkit {
static void PrintTo(TensorCategory K, std::ostream *OS) {
  constexpr const char *Names[] = {"unknown",  "parameter",  "gradient",
                                   "state",    "activation", "input",
                                   "temporary"};
  *OS << Names[unsigned(K)];
}
} // namespace memkit

namespace {

/// A training run whose passes come from the test.
struct Categories : testing::Test {
  TensorCategories K;

  Origin allocated(Place P, MadeBy By = MadeBy::Unknown) {
    return K.origin(P, By);
  }
  /// Runs a backward pass of three nodes.
  void backward() {
    K.beginBackward();
    for (int Node = 0; Node != 3; ++Node) {
      K.beginBackward();
      K.beginNode();
    }
  }
  void update() {
    K.beginUpdate();
    K.endUpdate();
  }
  void step() {
    K.beginForward();
    backward();
    update();
  }
  void freed(TensorCategory Category, const Origin &B,
             Place At = Place::Outside) {
    EXPECT_EQ(Category, K.ofFreed(B, At));
  }
  void lives(TensorCategory Category, const Origin &B, bool Worker = false) {
    EXPECT_EQ(Category, K.ofLive(B, Worker));
  }
};

TEST_F(Categories, ForwardKeepsActivationsUntilBackward) {
  K.beginForward();
  Origin Saved = allocated(Place::Forward), Short = allocated(Place::Forward);
  freed(TensorCategory::Temporary, Short, Place::Forward);
  lives(TensorCategory::Activation, Saved);
  K.beginBackward();
  freed(TensorCategory::Activation, Saved, Place::Backward);
  // Activations that the program keeps: until the next step, and in its
  // forward.
  update();
  freed(TensorCategory::Activation, Saved);
  K.beginForward();
  freed(TensorCategory::Activation, Saved, Place::Forward);
}

TEST_F(Categories, GradientsOutliveTheirBackward) {
  K.beginForward();
  K.beginBackward();
  K.beginNode();
  Origin B = allocated(Place::Backward), Made = allocated(Place::Accumulate);
  freed(TensorCategory::Temporary, B, Place::Backward);
  lives(TensorCategory::Temporary, B); // may go to the next node
  lives(TensorCategory::Gradient, Made);
  K.beginNode();
  K.beginNode();
  lives(TensorCategory::Gradient, B);
  // Between two nodes the thread is outside backward, but the backward pass
  // goes on.
  K.beginBackward();
  freed(TensorCategory::Temporary, B, Place::Backward);
  K.beginUpdate();
  freed(TensorCategory::Gradient, B, Place::Optimizer);
  K.endUpdate();
  freed(TensorCategory::Gradient, B);
  lives(TensorCategory::Gradient, B);
}

TEST_F(Categories, AccumulatedGradients) {
  step();
  K.beginForward();
  K.beginBackward();
  Origin Kept = allocated(Place::Backward);
  K.beginForward();
  K.beginBackward();
  // The second pass adds its gradient to the first pass's gradient, or makes a
  // new one.
  Origin Added = allocated(Place::Backward);
  freed(TensorCategory::Temporary, Added, Place::Accumulate);
  freed(TensorCategory::Gradient, Kept, Place::Accumulate);
  // A pass through the graph that a backward pass built.
  freed(TensorCategory::Activation, Kept, Place::Backward);
}

TEST_F(Categories, Recomputed) {
  K.beginForward();
  K.beginBackward();
  Origin B = allocated(Place::Recompute);
  freed(TensorCategory::Temporary, B, Place::Recompute);
  freed(TensorCategory::Activation, B, Place::Backward);
  lives(TensorCategory::Activation, B);
}

TEST_F(Categories, StateOutlivesItsUpdate) {
  K.beginForward();
  backward();
  K.beginUpdate();
  Origin B = allocated(Place::Optimizer);
  freed(TensorCategory::Temporary, B, Place::Optimizer);
  lives(TensorCategory::OptimizerState, B);
  K.endUpdate();
  freed(TensorCategory::OptimizerState, B);
  K.beginUpdate();
  freed(TensorCategory::OptimizerState, B, Place::Optimizer);
}

TEST_F(Categories, ParametersAreOfModules) {
  Origin P = allocated(Place::Making, MadeBy::Module);
  Origin Computed = allocated(Place::Computing, MadeBy::Module);
  Origin InPlace = allocated(Place::Making, MadeBy::Initializer);
  freed(TensorCategory::Temporary, Computed);
  freed(TensorCategory::Temporary, InPlace);
  // Moved to a device before any pass.
  freed(TensorCategory::Parameter, P);
  lives(TensorCategory::Parameter, P);
  step();
  freed(TensorCategory::Parameter, P);
  freed(TensorCategory::Parameter, Computed);
  // Made by the first forward.
  freed(TensorCategory::Parameter, allocated(Place::Forward, MadeBy::Module),
        Place::Forward);
}

TEST_F(Categories, InputsComeBeforeForward) {
  Origin Data = allocated(Place::Making), Scaled = allocated(Place::Computing);
  lives(TensorCategory::Unknown, Data);
  lives(TensorCategory::Input, Data, true);
  freed(TensorCategory::Unknown, Data);
  step();
  lives(TensorCategory::Input, Data);
  freed(TensorCategory::Input, Scaled);
  // Freed by autograd, which had saved the tensor.
  freed(TensorCategory::Input, Data, Place::Backward);
  for (int I = 0; I != 5000; ++I)
    step();
  lives(TensorCategory::Input, Data);
  freed(TensorCategory::Temporary, allocated(Place::Computing));
}

TEST_F(Categories, TheLossIsAnActivation) {
  step();
  K.beginForward();
  Origin Loss = allocated(Place::Computing), Target = allocated(Place::Making);
  Origin Root = allocated(Place::Computing, MadeBy::BackwardCall);
  backward();
  freed(TensorCategory::Activation, Loss, Place::Backward);
  freed(TensorCategory::Input, Target, Place::Backward);
  freed(TensorCategory::Temporary, Root);
  update();
  freed(TensorCategory::Activation, Loss);
}

TEST_F(Categories, WhatAnEvaluationKeepsIsNoInput) {
  step();
  K.beginForward();
  Origin Joined = allocated(Place::Computing), Moved = allocated(Place::Moving);
  K.beginForward();
  // Inputs that the evaluation computes for its next pass.
  freed(TensorCategory::Input, Joined);
  K.beginForward();
  freed(TensorCategory::Unknown, Joined);
  lives(TensorCategory::Unknown, Joined);
  lives(TensorCategory::Input, Moved);
  step();
  // Of one batch for several passes.
  Origin Batch = allocated(Place::Computing);
  step();
  step();
  lives(TensorCategory::Input, Batch);
}

TEST_F(Categories, WithoutLayersNobodyKnows) {
  Origin Weight = allocated(Place::Making);
  for (int I = 0; I != 3; ++I)
    backward(), K.otherWork();
  lives(TensorCategory::Unknown, Weight);
}

TEST_F(Categories, WhatAFailureEnds) {
  // An exception frees tensors that forward kept, while it leaves the layers.
  K.beginForward();
  Origin Saved = allocated(Place::Forward);
  Saved.Event = 7;
  K.fail(7);
  Origin Later = allocated(Place::Forward);
  Later.Event = 8;
  freed(TensorCategory::Activation, Saved, Place::Forward);
  freed(TensorCategory::Temporary, Later, Place::Forward);
  // The graph is freed in the middle of backward.
  K.beginForward();
  K.beginBackward();
  Origin Gradient = allocated(Place::Backward);
  Gradient.Event = 10;
  K.beginNode();
  K.beginNode();
  Origin Passed = allocated(Place::Backward);
  Passed.Event = 11;
  K.beginNode();
  K.fail(11);
  K.beginNode();
  K.beginNode();
  freed(TensorCategory::Gradient, Gradient, Place::Backward);
  freed(TensorCategory::Temporary, Passed, Place::Backward);
  // A failure after backward does not end backward's tensors.
  K.otherWork();
  K.fail(11);
  freed(TensorCategory::Gradient, Passed);
  lives(TensorCategory::Gradient, Passed);
  K.beginUpdate();
  Origin State = allocated(Place::Optimizer);
  State.Event = 12;
  K.fail(12);
  freed(TensorCategory::OptimizerState, State, Place::Optimizer);
  K.endUpdate();
}

TEST_F(Categories, Frames) {
  auto By = [](const char *File, const char *Function) {
    return madeByFrame(File, Function);
  };
  constexpr char Linear[] = "/a/torch/nn/modules/linear.py";
  EXPECT_EQ(MadeBy::Module, By(Linear, "Linear.__init__"));
  EXPECT_EQ(MadeBy::Module, By(Linear, "__init__")); // before 3.11
  EXPECT_EQ(MadeBy::Unknown, By(Linear, "Linear.forward"));
  EXPECT_EQ(MadeBy::Unknown, By(Linear, "Linear.not__init__"));
  EXPECT_EQ(MadeBy::Module,
            By("/a/torch/nn/modules/module.py", "Module._apply"));
  EXPECT_EQ(MadeBy::Loading,
            By("/a/torch/nn/modules/module.py", "Module.load_state_dict"));
  EXPECT_EQ(MadeBy::Initializer, By("/a/torch/nn/init.py", "orthogonal_"));
  EXPECT_EQ(MadeBy::Optimizer,
            By("/a/torch/optim/optimizer.py", "Optimizer.load_state_dict"));
  EXPECT_EQ(MadeBy::Unknown, By("/a/mine.py", "Net.__init__"));
  EXPECT_EQ(MadeBy::Unknown, By("/a/torchvision/nn/init.py", "orthogonal_"));
}

/// The stats of one heap, and the categories of its tensors.
struct Peaks : testing::Test {
  LiveStats Stats;
  CategoryTable Table{Stats};
  uint64_t Now = 0, AllocationId = 0;
  struct Block {
    BlockRef Ref;
    uint64_t Origin, Size;
  };

  Peaks() {
    Stats.addHeap(1, Heap());
    Stats.beginProcess(1, 0);
  }
  Block allocate(uint64_t Size) {
    Block B{{AllocationId++, Stats.stackRow(1, 1, 1), 0}, 0, Size};
    Stats.allocate(B.Ref, Size, Now += 100, 1);
    B.Origin = Stats.events();
    return B;
  }
  void free(const Block &B, TensorCategory Category, uint32_t Layer = 0) {
    Stats.free(B.Ref, B.Size, Now += 100, 1, 0);
    Table.add(1, 1, Category, Layer, B.Origin, B.Size);
  }
  std::string totals() {
    std::string Text;
    for (const CategoryStats &T : Table.totals())
      Text += std::to_string(unsigned(T.Category)) + "/" +
              std::to_string(T.Layer) + ":" + std::to_string(T.Blocks) + "," +
              std::to_string(T.Bytes) + " ";
    return Text;
  }
};

TEST_F(Peaks, OnlyWhatLivedAtThePeakCounts) {
  Block A = allocate(100), Before = allocate(7);
  free(Before, TensorCategory::Temporary); // at a peak before the last
  EXPECT_EQ("6/0:1,7 ", totals());
  Block B = allocate(50), C = allocate(50); // 200: the peak
  EXPECT_EQ("", totals());
  free(B, TensorCategory::Activation, 3);
  Block After = allocate(50); // 200 again, not a new peak
  free(After, TensorCategory::Temporary);
  free(C, TensorCategory::Activation, 3);
  free(A, TensorCategory::Parameter);
  EXPECT_EQ("1/0:1,100 4/3:2,100 ", totals());
}

TEST(OomLog, KeepsTheFirstAndTheLast) {
  OomLog Log;
  auto Add = [&](uint32_t Process, uint64_t TimeNs, size_t Rows) {
    OomLog::OomTimePoint M;
    M.What.Process = Process;
    M.What.TimeNs = TimeNs;
    M.Heaps.resize(1);
    for (size_t I = 0; I != Rows; ++I)
      M.Categories.push_back(
          {1, Process, TensorCategory(I % 2), 0, 5, uint32_t(I), 1, I});
    Log.add(std::move(M));
  };
  for (uint64_t At = 1; At != 11; ++At)
    Add(1, At, 1000);
  Log.skip(1);
  Add(2, 50, 1);
  Add(1, 60, 1);
  auto M = Log.timePoints();
  ASSERT_EQ(MaxOomsOfProcess + 1, M.size());
  EXPECT_EQ(7u, M[6].What.TimeNs);
  EXPECT_EQ(2u, M[7].What.Process);
  // Skipped: 8, 9 and 10, and one by skip().
  EXPECT_EQ(60u, M[8].What.TimeNs);
  EXPECT_EQ(4u, M[8].What.Skipped);
  EXPECT_EQ(12u, M[8].What.Number);
  EXPECT_EQ(12u, M[8].Categories[0].Oom);
  EXPECT_EQ(12u, M[8].Heaps[0].Oom);
  // The largest of many rows, and two rows for the remainder; all bytes are
  // counted.
  ASSERT_EQ(OomLog::MaxRows - NumTensorCategories + 2, M[0].Categories.size());
  EXPECT_EQ(999u, M[0].Categories[0].Bytes);
  EXPECT_EQ(0u, M[0].Categories.back().Stack);
  EXPECT_EQ(0u, M[0].Categories.back().Layer);
  uint64_t Blocks = 0, Bytes = 0;
  for (const CategoryStats &K : M[0].Categories) {
    Blocks += K.Blocks;
    Bytes += K.Bytes;
  }
  EXPECT_EQ(1000u, Blocks);
  EXPECT_EQ(999u * 1000 / 2, Bytes);
}

} // namespace
