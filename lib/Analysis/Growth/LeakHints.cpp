// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known reasons of growth.

#include "memkit/Analysis/LeakHints.h"
#include "FunctoolsCaches.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

static bool startsWithAny(StringRef Text, ArrayRef<StringLiteral> Prefixes) {
  return any_of(Prefixes, [&](StringRef P) { return Text.starts_with(P); });
}

/// CPython's and glibc's functions that make an open file. Functions that read
/// or write are no sign: a closed file's text stays, too.
static bool opensFile(StringRef Function) {
  static constexpr StringLiteral Names[] = {"_io_open",
                                            "_io_FileIO___init__",
                                            "_io_BufferedReader___init__",
                                            "_io_BufferedWriter___init__",
                                            "_io_BufferedRandom___init__",
                                            "_io_TextIOWrapper___init__",
                                            "fopen",
                                            "_IO_new_fopen",
                                            "__fopen_internal",
                                            "opendir",
                                            "__opendir",
                                            "__alloc_dir"};
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

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Whether the threads that the finding's blocks belong to may have run at the
/// same time, or run at the end: the stack of a thread lives from its first
/// turn on a processor, which some may not have had, until the thread ends.
static bool mayStillRun(const Trace &T, const Growth &G) {
  auto IsMost = [&](uint64_t Threads) {
    return Threads * 4 >= G.RiseBlocks * 3;
  };
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (T.heapName(Heap) == "host.stack")
      return IsMost(T.heapStats(Heap).PeakBlocks) ||
             !IsMost(T.heapStats(Heap).Frees);
  return false;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// All frames of a stack, the innermost first.
static std::vector<ShownFrame> framesOf(const Trace &T, uint32_t Stack) {
  std::vector<ShownFrame> Frames;
  for (uint32_t N = T.leaf(Stack); N; N = T.parent(N))
    append_range(Frames, T.unfolded(T.frameOf(N)));
  return Frames;
}

/// Why the finding grows, by the stack with the most bytes.
static std::optional<LeakHint> hintOf(const Trace &T, const Growth &G) {
  std::vector<ShownFrame> Frames = framesOf(T, G.Stack);
  auto Has = [&](auto Is) {
    return any_of(Frames, [&](const ShownFrame &F) { return Is(F.Function); });
  };
  if (std::optional<uint32_t> Caller =
          callerOfCache(T, G.Stack, BoundlessWrapper);
      Caller && fillsCache(T, *Caller, BoundlessWrapper))
    return LeakHint::BoundlessCache;
  if (Has(opensFile))
    return LeakHint::OpenFiles;
  if (Has(startsThread))
    return mayStillRun(T, G) ? std::nullopt : std::optional(LeakHint::Threads);
  if (G.IsContainer && !allocatesForCache(Frames, BoundedWrapper))
    return LeakHint::Container;
  return std::nullopt;
}

/// Whether any stack of the finding allocates nodes of an autograd graph.
static bool hasGraphNodes(const Trace &T, const Growth &G) {
  bool Has = false;
  G.forEachPart([&](uint32_t Stack, uint64_t) {
    Has |= isGraphNode(framesOf(T, Stack));
  });
  return Has;
}

/// Whether the line's own text says that it keeps results without their graph.
static bool cutsGraph(const LineGrowth &L) {
  static constexpr StringLiteral Calls[] = {".detach()", ".item()"};
  return any_of(Calls,
                [&](StringRef Call) { return L.Where.Source.contains(Call); });
}

/// Whether tensors leak in the process in which nodes of an autograd graph do:
/// the nodes keep the tensors, at other lines.
static bool isKeptByGraph(const Trace &T, const GrowthReport &R,
                          const LineGrowth &L) {
  auto IsOfTensors = [&](uint32_t Index) {
    return T.heapName(R.Found[Index].Heap).starts_with("torch.");
  };
  return L.Word == GrowthWord::Leak && !cutsGraph(L) &&
         any_of(L.Findings, IsOfTensors) &&
         any_of(R.Found, [&](const Growth &G) {
           return G.Word == GrowthWord::Leak && !G.IsArenas &&
                  R.Spans[G.Span].Process == L.Process && hasGraphNodes(T, G);
         });
}

std::optional<LeakHint> findHint(const Trace &T, const GrowthReport &R,
                                 const LineGrowth &L) {
  uint64_t Rises[5] = {}, All = 0;
  for (uint32_t Index : L.Findings) {
    const Growth &G = R.Found[Index];
    All += G.Rise;
    if (G.IsArenas)
      continue;
    // The nodes of a graph are small beside the tensors that the nodes keep.
    if (hasGraphNodes(T, G))
      return LeakHint::AutogradGraph;
    // What the other stacks have comes with the most: the buffer of an open
    // file.
    if (std::optional<LeakHint> Hint = hintOf(T, G))
      Rises[static_cast<size_t>(*Hint)] += G.Rise;
  }
  if (isKeptByGraph(T, R, L))
    return LeakHint::AutogradGraph;
  const uint64_t *Most = std::max_element(std::begin(Rises), std::end(Rises));
  if (*Most <= All / 2)
    return std::nullopt;
  return static_cast<LeakHint>(Most - std::begin(Rises));
}

} // namespace memkit
