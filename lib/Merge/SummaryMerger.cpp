// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the summaries of traces.

#include "SummaryMerger.h"
#include "Trace/SummaryLists.h"
#include "memkit/Model/StepSample.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// The stack that stands for folded rows.
static constexpr StringLiteral FoldedName = "small stacks, folded";

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// A peak has a time as long as it is of one trace.
static void addTotal(TotalStats &To, const TotalStats &Of, uint64_t ShiftNs) {
  uint64_t Time = !To.PeakBytes   ? Of.PeakTimeNs + ShiftNs
                  : !Of.PeakBytes ? To.PeakTimeNs
                                  : 0;
  for (uint64_t TotalStats::*Value :
       {&TotalStats::Allocations, &TotalStats::Frees,
        &TotalStats::AllocatedBytes, &TotalStats::FreedBytes,
        &TotalStats::Temporaries, &TotalStats::LiveBlocks,
        &TotalStats::LiveBytes, &TotalStats::PeakBytes,
        &TotalStats::PeakBlocks})
    To.*Value += Of.*Value;
  To.PeakTimeNs = To.PeakBytes ? Time : 0;
}

static void addHeap(HeapStats &To, const HeapStats &Of, uint64_t ShiftNs) {
  addTotal(To, Of, ShiftNs);
  To.ReservedKnown |= Of.ReservedKnown;
  To.ReservedBytes += Of.ReservedBytes;
  To.ReservedPeakBytes += Of.ReservedPeakBytes;
  To.ReservedAtPeakBytes += Of.ReservedAtPeakBytes;
  To.GrowthFragmentationPpm =
      std::max(To.GrowthFragmentationPpm, Of.GrowthFragmentationPpm);
  To.LargestBytes = std::max(To.LargestBytes, Of.LargestBytes);
  if (To.Sizes.size() < Of.Sizes.size())
    To.Sizes.resize(Of.Sizes.size());
  for (size_t Class = 0; Class != Of.Sizes.size(); ++Class)
    To.Sizes[Class] += Of.Sizes[Class];
}

void SummaryMerger::addTotals(const Trace &T) {
  for (uint32_t Id = 1; Id <= T.heaps().size(); ++Id) {
    uint32_t New = Names.heap(Id);
    Heaps[New].Id = New;
    addHeap(Heaps[New], T.heapStats(Id), ShiftNs);
  }
  for (uint32_t Id = 0; Id <= T.devices().size(); ++Id) {
    uint32_t New = Names.device(Id);
    Spaces[New].Id = New;
    addTotal(Spaces[New], T.spaceStats(Id), ShiftNs);
  }
  Events += T.summary().Events;
  Marks += T.summary().Marks;
  EndNs = std::max(EndNs, T.endNs() + ShiftNs);
}

//===----------------------------------------------------------------------===//
// Rows of stacks and scope paths
//===----------------------------------------------------------------------===//

std::vector<StackStats> &SummaryMerger::rowsOf(std::vector<StackStatsRows> &Of,
                                               uint32_t Process) {
  if (Of.empty() || Of.back().Process != Process)
    Of.push_back({Process, {}});
  return Of.back().Rows;
}

Error SummaryMerger::addStackRow(SummaryFold &Fold, uint32_t Process,
                                 const StackStats &R) {
  if (Share > 0 && Fold.isSmall(Process, R)) {
    Fold.fold(Process, R);
    return Error::success();
  }
  StackStats New = R;
  New.Heap = Names.heap(R.Heap);
  if (Error E = Names.stack(R.Key).moveInto(New.Key))
    return E;
  // What was folded before stays folded.
  if (Share > 0 && New.Key == FoldedStack) {
    Fold.fold(Process, R);
    return Error::success();
  }
  rowsOf(Part.Stacks, Names.process(Process)).push_back(New);
  ++Rows;
  return flushIfFull();
}

Error SummaryMerger::addFolded(const SummaryFold &Fold) {
  for (const auto &[Of, Sum] : Fold.folded()) {
    StackStats New = Sum;
    New.Heap = Names.heap(Sum.Heap);
    New.Key = FoldedStack;
    rowsOf(Part.Stacks, Names.process(Of.first)).push_back(New);
    ++Rows;
  }
  return flushIfFull();
}

/// Blocks without a row count for no scope path, so small rows just go.
Error SummaryMerger::addScopeRows(const Trace &T, const SummaryFold &Fold) {
  for (const PackedRows &Of : T.scopeRows())
    for (size_t I = 0; I != Of.size(); ++I) {
      StackStats New = Of[I];
      if (Share > 0 && Fold.isSmall(Of.process(), New))
        continue;
      New.Heap = Names.heap(New.Heap);
      New.Key = Names.scopePath(New.Key);
      rowsOf(Part.ScopePaths, Names.process(Of.process())).push_back(New);
      ++Rows;
      if (Error E = flushIfFull())
        return E;
    }
  return Error::success();
}

