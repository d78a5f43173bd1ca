// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the Partial sections of a trace, joined.

#include "memkit/Trace/PartialRows.h"
#include "SummaryLists.h"
#include "memkit/Trace/TraceError.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

using namespace memkit;
using namespace llvm;

//===----------------------------------------------------------------------===//
// Keys: a row replaces an earlier row of equal key
//===----------------------------------------------------------------------===//

static auto keyOf(const ProcessStats &P) { return P.Process; }
static auto keyOf(const LayerStats &L) {
  return std::tuple(L.Process, L.Name, L.Backward, L.Kind, L.Shapes);
}
static auto keyOf(const ParameterStats &P) {
  return std::tuple(P.Process, P.Layer, P.Dtype, P.Buffer);
}
static auto keyOf(const DeviceTimeStats &D) {
  return std::tuple(D.Process, D.Device, D.Stream, D.Kind, D.Name, D.Graph,
                    D.Stack, D.ScopePath);
}
static auto keyOf(const CategoryStats &C) {
  return std::tuple(C.Heap, C.Process, C.Category, C.Oom, C.Layer, C.Stack);
}
static auto keyOf(const OomRecord &O) { return O.Number; }
static auto keyOf(const OomHeap &H) { return std::tuple(H.Oom, H.Heap); }

/// Joins From to To, in the order in which keys first appear.
template <class Row>
static void joinRows(std::vector<Row> &To, std::vector<Row> &From) {
  std::map<decltype(keyOf(To.front())), size_t> Places;
  for (size_t I = 0; I != To.size(); ++I)
    Places.emplace(keyOf(To[I]), I);
  for (Row &R : From) {
    auto [Place, IsNew] = Places.try_emplace(keyOf(R), To.size());
    if (IsNew)
      To.push_back(std::move(R));
    else
      To[Place->second] = std::move(R);
  }
}

/// Keeps of each process the events that a recorder keeps (OomRecord): the
/// first seven and the last. Each row was the last one once.
static void keepOoms(Partial &P) {
  std::map<uint32_t, std::vector<uint32_t>> Numbers; // by process
  for (const OomRecord &O : P.Ooms)
    Numbers[O.Process].push_back(O.Number);
  std::set<uint32_t> Gone;
  for (const auto &[Process, Of] : Numbers)
    if (Of.size() > MaxOomsOfProcess)
      Gone.insert(Of.begin() + (MaxOomsOfProcess - 1), Of.end() - 1);
  if (Gone.empty())
    return;
  llvm::erase_if(P.Ooms,
                 [&](const OomRecord &O) { return Gone.count(O.Number); });
  llvm::erase_if(P.OomHeaps,
                 [&](const OomHeap &H) { return Gone.count(H.Oom); });
  llvm::erase_if(P.Categories, [&](const CategoryStats &C) {
    return C.Oom && Gone.count(C.Oom);
  });
}

void PartialRows::takeSet() {
  HasSet = true;
  for (Partial &P : Set) {
    All.Number = P.Number;
    All.EndNs = P.EndNs;
    joinRows(All.Processes, P.Processes);
    joinRows(All.Layers, P.Layers);
    joinRows(All.Parameters, P.Parameters);
    joinRows(All.DeviceTimes, P.DeviceTimes);
    joinRows(All.Categories, P.Categories);
    joinRows(All.Ooms, P.Ooms);
    joinRows(All.OomHeaps, P.OomHeaps);
  }
  Set.clear();
  llvm::erase_if(All.Categories,
                 [](const CategoryStats &C) { return !C.Blocks && !C.Bytes; });
  keepOoms(All);
}

bool PartialRows::hasPeakCategories() const {
  return llvm::any_of(All.Categories,
                      [](const CategoryStats &C) { return !C.Oom; });
}

void PartialRows::add(Partial P) {
  if (!Set.empty() && Set.front().Number != P.Number)
    Set.clear(); // the last part of this set is missing
  bool Complete = P.Complete;
  Set.push_back(std::move(P));
  if (Complete)
    takeSet();
}

//===----------------------------------------------------------------------===//
// Values that are added to those computed from events
//===----------------------------------------------------------------------===//

/// Adds the values of a process that events do not contain.
static void addProcess(ProcessStats &To, const ProcessStats &From) {
  To.InheritedFrees = std::max(To.InheritedFrees, From.InheritedFrees);
  To.Lost = std::max(To.Lost, From.Lost);
  To.Role = From.Role ? From.Role : To.Role;
  To.RssPeakBytes = std::max(To.RssPeakBytes, From.RssPeakBytes);
  To.PssPeakBytes = std::max(To.PssPeakBytes, From.PssPeakBytes);
  To.CutNs = std::max(To.CutNs, From.CutNs);
}

/// Marks the heaps whose category rows at the peak add up to the peak of Heaps.
static std::vector<bool> heapsAtPeak(const std::vector<CategoryStats> &Rows,
                                     const std::vector<HeapStats> &Heaps) {
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> Sums;
  for (const CategoryStats &C : Rows)
    if (!C.Oom) {
      Sums[C.Heap].first += C.Blocks;
      Sums[C.Heap].second += C.Bytes;
    }
  std::vector<bool> AtPeak;
  for (const HeapStats &H : Heaps)
    if (auto It = Sums.find(H.Id);
        It != Sums.end() &&
        It->second == std::pair(H.PeakBlocks, H.PeakBytes)) {
      AtPeak.resize(std::max<size_t>(AtPeak.size(), H.Id + 1));
      AtPeak[H.Id] = true;
    }
  return AtPeak;
}

void PartialRows::addTo(Summary &Sums) const {
  for (const ProcessStats &P : All.Processes) {
    auto It = find_if(Sums.Processes, [&](const ProcessStats &X) {
      return X.Process == P.Process;
    });
    if (It == Sums.Processes.end())
      Sums.Processes.push_back(P);
    else
      addProcess(*It, P);
  }
  append_range(Sums.Layers, All.Layers);
  append_range(Sums.DeviceTimes, All.DeviceTimes);
  copy_if(All.Parameters, std::back_inserter(Sums.Parameters),
          [](const ParameterStats &P) { return P.Tensors != 0; });
  std::vector<bool> AtPeak = heapsAtPeak(All.Categories, Sums.Heaps);
  for (const CategoryStats &C : All.Categories)
    if (C.Oom || (C.Heap < AtPeak.size() && AtPeak[C.Heap]))
      Sums.Categories.push_back(C);
  append_range(Sums.Ooms, All.Ooms);
  append_range(Sums.OomHeaps, All.OomHeaps);
}

Error PartialRows::writeWith(Summary Last,
                             function_ref<Error(const Summary &)> Write) const {
  addTo(Last);
  return writeLists(std::move(Last), Write);
}

Expected<PartialRows> memkit::readPartials(TraceReader &R,
                                           const IdLimits &Limits) {
  PartialRows Out;
  for (const SectionInfo &B : R.sections()) {
    if (B.Kind != SectionKind::Partial)
      continue;
    Partial P;
    if (Error E = R.read(B, P))
      return std::move(E);
    if (std::string What = Limits.check(P); !What.empty())
      return makeTraceError(R.name(), B.Offset, What);
    Out.add(std::move(P));
  }
  return Out;
}
