// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace.

#include "memkit/Model/Query.h"
#include "CensusStacks.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// The errors of each heap's estimates, by id; none where no heap is sampled.
static std::vector<SampleVariances> heapVariances(const Trace &T) {
  std::vector<SampleVariances> Out;
  if (none_of(T.heaps(), [](const Heap &H) { return H.estimateBytes() != 0; }))
    return Out;
  Out.resize(T.heaps().size() + 1);
  for (const PackedRows &Rows : T.stackRows())
    for (size_t I = 0; I != Rows.size(); ++I)
      if (const SampledHeap &H = T.sampled(Rows.heap(I)))
        Out[Rows.heap(I)].add(Rows[I], H);
  for (uint32_t Id = 1; Id < Out.size(); ++Id)
    Out[Id].refine(T.heapStats(Id), T.sampled(Id));
  return Out;
}

static std::vector<HeapReport> reportHeaps(const Trace &T) {
  std::vector<SampleVariances> Variances = heapVariances(T);
  std::vector<HeapReport> Out;
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id) {
    const Heap &H = T.heap(Id);
    HeapReport &New = Out.emplace_back();
    New.Id = Id;
    New.Name = T.heapName(Id);
    New.Space = H.Space;
    New.SpaceName = T.spaceName(H.Space);
    New.Parent = T.heapName(H.Parent);
    New.InTotals = !(H.Flags & HF_OutsideTotals);
    New.SampleBytes = H.SampleBytes;
    New.IsEstimate = H.estimateBytes() != 0;
    New.Stats = T.heapStats(Id);
    if (!Variances.empty())
      New.Variances = Variances[Id];
  }
  return Out;
}

static std::vector<SpaceReport> reportSpaces(const Trace &T,
                                             ArrayRef<HeapReport> Heaps) {
  std::vector<SpaceReport> Out;
  for (uint32_t Id = 0; Id <= T.devices().size(); ++Id) {
    SpaceReport &New = Out.emplace_back();
    New.Id = Id;
    New.Name = T.spaceName(Id);
    New.Stats = T.spaceStats(Id);
  }
  for (const HeapReport &H : Heaps)
    if (H.InTotals) {
      Out[H.Space].IsEstimate |= H.IsEstimate;
      Out[H.Space].Variances.add(H.Variances);
    }
  return Out;
}

static std::vector<ProcessReport> reportProcesses(const Trace &T) {
  std::vector<ProcessReport> Out;
  for (uint32_t Id = 1; Id <= T.processes().size(); ++Id) {
    const ProcessRecord &I = T.processes()[Id - 1];
    ProcessReport &New = Out.emplace_back();
    New.Id = Id;
    New.Pid = I.Pid;
    New.Parent = I.Parent;
    for (uint32_t Word : I.Command)
      New.Command.push_back(T.string(Word));
    New.Exe = T.string(I.Exe);
    New.Role = T.string(I.Role);
    New.Place = I.Place;
    New.Job = T.string(I.Place.Job);
    New.Host = I.Place.Host ? T.string(I.Place.Host) : T.header().Host;
    New.Name = T.processName(Id);
    New.IsRecorded = I.Recorded;
    New.WhyNot = T.string(I.WhyNot);
    if (const ProcessStats *Stats = T.processStats(Id))
      New.Stats = *Stats;
  }
  return Out;
}

/// The program of a process: a title that the process has set, such as
/// `redis-server *:6399`, says more.
static StringRef programOf(const Trace &T, uint32_t Id) {
  StringRef Name = T.processName(Id);
  const ProcessRecord &P = T.processes()[Id - 1];
  if (P.Role || P.Command.size() != 1 || !Name.contains(' '))
    return Name;
  StringRef Exe = baseName(T.string(P.Exe));
  if (!Exe.empty() && Name.starts_with(Exe))
    return Exe;
  StringRef Word = Name.take_until([](char C) { return C == ' ' || C == ':'; });
  return Word.empty() ? Name : Word;
}