Error SummaryMerger::addRows(const Trace &T) {
  SummaryFold Fold(T, Share);
  if (Share > 0)
    if (Error E = Names.namedStack(FoldedName).moveInto(FoldedStack))
      return E;
  for (const PackedRows &Of : T.stackRows())
    for (size_t I = 0; I != Of.size(); ++I)
      if (Error E = addStackRow(Fold, Of.process(), Of[I]))
        return E;
  if (Error E = addFolded(Fold))
    return E;
  return addScopeRows(T, Fold);
}

//===----------------------------------------------------------------------===//
// Other rows
//===----------------------------------------------------------------------===//

SpaceShares SummaryMerger::shares(const SpaceShares &Of) {
  SpaceShares Out = Of;
  for (SpaceShare &S : Out)
    S.Space = Names.device(S.Space);
  sort(Out, [](const SpaceShare &A, const SpaceShare &B) {
    return A.Space < B.Space;
  });
  return Out;
}

/// The file of a recording that was cut off ends there; that of the merged
/// trace does not.
static uint64_t cutOf(const Trace &T, const ProcessStats &P) {
  if (P.CutNs)
    return P.CutNs;
  bool IsCut = !T.isComplete() && !T.isBeingRecorded();
  return IsCut ? std::max<uint64_t>(1, T.endNs()) : 0;
}

void SummaryMerger::addProcesses(const Trace &T) {
  for (ProcessStats P : T.summary().Processes) {
    if ((P.CutNs = cutOf(T, P)))
      P.CutNs += ShiftNs;
    P.Process = Names.process(P.Process);
    P.EndNs += ShiftNs;
    P.Role = Names.string(P.Role);
    P.Shares = shares(P.Shares);
    Part.Processes.push_back(std::move(P));
  }
}

void SummaryMerger::addSteps(const Trace &T) {
  ArrayRef<StepStats> All = T.summary().Steps;
  std::vector<bool> Kept =
      Share > 0 ? sampleSteps(All) : std::vector<bool>(All.size(), true);
  for (size_t I = 0; I != All.size(); ++I) {
    if (!Kept[I])
      continue;
    StepStats S = All[I];
    S.Process = Names.process(S.Process);
    S.BeginNs += ShiftNs;
    S.EndNs += ShiftNs;
    S.Shares = shares(S.Shares);
    Part.Steps.push_back(std::move(S));
  }
}

void SummaryMerger::addLayers(const Trace &T) {
  for (LayerStats L : T.summary().Layers) {
    L.Process = Names.process(L.Process);
    L.Name = Names.string(L.Name);
    L.Shapes = Names.string(L.Shapes);
    L.Shares = shares(L.Shares);
    Part.Layers.push_back(std::move(L));
  }
  for (ParameterStats P : T.summary().Parameters) {
    P.Process = Names.process(P.Process);
    P.Layer = Names.string(P.Layer);
    P.Dtype = Names.string(P.Dtype);
    Part.Parameters.push_back(P);
  }
}

Error SummaryMerger::addDeviceTimes(const Trace &T) {
  for (DeviceTimeStats D : T.summary().DeviceTimes) {
    D.Process = Names.process(D.Process);
    D.Device = Names.device(D.Device);
    D.Name = Names.string(D.Name);
    if (Error E = Names.stack(D.Stack).moveInto(D.Stack))
      return E;
    D.ScopePath = Names.scopePath(D.ScopePath);
    D.BeginNs += ShiftNs;
    D.EndNs += ShiftNs;
    Part.DeviceTimes.push_back(D);
  }
  return Error::success();
}

/// Small rows of categories lose their layer, and join the rows without one.
Error SummaryMerger::addCategories(const Trace &T) {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> Bytes;
  for (const CategoryStats &C : T.summary().Categories)
    if (!C.Oom)
      Bytes[{C.Process, C.Heap}] += C.Bytes;
  using CategoryKey = std::tuple<uint32_t, uint32_t, TensorCategory>;
  std::map<CategoryKey, CategoryStats> Joined;
  for (CategoryStats C : T.summary().Categories) {
    bool IsSmall =
        !C.Oom && double(C.Bytes) < Share * double(Bytes[{C.Process, C.Heap}]);
    bool IsJoined = IsSmall || (!C.Oom && !C.Layer);
    C.Process = Names.process(C.Process);
    C.Heap = Names.heap(C.Heap);
    C.Oom += C.Oom ? Ooms : 0;
    C.Layer = IsJoined ? 0 : Names.string(C.Layer);
    if (Error E = Names.stack(IsJoined ? 0 : C.Stack).moveInto(C.Stack))
      return E;
    if (!IsJoined) {
      Part.Categories.push_back(C);
      continue;
    }
    CategoryStats &To = Joined[{C.Process, C.Heap, C.Category}];
    C.Blocks += To.Blocks;
    C.Bytes += To.Bytes;
    To = C;
  }
  for (const auto &[Key, C] : Joined)
    Part.Categories.push_back(C);
  return Error::success();
}

