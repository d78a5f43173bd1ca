// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace holds, in short.

#include "TraceSummary.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace memkit;

StringRef TraceSummary::string(uint32_t Id) const {
  auto It = Strings.find(Id);
  return It == Strings.end() ? StringRef() : StringRef(It->second);
}

StringRef TraceSummary::space(uint32_t Id) const {
  return Id ? StringRef(Devices[Id - 1].Space) : StringRef("host");
}

template <class T> static T find(const std::vector<T> &List, uint32_t Id) {
  for (const T &Item : List)
    if (Item.Id == Id)
      return Item;
  T None;
  None.Id = Id;
  return None;
}

HeapStats TraceSummary::heapStats(uint32_t Heap) const {
  return find(Stats.Heaps, Heap);
}

TotalStats TraceSummary::spaceStats(uint32_t Space) const {
  return find(Stats.Spaces, Space);
}

const ProcessStats *TraceSummary::processStats(uint32_t Process) const {
  auto It = find_if(Stats.Processes, [&](const ProcessStats &I) {
    return I.Process == Process;
  });
  return It == Stats.Processes.end() ? nullptr : &*It;
}

/// Does what the heap has count in the memory space?
static bool countsIn(const Heap &H, uint32_t Space) {
  return H.Space == Space && !(H.Flags & HF_OutsideTotals);
}

bool TraceSummary::isSpaceSampled(uint32_t Space) const {
  return any_of(Heaps, [&](const Heap &H) {
    return countsIn(H, Space) && H.estimateBytes();
  });
}

SampleVariances TraceSummary::heapVariances(uint32_t Heap) const {
  return Heap < Variances.size() ? Variances[Heap] : SampleVariances();
}

SampleVariances TraceSummary::spaceVariances(uint32_t Space) const {
  SampleVariances Sum;
  for (uint32_t Id = 1; Id <= Heaps.size(); ++Id)
    if (countsIn(Heaps[Id - 1], Space))
      Sum.add(heapVariances(Id));
  return Sum;
}

/// Adds what rows of stacks of sampled heaps say.
static void addVariances(TraceSummary &S, const Summary &Part) {
  if (S.Variances.empty())
    return;
  for (const StackStatsRows &Rows : Part.Stacks)
    for (const StackStats &R : Rows.Rows)
      S.Variances[R.Heap].add(R, S.Heaps[R.Heap - 1].estimateBytes());
}

uint64_t TraceSummary::lost() const {
  uint64_t Sum = 0;
  for (const Loss &L : Stats.Losses)
    if (L.Kind != LossKind::TableFull && L.Kind != LossKind::Events)
      Sum += L.Count;
  return Sum;
}

std::vector<LayerStats> TraceSummary::layers() const {
  return sortedLayers(Stats.Layers);
}

std::vector<LayerStats> TraceSummary::scopes() const {
  std::vector<LayerStats> All = joinLayers(Stats.Layers, ScopeKind::User);
  append_range(All, joinLayers(Stats.Layers, ScopeKind::Range));
  return All;
}

static Error readNames(TraceReader &R, TraceSummary &S, IdLimits &Limits) {
  DictionaryOutline D;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = R.readOutline(B, D, /*WithStrings=*/false))
      return E;
    Limits.Strings += D.Counts.Strings;
    if (std::string What = Limits.add(D.Few); !What.empty())
      return makeTraceError(R.name(), B.Offset, What);
    Limits.ScopePaths += D.Counts.ScopePaths;
    Limits.Stacks += D.Counts.Stacks;
    S.NumNodes += D.Counts.Nodes;
    Limits.Threads += D.Counts.Threads;
    append_range(S.Heaps, D.Few.Heaps);
    append_range(S.Processes, D.Few.Processes);
    append_range(S.Devices, D.Few.Devices);
  }
  S.NumStacks = Limits.Stacks;
  S.NumThreads = Limits.Threads;
  return Error::success();
}

