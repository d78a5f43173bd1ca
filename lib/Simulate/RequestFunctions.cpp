// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function of malloc's family served each stack.

#include "RequestFunctions.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace memkit;
using namespace memkit::wire;

static ReplayOp opOf(StringRef Function) {
  return StringSwitch<ReplayOp>(Function)
      .Case("calloc", ReplayOp::Zeroed)
      .Cases("posix_memalign", "aligned_alloc", "memalign", ReplayOp::Aligned)
      .Cases("operator new(aligned)", "operator new[](aligned)",
             ReplayOp::Aligned)
      .Cases("valloc", "pvalloc", ReplayOp::PageAligned)
      .Default(ReplayOp::Allocate);
}

RequestFunctions::RequestFunctions(const Trace &T)
    : Ops(T.numStacks() + 1, ReplayOp::Allocate) {
  std::vector<ReplayOp> OfFrames(T.numFrames() + 1, ReplayOp::Allocate);
  for (uint32_t Frame = 1; Frame < OfFrames.size(); ++Frame)
    OfFrames[Frame] = opOf(T.unfolded(Frame).front().Function);
  for (uint32_t Stack = 1; Stack < Ops.size(); ++Stack)
    if (uint32_t Leaf = T.leaf(Stack))
      Ops[Stack] = OfFrames[T.frameOf(Leaf)];
}