Error SummaryMerger::addOoms(const Trace &T) {
  uint32_t Highest = 0;
  for (OomRecord O : T.summary().Ooms) {
    Highest = std::max(Highest, O.Number);
    O.Number += Ooms;
    O.Process = Names.process(O.Process);
    O.Heap = Names.heap(O.Heap);
    O.Thread = Names.thread(O.Thread);
    O.TimeNs += ShiftNs;
    if (Error E = Names.stack(O.Stack).moveInto(O.Stack))
      return E;
    O.ScopePath = Names.scopePath(O.ScopePath);
    Part.Ooms.push_back(O);
  }
  for (OomHeap O : T.summary().OomHeaps) {
    O.Oom += Ooms;
    O.Heap = Names.heap(O.Heap);
    Part.OomHeaps.push_back(O);
  }
  Ooms += Highest;
  return Error::success();
}

/// Threads are many, so an archive has none.
void SummaryMerger::addThreads(const Trace &T) {
  if (Share > 0)
    return;
  for (ThreadStats Th : T.summary().Threads) {
    Th.Thread = Names.thread(Th.Thread);
    Part.Threads.push_back(Th);
  }
}

/// A merged summary has no events: tools say so for events left out on
/// request.
void SummaryMerger::addLosses(const Trace &T) {
  for (Loss L : T.summary().Losses) {
    if (L.Kind == LossKind::Events)
      continue;
    L.Process = Names.process(L.Process);
    Part.Losses.push_back(L);
  }
  for (const ProcessStats &P : T.summary().Processes)
    if (uint64_t Count = P.Allocations + P.Frees)
      Part.Losses.push_back(
          {Names.process(P.Process), LossKind::Events, Count});
}

Error SummaryMerger::add(const Trace &T, uint64_t Shift) {
  ShiftNs = Shift;
  addTotals(T);
  addProcesses(T);
  addSteps(T);
  addLayers(T);
  addThreads(T);
  addLosses(T);
  if (Error E = addCategories(T))
    return E;
  if (Error E = addOoms(T))
    return E;
  if (Error E = addDeviceTimes(T))
    return E;
  return addRows(T);
}

Expected<Partial> SummaryMerger::partialOf(const Trace &T, uint64_t Shift,
                                           uint32_t Number) {
  ShiftNs = Shift;
  EndNs = std::max(EndNs, T.endNs() + ShiftNs);
  addProcesses(T);
  addLayers(T);
  if (Error E = addCategories(T))
    return std::move(E);
  if (Error E = addOoms(T))
    return std::move(E);
  if (Error E = addDeviceTimes(T))
    return std::move(E);
  Partial Out;
  Out.Number = Number;
  Out.EndNs = EndNs;
  Out.Processes = std::move(Part.Processes);
  Out.Layers = std::move(Part.Layers);
  Out.Parameters = std::move(Part.Parameters);
  Out.DeviceTimes = std::move(Part.DeviceTimes);
  // The events give the categories at a peak.
  erase_if(Part.Categories, [](const CategoryStats &C) { return !C.Oom; });
  Out.Categories = std::move(Part.Categories);
  Out.Ooms = std::move(Part.Ooms);
  Out.OomHeaps = std::move(Part.OomHeaps);
  Part = Summary();
  return Out;
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

void SummaryMerger::startPart() {
  Part = Summary();
  Part.Number = 1;
  Part.Complete = false;
  Rows = 0;
}

Error SummaryMerger::flush() {
  if (Error E = Names.flush())
    return E;
  if (Error E = writeLists(std::move(Part),
                           [&](const Summary &S) { return Out.write(S); }))
    return E;
  startPart();
  return Error::success();
}

/// A section for each trace would compress badly.
Error SummaryMerger::flushIfFull() {
  const size_t Full = MaxSectionRows / 4;
  bool IsFull = Rows > Full || Part.Steps.size() > Full ||
                Part.Layers.size() > Full || Part.Parameters.size() > Full ||
                Part.Categories.size() > Full || Part.DeviceTimes.size() > Full;
  return IsFull ? flush() : Error::success();
}

Error SummaryMerger::finish() {
  if (Error E = flush())
    return E;
  Part.Complete = true;
  Part.EndNs = EndNs;
  Part.Events = Events;
  Part.Marks = Marks;
  for (auto &[Id, H] : Heaps)
    Part.Heaps.push_back(std::move(H));
  for (auto &[Id, S] : Spaces)
    Part.Spaces.push_back(S);
  return flush();
}

} // namespace memkit
