// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heaps of the host to record.

#include "Output/HostHeaps.h"
#include "Wire/Layout.h"
#include "memkit/Support/RequestError.h"

using namespace llvm;
using namespace memkit;

/// By HostHeapKind.
static constexpr KnownHeap KnownHeaps[NumHostHeaps] = {
    {"host.malloc", HF_None},
    {"host.mmap", HF_None},
    {"host.reserved", HF_OutsideTotals},
    {"host.file", HF_OutsideTotals},
    {"host.device", HF_OutsideTotals},
    {"host.stack", HF_OutsideTotals},
    {"host.brk", HF_None},
    {"python.object", HF_None, HostHeapKind::Mmap},
    {"host.touched", HF_Samples}};

const KnownHeap &memkit::knownHeap(HostHeapKind H) {
  return KnownHeaps[unsigned(H)];
}

static Error nothingMatches(StringRef Glob) {
  std::string Text = ("no heap matches '" + Glob + "'; heaps: ").str();
  for (const KnownHeap &H : KnownHeaps)
    Text += std::string(H.Name) + ", ";
  Text += "torch.*, tf.*, jax.*, nvtx.*, pool.*, private.*, cuda*";
  return createStringError(inconvertibleErrorCode(), Text);
}

Expected<HeapChoice> HeapChoice::create(ArrayRef<std::string> Globs,
                                        uint64_t MinSize, bool PythonObjects) {
  HeapChoice C;
  C.MinSize = MinSize;
  if (!Globs.empty()) {
    C.Bits = 0;
    C.Tensors = C.Pools = C.Private = C.Cuda = false;
  }
  for (const std::string &Text : Globs) {
    Expected<GlobPattern> Glob = GlobPattern::create(Text);
    if (!Glob)
      return Glob.takeError();
    uint32_t Before = C.Bits, Hits = 0;
    for (unsigned H = 0; H != NumHostHeaps; ++H)
      Hits |= uint32_t(Glob->match(KnownHeaps[H].Name)) << H;
    // The devices are not known yet.
    bool IsTensors = Glob->match("torch.cpu") || Glob->match("torch.cuda:0") ||
                     Glob->match("tf.cpu") || Glob->match("jax.cpu") ||
                     StringRef(Text).starts_with("torch.") ||
                     StringRef(Text).starts_with("tf.") ||
                     StringRef(Text).starts_with("jax.");
    bool IsPools =
        Glob->match("nvtx.pool") || StringRef(Text).starts_with("nvtx.") ||
        Glob->match("pool.name") || StringRef(Text).starts_with("pool.");
    bool IsCuda = Glob->match("cuda:0.device") || Glob->match("cuda.pinned") ||
                  StringRef(Text).starts_with("cuda");
    bool IsPrivate = Glob->match("private.mimalloc@x") ||
                     StringRef(Text).starts_with("private.");
    C.Tensors |= IsTensors;
    C.Pools |= IsPools;
    C.Private |= IsPrivate;
    C.Cuda |= IsCuda;
    if (!Hits && !IsTensors && !IsPools && !IsPrivate && !IsCuda)
      return nothingMatches(Text);
    C.Bits = Before | Hits;
    C.Globs.push_back(std::move(*Glob));
  }
  if (C.wants(HostHeapKind::Touched))
    C.Bits |= 1u << unsigned(HostHeapKind::Reserved);
  constexpr uint32_t Objects = 1u << unsigned(HostHeapKind::PythonObject);
  if (!PythonObjects && C.Bits == Objects)
    return make_error<RequestError>(
        RequestError::RequestErrorKind::Malformed,
        RequestPart{RequestField::Heaps, "python.object"}, " needs ",
        RequestPart{RequestField::PythonObjects, ""});
  if (!PythonObjects)
    C.Bits &= ~Objects;
  return C;
}

uint32_t HeapChoice::wireBits() const {
  constexpr uint32_t Malloc = 1u << unsigned(HostHeapKind::Malloc);
  constexpr uint32_t Stack = 1u << unsigned(HostHeapKind::Stack);
  constexpr uint32_t Object = 1u << unsigned(HostHeapKind::PythonObject);
  return (Bits & Malloc ? wire::HB_Malloc : 0u) |
         (Bits & Stack ? wire::HB_Stacks : 0u) |
         (Bits & ~(Malloc | Stack | Object) ? wire::HB_Maps : 0u);
}