std::string queryProgram(const Trace &T, const Selection *Of) {
  uint32_t Largest = 0;
  uint64_t Peak = 0;
  for (uint32_t Id = 1; Id <= T.processes().size(); ++Id) {
    if (Of && !Of->hasProcess(Id))
      continue;
    const ProcessStats *Stats = T.processStats(Id);
    uint64_t Highest = Stats ? Stats->PeakBytes : 0;
    if (!Largest || Highest > Peak) {
      Largest = Id;
      Peak = Highest;
    }
  }
  // Python's name of a program on its command line says nothing alone.
  if (Largest && T.processName(Largest) == "-c")
    return "python -c";
  if (Largest && !T.processName(Largest).empty())
    return programOf(T, Largest).str();
  ArrayRef<std::string> Command = T.header().Command;
  return Command.empty() ? "" : baseName(Command.front()).str();
}

/// The last program of the first process's pid.
static uint32_t lastProgram(const Trace &T) {
  uint32_t Last = T.processes().empty() ? 0 : 1;
  for (uint32_t Id = 2; Id <= T.processes().size(); ++Id) {
    const ProcessRecord &P = T.processes()[Id - 1];
    if (P.Parent == Last && P.Pid == T.processes()[Last - 1].Pid &&
        T.wasReplaced(Last))
      Last = Id;
  }
  return Last;
}

static void markLaunchers(const Trace &T, RunReport &R) {
  R.Program = lastProgram(T);
  if (R.Program < 2 || !R.Processes[R.Program - 1].Stats)
    return;
  constexpr uint64_t Small = 1 << 20, Share = 100;
  uint64_t BeginNs = T.processes()[R.Program - 1].StartNs;
  uint64_t Most =
      std::max(Small, R.Processes[R.Program - 1].Stats->PeakBytes / Share);
  for (ProcessReport &P : R.Processes) {
    P.OnlyLaunched = P.Id < R.Program && P.IsRecorded && P.Stats &&
                     P.Stats->Ended && P.Stats->EndNs <= BeginNs &&
                     P.Stats->PeakBytes < Most && P.Stats->Shares.empty();
    R.NumLaunchers += P.OnlyLaunched;
  }
}

RunReport queryRun(const Trace &T) {
  const Summary &S = T.summary();
  RunReport R;
  R.Run = T.header();
  R.EndNs = T.endNs();
  R.IsComplete = T.isComplete();
  for (const ProcessStats &I : S.Processes) {
    R.Allocations += I.Allocations;
    R.Frees += I.Frees;
    R.InheritedFrees += I.InheritedFrees;
    R.MaxRss = std::max(R.MaxRss, I.RssPeakBytes);
    R.MaxPss = std::max(R.MaxPss, I.PssPeakBytes);
  }
  if (std::vector<CensusSum> Old = censusSums(T); !Old.empty())
    R.OldBlocks = std::min(Old[0].Blocks, R.Allocations);
  R.Marks = S.Marks;
  if (T.hasReader())
    R.Unknown = T.reader().unknownValues();
  R.Lost = T.lostEvents();
  R.Losses = T.losses();
  R.Stacks = T.limits().Stacks;
  R.Nodes = T.limits().Nodes;
  R.Threads = T.limits().Threads;
  R.Steps = S.Steps.size();
  R.Layers = queryLayers(T).size();
  R.Ooms = S.Ooms.size();
  for (const OomRecord &O : S.Ooms)
    R.OomFailures += 1 + O.Skipped;
  R.Heaps = reportHeaps(T);
  R.Spaces = reportSpaces(T, R.Heaps);
  R.Processes = reportProcesses(T);
  markLaunchers(T, R);
  return R;
}

//===----------------------------------------------------------------------===//
// Steps, layers, operators, scopes, threads, tensors, failures
//===----------------------------------------------------------------------===//

static bool isChosen(const Selection *Sel, uint32_t Process) {
  return !Sel || Sel->hasProcess(Process);
}

