// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Suggestions in words.

#include "FirstScreen.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

std::string adviceText(const PageInput &F, const Suggestion &S) {
  std::string Heap = S.Heap ? F.heapName(S.Heap).str() : "";
  std::string Bytes = formatSize(S.Bytes);
  std::string Share = S.Whole ? formatShare(S.Bytes, S.Whole) : "";
  switch (S.What) {
  case Advice::ExpandableSegments:
    return Heap + " reserved up to " + formatSize(S.Whole) + ", " + Bytes +
           " more than its peak of live bytes; " + formatShare(S.Ppm) +
           " of the reserved memory was free in pieces too small to use. Try "
           "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
  case Advice::PinnedReuse:
    return Heap + ": " + formatCount(S.Count) + " of " + formatCount(S.OutOf) +
           " pinned blocks were freed and " + Bytes +
           " pinned again: reuse buffers";
  case Advice::Temporaries:
    return formatCount(S.Count) + " of " + formatCount(S.OutOf) +
           " allocations of " + Heap +
           " were freed before their thread's next, " + Bytes +
           " in all. Reuse a buffer; most are from " +
           stackInShort(F.T, S.Stack);
  case Advice::GradientsToNone:
    return "all gradients, " + Bytes + ", live at the peak of " + Heap +
           " beside its activations. Unless steps accumulate them: "
           "zero_grad(set_to_none=True), before the forward pass";
  case Advice::OptimizerState:
    return "the optimizer's state is the largest part of the peak of " + Heap +
           ", " + Bytes + " (" + Share +
           "). Try an optimizer with a smaller state (8-bit, factored) or "
           "shard "
           "the state";
  case Advice::NeverShrinks: {
    bool IsPart = !(F.T.heap(S.Heap).Flags & HF_OutsideTotals);
    bool IsOfThreads = Heap == "host.stack";
    return Bytes + " of " + Heap + " (" + Share + " of " +
           (IsPart ? "the" : "its") + " peak) only grew, in " +
           formatCount(S.Count) + " of " + formatCount(S.OutOf) +
           " intervals; " +
           (IsOfThreads ? "none of these threads ended. Do they wait for ever? "
                        : "nothing was freed. Is it an unbounded cache? ") +
           stackInShort(F.T, S.Stack);
  }
  case Advice::Checkpoint:
    return "activations of " + F.T.string(S.Layer).str() + " are " + Bytes +
           ", " + Share + " of the peak of " + Heap +
           ". Recompute them in the backward pass: "
           "torch.utils.checkpoint";
  case Advice::WorkersCopy:
    return formatCount(S.Count) + " DataLoader workers" +
           (S.Process ? " of " + F.T.processName(S.Process).str() : "") +
           " have " + Bytes +
           " of private pages that they did not allocate: copies of "
           "inherited pages. Keep data in arrays or tensors, not in lists "
           "of objects";
  }
  llvm_unreachable("all rules have texts");
}

} // namespace memkit
