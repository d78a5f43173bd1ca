// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that were never freed.

#include "memkit/Analysis/Leaks.h"
#include "memkit/Model/Query.h"
#include "memkit/Model/StackKeys.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

/// The processes that only launched the program, as a version manager's shim
/// does; none if the selection leaves out a process.
static BitVector launchersOf(const SelectedStats &S) {
  RunReport Run = queryRun(S.trace());
  BitVector Launchers(Run.Processes.size() + 1);
  for (const ProcessReport &P : Run.Processes) {
    if (!S.selection().hasProcess(P.Id))
      return BitVector(Launchers.size());
    Launchers[P.Id] = P.OnlyLaunched;
  }
  return Launchers;
}

/// Sums up live memory by heap and shown stack, in order of appearance.
static std::vector<Leak> gatherLeaks(const SelectedStats &S) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  std::vector<uint64_t> Keys = nodeKeys(T, SameFrame::Location);
  DenseMap<std::pair<uint32_t, uint64_t>, uint32_t> Known;
  std::vector<Leak> Leaks;
  BitVector Launchers = launchersOf(S);
  S.forEach([&](uint32_t Process, const StackStats &R) {
    // In a trace of differences a block may only have become larger.
    if ((!R.LiveBlocks && !R.LiveBytes) || T.wasReplaced(Process) ||
        Launchers[Process])
      return;
    // Blocks entirely filled by inner heaps are findings of the inner heaps.
    if (!Outer && R.LiveBytes && !R.LiveExclusive)
      return;
    uint64_t Key = Keys[T.view().leaf(R.Key)];
    // DenseMap reserves two keys; heap 0 avoids both, as no row has it.
    auto [At, New] = Known.try_emplace({R.Heap, Key}, Leaks.size());
    if (New)
      Leaks.push_back({R.Heap, R.Key, 0, 0, 0});
    Leak &L = Leaks[At->second];
    uint64_t Bytes = Outer ? R.LiveBytes : R.LiveExclusive;
    L.Bytes += Bytes;
    L.Blocks += R.LiveBlocks;
    L.Variance += T.sampled(R.Heap).variance(Bytes, R.LiveBlocks);
  });
  return Leaks;
}

static bool isLarger(const Leak &A, const Leak &B) {
  return std::tie(B.Bytes, B.Blocks, A.Heap, A.Stack) <
         std::tie(A.Bytes, A.Blocks, B.Heap, B.Stack);
}

template <typename SumT> static void addTo(SumT &Sum, const Leak &L) {
  Sum.Bytes += L.Bytes;
  Sum.Blocks += L.Blocks;
  Sum.Findings += 1;
  Sum.Variance += L.Variance;
}

void sumLeaks(const Trace &T, LeakReport &Report) {
  Report.Bytes = Report.Blocks = 0;
  Report.Variance = 0;
  Report.Heaps.clear();
  std::vector<HeapLeaks> ByHeap(T.heaps().size() + 1);
  for (const Leak &L : Report.Leaks) {
    ByHeap[L.Heap].Heap = L.Heap;
    addTo(ByHeap[L.Heap], L);
    Report.Bytes += L.Bytes;
    Report.Blocks += L.Blocks;
    Report.Variance += L.Variance;
  }
  copy_if(ByHeap, std::back_inserter(Report.Heaps),
          [](const HeapLeaks &H) { return H.Findings != 0; });
  stable_sort(Report.Heaps, [](const HeapLeaks &A, const HeapLeaks &B) {
    return A.Bytes > B.Bytes;
  });
}

/// Whether the blocks are too many to be kept by design, as the pattern says: a
/// program starts with three open streams. Buffers of more streams are of files
/// that the program has not closed.
static bool isBeyondDesign(StringRef Pattern, const Leak &L) {
  constexpr uint64_t StandardStreams = 3;
  return Pattern.contains("file_doallocate") && L.Blocks > StandardStreams;
}

LeakReport findLeaks(const SelectedStats &S, const Suppressions &Hidden,
                     const Suppressions &ByDefault) {
  const Trace &T = S.trace();
  LeakReport Report;
  for (const std::string &Pattern : Hidden.patterns())
    Report.Suppressed.push_back({Pattern, 0, 0, 0, 0, 0});
  std::vector<uint32_t> HiddenBy, DefaultBy;
  if (!Hidden.empty())
    HiddenBy = Hidden.matchNodes(T);
  if (!ByDefault.empty())
    DefaultBy = ByDefault.matchNodes(T);
  auto IsByDesign = [&](const Leak &L) {
    uint32_t Number = DefaultBy.empty() ? 0 : DefaultBy[T.leaf(L.Stack)];
    return Number && !isBeyondDesign(ByDefault.patternOf(Number), L);
  };
  for (const Leak &L : gatherLeaks(S)) {
    uint32_t Pattern = HiddenBy.empty() ? 0 : HiddenBy[T.leaf(L.Stack)];
    if (Pattern)
      addTo(Report.Suppressed[Pattern - 1], L);
    else if (IsByDesign(L))
      addTo(Report.ByDefault, L);
    else
      Report.Leaks.push_back(L);
  }
  llvm::sort(Report.Leaks, isLarger);
  sumLeaks(T, Report);
  return Report;
}

} // namespace memkit