/// A step ends where the next begins, or with its process.
static void findOpenSteps(const Trace &T, MutableArrayRef<StepReport> Steps) {
  for (size_t I = 0; I != Steps.size(); ++I) {
    StepReport &S = Steps[I];
    const ProcessStats *Of = T.processStats(S.Process);
    uint64_t EndNs = Of && Of->Ended ? Of->EndNs : T.endNs();
    bool IsLast = I + 1 == Steps.size() || Steps[I + 1].Process != S.Process;
    S.IsOpen = IsLast && S.EndNs >= EndNs;
  }
}

std::vector<StepReport> querySteps(const Trace &T, const Selection *Sel) {
  std::vector<StepReport> Out;
  for (const StepStats &S : T.summary().Steps)
    if (isChosen(Sel, S.Process))
      Out.push_back({S, false});
  stable_sort(Out, [](const StepStats &A, const StepStats &B) {
    return std::tie(A.Process, A.BeginNs) < std::tie(B.Process, B.BeginNs);
  });
  findOpenSteps(T, Out);
  return Out;
}

std::optional<uint64_t> stepAt(const Trace &T, uint64_t TimeNs) {
  for (const StepStats &S : T.summary().Steps)
    if (S.BeginNs <= TimeNs && TimeNs < S.EndNs)
      return S.Step;
  return std::nullopt;
}

/// The rows of the chosen processes.
static std::vector<LayerStats> chosenRows(const Trace &T,
                                          const Selection *Sel) {
  std::vector<LayerStats> Rows;
  for (const LayerStats &L : T.summary().Layers)
    if (isChosen(Sel, L.Process))
      Rows.push_back(L);
  return Rows;
}

std::vector<LayerStats> queryLayers(const Trace &T, const Selection *Sel) {
  return sortedLayers(chosenRows(T, Sel));
}

std::vector<LayerStats> queryOperators(const Trace &T, const Selection *Sel,
                                       OperatorsBy By) {
  return sortedOperators(chosenRows(T, Sel), By);
}

std::vector<LayerStats> queryScopes(const Trace &T) {
  ArrayRef<LayerStats> Rows = T.summary().Layers;
  std::vector<LayerStats> All = joinLayers(Rows, ScopeKind::User);
  append_range(All, joinLayers(Rows, ScopeKind::Range));
  return All;
}

std::vector<ThreadStats> queryThreads(const Trace &T, const Selection *Sel) {
  std::vector<ThreadStats> Out;
  for (ThreadStats Th : T.summary().Threads) {
    uint32_t Process = Sel ? T.threads()[Th.Thread - 1].Process : 0;
    if (Process && !Sel->hasProcess(Process))
      continue;
    // A byte counts once.
    Th.AllocatedBytes -= std::min(Th.NestedBytes, Th.AllocatedBytes);
    Out.push_back(Th);
  }
  stable_sort(Out, [](const ThreadStats &A, const ThreadStats &B) {
    return A.AllocatedBytes > B.AllocatedBytes;
  });
  return Out;
}

std::vector<CategorySum> queryCategories(const Trace &T, const Selection *Sel) {
  std::vector<CategorySum> Out = sumCategories(T.summary().Categories, 0);
  if (Sel)
    erase_if(Out, [&](const CategorySum &K) { return !Sel->hasHeap(K.Heap); });
  return Out;
}

std::vector<OomReport> queryOoms(const Trace &T) {
  const Summary &S = T.summary();
  std::vector<OomReport> Out;
  for (const OomRecord &O : S.Ooms)
    Out.push_back({O, {}, {}});
  auto Of = [&Out](uint32_t Number) {
    return find_if(Out,
                   [=](const OomReport &M) { return M.What.Number == Number; });
  };
  for (const OomHeap &H : S.OomHeaps)
    if (auto M = Of(H.Oom); M != Out.end())
      M->Heaps.push_back(H);
  for (const CategoryStats &K : S.Categories)
    if (auto M = Of(K.Oom); K.Oom && M != Out.end())
      M->Tensors.push_back(K);
  for (OomReport &M : Out)
    stable_sort(M.Tensors, [](const CategoryStats &A, const CategoryStats &B) {
      return A.Bytes > B.Bytes;
    });
  return Out;
}

} // namespace memkit
