// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causes of a device's gap in sentences.

#include "GapSentences.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

namespace {
struct GapCauseWords {
  StringLiteral Key, Name, Help;
};
} // namespace

/// By GapCause.
static constexpr GapCauseWords Words[] = {
    {"first-use", "first use",
     "contexts and kernels of CUDA, and workspaces of libraries, stay for the "
     "run: one process a device; CUDA_MODULE_LOADING=LAZY; "
     "CUBLAS_WORKSPACE_CONFIG; fewer NCCL communicators"},
    {"other-process", "other processes",
     "nvidia-smi lists them: end them, give the program another device, or a "
     "device of its own"},
    {"drift", "drift",
     "what no allocator records grows: communicators, graphs, streams, events "
     "or "
     "handles that the program makes anew and keeps; make them once, or "
     "destroy "
     "them"},
    {"transient", "transient",
     "workspaces that come and go count at the peak: smaller workspaces "
     "(CUBLAS_WORKSPACE_CONFIG), torch.backends.cudnn.benchmark=False, or room "
     "for them"},
    {"fragmentation", "fragmentation",
     "the allocator's reserve is in pieces that requests do not fit into: "
     "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or fewer different "
     "sizes"},
    {"before", "before the first sample",
     "it was there before the program used the device: the driver's own, or a "
     "process that NVML does not list"},
};
static_assert(std::size(Words) == NumGapCauses);

StringRef gapCauseKey(GapCause C) { return Words[unsigned(C)].Key; }
StringRef gapCauseName(GapCause C) { return Words[unsigned(C)].Name; }
StringRef gapHelp(GapCause C) { return Words[unsigned(C)].Help; }

StringRef gapSeverityName(GapSeverity S) {
  return S == GapSeverity::High     ? "high"
         : S == GapSeverity::Medium ? "medium"
                                    : "low";
}

std::string gapFindingText(const Trace &T, const GapFinding &F) {
  std::string Text = gapCauseName(F.Cause).str() + " " + formatSize(F.Bytes);
  if (F.BytesPerSecond)
    Text += " (" + formatSize(F.BytesPerSecond) + "/s)";
  Text += " since " + formatTime(F.SinceNs);
  if (std::optional<uint64_t> Step = stepAt(T, F.SinceNs))
    Text += ", step " + std::to_string(*Step);
  return Text;
}

std::string gapWarning(const Trace &T, ArrayRef<DeviceGap> Gaps) {
  std::string Text;
  for (const DeviceGap &G : Gaps) {
    std::string Of;
    for (const GapFinding &F : G.Causes)
      if (F.Severity == GapSeverity::High)
        Of += (Of.empty() ? "" : "; ") + gapFindingText(T, F);
    if (!Of.empty())
      Text +=
          (Text.empty() ? "" : "; ") + T.spaceName(G.Device).str() + ": " + Of;
  }
  return Text;
}

} // namespace memkit
