// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An out-of-memory event in sentences.

#include "OomSentences.h"
#include "Support/CommandText.h"
#include "Support/Table.h"
#include "TraceText/CategorySums.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
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

static std::string deviceReason(const OomMoment &M) {
  const OomRecord &O = M.Event.What;
  if (!M.Cause)
    return O.FreeKnown ? formatSize(O.FreeBytes) + " were free on the device"
                       : "";
  const OomCause &C = *M.Cause;
  std::string Device = deviceFree(M);
  std::string Holes = C.NumHoles ? holesText(C) + " of PyTorch's segments" : "";
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
  std::string Why = isOfHost(T, M) ? hostLimit(O) : deviceReason(M);
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

/// The bytes of live tensors of a category, and of all tensors.
static std::pair<uint64_t, uint64_t> categoryPart(const OomMoment &M,
                                                  TensorCategory Of) {
  uint64_t Part = 0, Whole = 0;
  for (const CategoryStats &K : M.Event.Tensors) {
    Whole += K.Bytes;
    Part += K.Category == Of ? K.Bytes : 0;
  }
  return {Part, Whole};
}

static std::string tensorAdvice(const OomMoment &M) {
  auto IsLarge = [&](TensorCategory Of, uint64_t Share) {
    auto [Part, Whole] = categoryPart(M, Of);
    return Whole && Part >= Whole / 100 * Share && Whole >= M.LiveBytes / 2;
  };
  if (IsLarge(TensorCategory::Activation, 40))
    return "a smaller batch, or recompute activations "
           "(torch.utils.checkpoint)";
  if (IsLarge(TensorCategory::OptimizerState, 40))
    return "an optimizer with a smaller state (8-bit, factored), or shard the "
           "state";
  return "";
}

static std::string deviceAdvice(const OomMoment &M) {
  if (!M.Cause)
    return "";
  switch (M.Cause->Why) {
  case OomCause::Scattered:
    return "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
  case OomCause::OtherHole:
    return "torch.cuda.empty_cache() before, which gives back the holes of "
           "other streams and pools";
  case OomCause::HasRoom:
    return "the limit that the program set "
           "(torch.cuda.set_per_process_memory_fraction)";
  case OomCause::Full:
  case OomCause::Unknown:
    break;
  }
  return "";
}

/// The limit that this request would have needed.
static std::string hostAdvice(const OomRecord &O) {
  uint64_t Used = O.LimitBytes - std::min(O.FreeBytes, O.LimitBytes);
  switch (O.Limit) {
  case LimitKind::AddressSpace:
  case LimitKind::Data:
    return O.FreeKnown ? "a limit of " + formatSize(Used + O.Requested) +
                             " or more would have let this request through"
                       : "a higher limit";
  case LimitKind::Group:
    return "more memory for the control group";
  case LimitKind::Machine:
    return O.Requested > O.LimitBytes
               ? "the size of this request: no machine like this has it"
               : "";
  case LimitKind::Unknown:
  case LimitKind::Device:
    break;
  }
  return "";
}

/// The line or function of the user's that held most, if that was much; of an
/// import nobody can hold less.
static std::string holderAdvice(const Places &Where, const OomMoment &M) {
  // A place that holds less than what is missing cannot help.
  const OomRecord &O = M.Event.What;
  uint64_t Missing =
      O.FreeKnown ? O.Requested - std::min(O.FreeBytes, O.Requested) : 0;
  for (const OomHolder &H : M.Holders) {
    const Place &P = Where.place(H.Place);
    if (H.Bytes < M.LiveBytes / 10 || H.Bytes < Missing)
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
  Add(isOfHost(T, M) ? hostAdvice(M.Event.What) : deviceAdvice(M));
  std::string Tensors = tensorAdvice(M);
  Add(Tensors.empty() ? holderAdvice(Where, M) : Tensors);
  return Text;
}

} // namespace memkit