/// Fills Strings with those that S names, reading only sections that have some.
static Error readStrings(TraceReader &R, TraceSummary &S) {
  std::set<uint32_t> Wanted;
  for (const Heap &H : S.Heaps)
    Wanted.insert(H.Name);
  for (const ProcessRecord &I : S.Processes) {
    Wanted.insert({I.Exe, I.Role, I.WhyNot});
    Wanted.insert(I.Command.begin(), I.Command.end());
  }
  for (const LayerStats &L : S.Stats.Layers)
    Wanted.insert(L.Name);
  for (const CategoryStats &K : S.Stats.Categories)
    Wanted.insert(K.Layer);
  Wanted.erase(0);
  DictionaryOutline D;
  uint32_t First = 1;
  auto Next = Wanted.begin();
  for (const SectionInfo &B : R.sections()) {
    if (Next == Wanted.end())
      break;
    if (B.Kind != SectionKind::Dictionary)
      continue;
    if (Error E = R.readOutline(B, D, /*WithStrings=*/true))
      return E;
    for (; Next != Wanted.end() && *Next - First < D.Few.Strings.size(); ++Next)
      S.Strings[*Next] = std::move(D.Few.Strings[*Next - First]);
    First += D.Counts.Strings;
  }
  return Error::success();
}

/// Adds what a part says, rows of stacks and scope paths aside.
static void addPart(Summary &To, const Summary &Part) {
  To.Number = Part.Number;
  To.EndNs = std::max(To.EndNs, Part.EndNs);
  To.Events = std::max(To.Events, Part.Events);
  To.Marks = std::max(To.Marks, Part.Marks);
  append_range(To.Heaps, Part.Heaps);
  append_range(To.Spaces, Part.Spaces);
  append_range(To.Processes, Part.Processes);
  append_range(To.Steps, Part.Steps);
  append_range(To.Layers, Part.Layers);
  append_range(To.Losses, Part.Losses);
  append_range(To.Categories, Part.Categories);
  append_range(To.Ooms, Part.Ooms);
  append_range(To.OomHeaps, Part.OomHeaps);
  append_range(To.Threads, Part.Threads);
}

/// Reads the parts of the last summary, in order. Found stays false when events
/// follow it, or its set is not whole.
static Error readParts(TraceReader &R, const IdLimits &Limits, TraceSummary &To,
                       bool &Found) {
  std::vector<Summary> Parts; // last first
  for (const SectionInfo &B : reverse(R.sections())) {
    if (B.Kind == SectionKind::Events && Parts.empty())
      return Error::success();
    if (B.Kind != SectionKind::Summary)
      continue;
    Summary S;
    // Errors of estimates are of rows, of which a sampled heap has few.
    bool Whole = !To.Variances.empty();
    if (Error E = Whole ? R.read(B, S) : R.readTotals(B, S))
      return E;
    if (std::string What = Limits.check(S); !What.empty())
      return makeTraceError(R.name(), B.Offset, What);
    bool First = Parts.empty();
    if (First && !S.Complete)
      continue; // the beginning of a set that was cut off
    if (!First && (S.Complete || S.Number != Parts.front().Number))
      break;
    Parts.push_back(std::move(S));
  }
  for (const Summary &S : reverse(Parts)) {
    addPart(To.Stats, S);
    addVariances(To, S);
  }
  Found = !Parts.empty();
  return Error::success();
}

Expected<TraceSummary> memkit::readTraceSummary(TraceReader &R,
                                                SummaryMaker Make) {
  TraceSummary S;
  S.Header = R.header();
  S.Complete = R.complete();
  IdLimits Limits;
  if (Error E = readNames(R, S, Limits))
    return std::move(E);
  if (any_of(S.Heaps, [](const Heap &H) { return H.estimateBytes() != 0; }))
    S.Variances.resize(S.Heaps.size() + 1);
  bool Found = false;
  if (Error E = readParts(R, Limits, S, Found))
    return std::move(E);
  if (!Found) {
    Expected<Summary> Made = Make();
    if (!Made)
      return Made.takeError();
    addPart(S.Stats, *Made);
    addVariances(S, *Made);
  }
  for (uint32_t Id = 1; Id < S.Variances.size(); ++Id)
    S.Variances[Id].refine(S.heapStats(Id), S.Heaps[Id - 1].estimateBytes());
  for (const ProcessStats &I : S.Stats.Processes)
    if (I.Role)
      S.Processes[I.Process - 1].Role = I.Role;
  if (Error E = readStrings(R, S))
    return std::move(E);
  S.Unknown = R.unknownValues();
  return S;
}
