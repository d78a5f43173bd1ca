// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that one page says of a trace.

#include "memkit/Analysis/Overview.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

/// A step ends where the next begins, or with its process.
static void findOpenSteps(const Trace &T, Overview &Out) {
  std::vector<uint64_t> EndOf(T.processes().size() + 1, T.endNs());
  for (const Summary &Part : T.summary())
    for (const ProcessStats &I : Part.Processes)
      if (I.Ended)
        EndOf[I.Process] = I.EndNs;
  ArrayRef<StepStats> Steps = Out.Steps;
  for (size_t I = 0; I != Steps.size(); ++I) {
    bool IsLast =
        I + 1 == Steps.size() || Steps[I + 1].Process != Steps[I].Process;
    Out.IsOpenStep.push_back(IsLast &&
                             Steps[I].EndNs >= EndOf[Steps[I].Process]);
  }
}

/// What the summary alone says, of the selected processes.
static void takeSummary(const SelectedStats &S, Overview &Out) {
  const Trace &T = S.trace();
  const Selection &Sel = S.selection();
  std::vector<LayerStats> Layers;
  for (const Summary &Part : T.summary()) {
    for (const LayerStats &L : Part.Layers)
      if (Sel.hasProcess(L.Process))
        Layers.push_back(L);
    for (const StepStats &Step : Part.Steps)
      if (Sel.hasProcess(Step.Process))
        Out.Steps.push_back(Step);
    for (ThreadStats Th : Part.Threads)
      if (uint32_t Process = T.threads()[Th.Thread - 1].Process;
          !Process || Sel.hasProcess(Process)) {
        // A byte counts once.
        Th.AllocatedBytes -= std::min(Th.NestedBytes, Th.AllocatedBytes);
        Out.Threads.push_back(Th);
      }
  }
  Out.Layers = sortedLayers(Layers);
  Out.Held = orderByHeld(S, Out.Layers);
  stable_sort(Out.Steps, [](const StepStats &A, const StepStats &B) {
    return std::tie(A.Process, A.BeginNs) < std::tie(B.Process, B.BeginNs);
  });
  findOpenSteps(T, Out);
  stable_sort(Out.Threads, [](const ThreadStats &A, const ThreadStats &B) {
    return A.AllocatedBytes > B.AllocatedBytes;
  });
  for (CategorySum &K : categoriesOf(T))
    if (Sel.hasHeap(K.Heap))
      Out.Categories.push_back(std::move(K));
}

/// Whether a question is asked that intervals answer.
static bool needsIntervals(const MarkSeries &Marks) {
  auto HasPoints = [](const auto &Points) { return !Points.empty(); };
  return any_of(Marks.Heaps, HasPoints) || any_of(Marks.Devices, HasPoints);
}

Expected<Overview> makeOverview(const SelectedStats &S,
                                const OverviewOptions &Options) {
  const Trace &T = S.trace();
  Overview Out;
  takeSummary(S, Out);
  Out.Heaps = statHeaps(S, Options.Top);
  Out.Libraries = statLibraries(S);
  Expected<MarkSeries> Marks = readMarkSeries(T);
  if (!Marks)
    return Marks.takeError();
  std::vector<HeapStack> Caches = findCaches(S);
  Out.Live.Heaps.resize(T.heaps().size() + 1);
  if (Options.WithSeries || !Caches.empty() || needsIntervals(*Marks)) {
    Expected<LiveSeries> Live = readLiveSeries(S, Caches);
    if (!Live)
      return Live.takeError();
    Out.Live = std::move(*Live);
  }
  Out.Fragmentation = findFragmentation(T, S.selection(), *Marks, Out.Live);
  Out.Gaps = findGaps(T, *Marks, Out.Live);
  Out.Suggestions = makeSuggestions(S, *Marks, Out.Live, Caches);
  return Out;
}

} // namespace memkit
