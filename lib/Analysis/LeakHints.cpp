// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known reasons of growth.

#include "memkit/Analysis/LeakHints.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static bool startsWithAny(StringRef Text, ArrayRef<StringLiteral> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Text.starts_with(P); });
}

/// CPython's and glibc's functions that make an open file.
static bool opensFile(StringRef Function) {
  static constexpr StringLiteral Names[] = {
      "_io_open",    "_io_FileIO", "_io_Buffered",  "_io_TextIOWrapper",
      "_io_BytesIO", "fopen",      "_IO_new_fopen", "__fopen_internal",
      "opendir",     "__opendir",  "__alloc_dir"};
  return startsWithAny(Function, Names);
}

static bool startsThread(StringRef Function) {
  static constexpr StringLiteral Names[] = {
      "pthread_create", "__pthread_create", "allocate_stack",
      "_dl_allocate_tls"};
  return startsWithAny(Function, Names);
}

/// An allocation function, or one that only passes requests on.
static bool isAllocation(const ShownFrame &F) {
  return F.Function == "malloc" || F.Function == "calloc" ||
         F.Function.starts_with("operator new");
}

/// PyTorch's operators that record the graph allocate its nodes themselves.
static bool isGraphNode(ArrayRef<ShownFrame> Frames) {
  auto Caller = find_if_not(Frames, isAllocation);
  return Caller != Frames.begin() && Caller != Frames.end() &&
         Caller->Function.contains("torch::autograd::VariableType::");
}

static std::optional<LeakHint> hintOf(const Trace &T, const Growth &G) {
  std::vector<ShownFrame> Frames;
  for (uint32_t N = T.leaf(G.Stack); N; N = T.parent(N))
    append_range(Frames, T.unfolded(T.frameOf(N)));
  auto Has = [&](auto Is) {
    return any_of(Frames, [&](const ShownFrame &F) { return Is(F.Function); });
  };
  if (isGraphNode(Frames))
    return LeakHint::AutogradGraph;
  if (Has([](StringRef F) { return F == "infinite_lru_cache_wrapper"; }))
    return LeakHint::BoundlessCache;
  if (Has(opensFile))
    return LeakHint::OpenFiles;
  if (Has(startsThread))
    return LeakHint::Threads;
  if (G.IsContainer)
    return LeakHint::Container;
  return std::nullopt;
}

std::optional<LeakHint> findHint(const Trace &T, const GrowthReport &R,
                                 const LineGrowth &L) {
  uint64_t Rises[5] = {}, All = 0;
  for (uint32_t Index : L.Findings) {
    const Growth &G = R.Found[Index];
    All += G.Rise;
    std::optional<LeakHint> Hint = G.IsArenas ? std::nullopt : hintOf(T, G);
    // The nodes of a graph are small beside the tensors that the nodes keep.
    if (Hint == LeakHint::AutogradGraph)
      return Hint;
    if (Hint)
      Rises[static_cast<size_t>(*Hint)] += G.Rise;
  }
  const uint64_t *Most = std::max_element(std::begin(Rises), std::end(Rises));
  if (*Most <= All / 2)
    return std::nullopt;
  return static_cast<LeakHint>(Most - std::begin(Rises));
}

} // namespace memkit
