// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An out-of-memory event in sentences.

#include "OomSentences.h"
#include "Support/CommandText.h"
#include "Support/Table.h"
#include "TraceText/EnumNames.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;

namespace memkit {

static bool isOfHost(const Trace &T, const OomMoment &M) {
  return T.heap(M.Event.What.Heap).Space == 0;
}

static std::string whenText(const Trace &T, uint64_t TimeNs) {
  std::string Text = "at " + formatTime(TimeNs);
  if (std::optional<uint64_t> Step = stepAt(T, TimeNs))
    Text += ", step " + std::to_string(*Step);
  return Text;
}

static std::string askerText(const Trace &T, const Places &Where,
                             const OomRecord &O) {
  if (!O.Stack)
    return oneLine(T.processName(O.Process));
  std::string Place = Where.text(Where.place(Where.of(O.Stack)));
  return Place.empty() ? oneLine(T.processName(O.Process)) : Place;
}

//===----------------------------------------------------------------------===//
// Why
//===----------------------------------------------------------------------===//

static std::string leftText(const OomRecord &O) {
  return O.FreeKnown ? ", of which " + formatSize(O.FreeBytes) + " were left"
                     : "";
}

/// The limit that a request for host memory met.
static std::string hostLimit(const OomRecord &O) {
  std::string Size = formatSize(O.LimitBytes);
  switch (O.Limit) {
  case LimitKind::AddressSpace:
    return "the address space is limited to " + Size + " (ulimit -v)" +
           leftText(O);
  case LimitKind::Data:
    return "its data is limited to " + Size + " (ulimit -d)" + leftText(O);
  case LimitKind::Group:
    return "its control group is limited to " + Size + leftText(O);
  case LimitKind::Machine:
    return "the machine has " + Size + " of memory and swap" + leftText(O);
  case LimitKind::Unknown:
  case LimitKind::Device:
    break;
  }
  return "";
}

/// `1.20 GiB of 79.6 GiB`.
static std::string partText(uint64_t Bytes, uint64_t Whole) {
  return formatSize(Bytes) + (Whole ? " of " + formatSize(Whole) : "");
}

static std::string deviceFree(const OomMoment &M) {
  if (!M.Cause || !M.Cause->DeviceFree)
    return "";
  return std::string(M.Cause->IsAtMost ? "at most " : "") +
         partText(*M.Cause->DeviceFree, M.DeviceBytes) +
         " were free on the device";
}

/// `3.10 GiB were free in 214 holes, the largest 512 MiB`.
static std::string holesText(const OomCause &C) {
  return formatSize(C.FreeBytes) + " were free in " + formatCount(C.NumHoles) +
         (C.NumHoles == 1 ? " hole"
                          : " holes, the largest " + formatSize(C.LargestHole));
}

static bool isOfTensorFlow(const Trace &T, const OomMoment &M) {
  return T.heapName(M.Event.What.Heap).starts_with("tf.");
}

static std::string deviceReason(const Trace &T, const OomMoment &M) {
  const OomRecord &O = M.Event.What;
  if (!M.Cause)
    return O.FreeKnown ? formatSize(O.FreeBytes) + " were free on the device"
                       : "";
  const OomCause &C = *M.Cause;
  std::string Device = deviceFree(M);
  std::string Holes =
      C.NumHoles
          ? holesText(C) + (isOfTensorFlow(T, M) ? " of TensorFlow's regions"
                                                 : " of PyTorch's segments")
          : "";
  switch (C.Why) {
  case OomCause::Full:
    return "the device is full: " + Device +
           (Holes.empty() ? "" : "; " + Holes);
  case OomCause::Scattered:
    return "fragmentation: " + (Holes.empty() ? Device : Holes) +
           (Holes.empty() || Device.empty() ? "" : "; " + Device);
  case OomCause::OtherHole:
    return "a hole of " + formatSize(C.LargestHole) +
           " was free, but belongs to another stream or pool" +
           (Device.empty() ? "" : "; " + Device);
  case OomCause::HasRoom:
    return Device + ": a limit that the program set refused it, or the memory "
                    "was taken since";
  case OomCause::Unknown:
    break;
  }
  return Holes + (Holes.empty() || Device.empty() ? "" : "; ") + Device;
}

static std::string killText(const Trace &T, const OomRecord &O) {
  return "the kernel killed " + oneLine(T.processName(O.Process)) + " " +
         whenText(T, O.TimeNs);
}

std::string oomReason(const Trace &T, const Places &Where, const OomMoment &M) {
  const OomRecord &O = M.Event.What;
  bool IsKill = O.Kind == OomKind::Killed;
  std::string Text =
      IsKill
          ? killText(T, O)
          : askerText(T, Where, O) + " asked for " + formatSize(O.Requested) +
                " of " + T.heapName(O.Heap).str() + " " + whenText(T, O.TimeNs);
  std::string Why = isOfHost(T, M) ? hostLimit(O) : deviceReason(T, M);
  return Why.empty() ? Text : Text + ": " + Why;
}

//===----------------------------------------------------------------------===//
// What held the memory
//===----------------------------------------------------------------------===//

std::string oomHolders(const Places &Where, const OomMoment &M) {
  constexpr size_t Max = 3;
  std::string Text;
  size_t Count = 0;
  for (const OomHolder &H : M.Holders) {
    if (Count == Max || (Count && H.Bytes < M.LiveBytes / 20))
      break;
    Text += (Count++ ? ", " : "") + Where.text(Where.place(H.Place)) + " " +
            formatShare(H.Bytes, M.LiveBytes);
  }
  return Text.empty() ? "" : formatSize(M.LiveBytes) + ": " + Text;
}

std::string oomTensors(const Trace &T, const OomMoment &M) {
  std::map<TensorCategory, uint64_t> ByCategory;
  std::map<uint32_t, uint64_t> ByLayer;
  uint64_t Whole = 0;
  for (const CategoryStats &K : M.Event.Tensors) {
    ByCategory[K.Category] += K.Bytes;
    Whole += K.Bytes;
    if (K.Layer)
      ByLayer[K.Layer] += K.Bytes;
  }
  std::vector<std::pair<TensorCategory, uint64_t>> Rows(ByCategory.begin(),
                                                        ByCategory.end());
  stable_sort(Rows,
              [](const auto &A, const auto &B) { return A.second > B.second; });
  if (Rows.size() == 1 && Rows.front().first == TensorCategory::Unknown)
    return "";
  std::string Text;
  for (const auto &[Category, Bytes] : Rows)
    if (Text.empty() || Bytes >= Whole / 50)
      Text += (Text.empty() ? "" : ", ") + categoryName(Category) + " " +
              formatSize(Bytes);
  auto Most = llvm::max_element(ByLayer, [](const auto &A, const auto &B) {
    return A.second < B.second;
  });
  if (Most != ByLayer.end() && Most->second >= Whole / 10)
    Text += "; most in the layer " + oneLine(T.string(Most->first)) + ", " +
            formatSize(Most->second);
  return Text;
}

//===----------------------------------------------------------------------===//
// What to change
//===----------------------------------------------------------------------===//

/// The bytes of live tensors of these categories.
static uint64_t bytesOf(const OomMoment &M, ArrayRef<TensorCategory> Of) {
  uint64_t Bytes = 0;
  for (const CategoryStats &K : M.Event.Tensors)
    Bytes += is_contained(Of, K.Category) ? K.Bytes : 0;
  return Bytes;
}

/// What the request lacked; 0: not known.
static uint64_t missingBytes(const OomMoment &M) {
  const OomRecord &O = M.Event.What;
  std::optional<uint64_t> Free;
  if (O.FreeKnown)
    Free = O.FreeBytes;
  else if (M.Cause && !M.Cause->IsAtMost)
    Free = M.Cause->DeviceFree;
  return Free ? O.Requested - std::min(*Free, O.Requested) : 0;
}

/// Whether less memory in one place, or of one category, may have let the
/// request through.
static bool isWorthLess(const OomMoment &M, uint64_t Bytes) {
  return Bytes >= M.LiveBytes / 10 && Bytes >= missingBytes(M);
}

/// Whether most activations are of earlier steps: graphs that the program keeps
/// grow with the steps, whatever the batch. Tensors that stay on purpose do not
/// count.
static bool keepsGraphs(const OomMoment &M) {
  uint64_t Stays =
      bytesOf(M, {TensorCategory::Parameter, TensorCategory::Gradient,
                  TensorCategory::OptimizerState, TensorCategory::Input});
  uint64_t Older = M.OlderTensorBytes - std::min(Stays, M.OlderTensorBytes);
  return Older > bytesOf(M, {TensorCategory::Activation}) / 2;
}

static std::string tensorAdvice(const OomMoment &M) {
  uint64_t Whole = 0;
  for (const CategoryStats &K : M.Event.Tensors)
    Whole += K.Bytes;
  auto IsLarge = [&](TensorCategory Of) {
    uint64_t Part = bytesOf(M, {Of});
    return Whole && Part >= Whole / 100 * 40 && isWorthLess(M, Part);
  };
  if (IsLarge(TensorCategory::Activation) && !keepsGraphs(M))
    return "a smaller batch, or recompute activations "
           "(torch.utils.checkpoint)";
  if (IsLarge(TensorCategory::OptimizerState))
    return "an optimizer with a smaller state (8-bit, factored), or shard the "
           "state";
  return "";
}

/// What gives the allocator's free memory to the request. A hole of another
/// stream or pool serves no request, in expandable segments neither.
static std::string holeAdvice(const OomCause &C) {
  uint64_t Device = C.IsAtMost ? 0 : C.DeviceFree.value_or(0);
  auto Serves = [&](uint64_t Free) {
    return Free && C.Requested <= SaturatingAdd(Device, Free);
  };
  if (Serves(C.WholeFreeBytes))
    return "torch.cuda.empty_cache() before, which gives back the free "
           "segments of other streams";
  if (Serves(C.OwnFreeBytes))
    return "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
  return "";
}

/// TensorFlow's regions cannot be given back, and none expands.
static std::string tensorFlowAdvice(OomCause::OomCauseKind Why) {
  if (Why == OomCause::Scattered || Why == OomCause::OtherHole)
    return "TF_GPU_ALLOCATOR=cuda_malloc_async";
  return Why == OomCause::HasRoom
             ? "the limit that the program set (memory_limit of a "
               "LogicalDeviceConfiguration)"
             : "";
}

static std::string deviceAdvice(const Trace &T, const OomMoment &M) {
  if (!M.Cause)
    return "";
  if (isOfTensorFlow(T, M))
    return tensorFlowAdvice(M.Cause->Why);
  switch (M.Cause->Why) {
  case OomCause::Scattered:
  case OomCause::OtherHole:
    return holeAdvice(*M.Cause);
  case OomCause::HasRoom:
    return "the limit that the program set "
           "(torch.cuda.set_per_process_memory_fraction)";
  case OomCause::Full:
  case OomCause::Unknown:
    break;
  }
  return "";
}

/// The memory and swap of the machine; 0: not recorded.
static uint64_t machineBytes(const Trace &T) {
  uint64_t Sum = 0;
  for (StringRef Fact : T.header().Machine) {
    uint64_t Bytes = 0;
    if ((Fact.consume_front("memory=") || Fact.consume_front("swap=")) &&
        !Fact.getAsInteger(10, Bytes))
      Sum = SaturatingAdd(Sum, Bytes);
  }
  return Sum;
}

static std::string limitAdvice(const OomRecord &O) {
  uint64_t Used = O.LimitBytes - std::min(O.FreeBytes, O.LimitBytes);
  return O.FreeKnown
             ? "a limit of " + formatSize(SaturatingAdd(Used, O.Requested)) +
                   " or more would have let this request through"
             : "a higher limit";
}

/// The limit that this request would have needed. Machine: its bytes; 0: not
/// known.
static std::string hostAdvice(const OomRecord &O, uint64_t Machine) {
  if (O.Limit == LimitKind::Machine && !Machine)
    Machine = O.LimitBytes;
  if (O.Limit != LimitKind::Unknown && Machine && O.Requested > Machine)
    return "the size of this request: no machine like this has it";
  // What is above the machine's memory limits nothing.
  bool IsLimit = !Machine || O.LimitBytes < Machine;
  switch (O.Limit) {
  case LimitKind::AddressSpace:
  case LimitKind::Data:
    return IsLimit || O.FreeKnown ? limitAdvice(O) : "";
  case LimitKind::Group:
    return IsLimit ? "more memory for the control group" : "";
  case LimitKind::Machine:
  case LimitKind::Unknown:
  case LimitKind::Device:
    break;
  }
  return "";
}

/// The line or function of the user's that held most, if that was much; of an
/// import nobody can hold less.
static std::string holderAdvice(const Places &Where, const OomMoment &M) {
  for (const OomHolder &H : M.Holders) {
    const Place &P = Where.place(H.Place);
    if (!isWorthLess(M, H.Bytes))
      break;
    if (P.Kind == PlaceKind::Line || P.Kind == PlaceKind::Function)
      return "hold less in " + Where.text(P);
  }
  return "";
}

static std::string fittingText(const OomMoment &M) {
  if (!M.Cause || M.Cause->IsAtMost)
    return "";
  uint64_t Fits =
      std::max(M.Cause->LargestHole, M.Cause->DeviceFree.value_or(0));
  return Fits && Fits < M.Cause->Requested
             ? "at most " + formatSize(Fits) + " would have fitted"
             : "";
}

std::string oomAdvice(const Trace &T, const Places &Where, const OomMoment &M) {
  std::string Text;
  auto Add = [&Text](const std::string &Part) {
    if (!Part.empty())
      Text += (Text.empty() ? "" : "; ") + Part;
  };
  Add(fittingText(M));
  Add(isOfHost(T, M) ? hostAdvice(M.Event.What, machineBytes(T))
                     : deviceAdvice(T, M));
  std::string Tensors = tensorAdvice(M);
  Add(Tensors.empty() ? holderAdvice(Where, M) : Tensors);
  return Text;
}

} // namespace memkit
