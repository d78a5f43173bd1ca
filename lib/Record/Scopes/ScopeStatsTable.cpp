// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the scopes of a process.

#include "Scopes/ScopeStatsTable.h"

using namespace memkit;

ScopeStatsTable::ScopeStatsTable(LiveStats &Stats, uint32_t Process,
                                 uint64_t BeginNs)
    : Stats(Stats), Process(Process) {
  add({/*Number=*/0, BeginNs, /*Text=*/0, /*IsLayer=*/false});
}

/// Notes, for the newest scope, the heaps' changes and highest bytes since the
/// last call.
void ScopeStatsTable::takeHeaps() {
  Stats.takeHeapRanges(Process,
                       [&](uint32_t Heap, const LiveStats::RangeStats &Is) {
                         Heaps.note(Heap, Is);
                       });
}

void ScopeStatsTable::takeSpaces() {
  Stats.takeSpaceRanges(Process,
                        [&](uint32_t Space, const LiveStats::RangeStats &Is) {
                          Spaces.note(Space, Is);
                        });
}

void ScopeStatsTable::add(OpenResult O) {
  if (Opens.size() > MaxOpen)
    remove(1);
  Opens.push_back(O);
  Heaps.begin();
  if (!O.IsLayer)
    Spaces.begin();
}

void ScopeStatsTable::begin(uint64_t Number, uint32_t Text, uint64_t TimeNs) {
  takeHeaps();
  takeSpaces();
  add({Number, TimeNs, Text, /*IsLayer=*/false});
}

void ScopeStatsTable::beginLayer(uint64_t Number, uint32_t Text,
                                 uint64_t TimeNs) {
  takeHeaps();
  add({Number, TimeNs, Text, /*IsLayer=*/true});
}

/// The index of the newest scope or layer with this number.
size_t ScopeStatsTable::indexOf(uint64_t Number, bool IsLayer) const {
  // Scopes nearly always end in reverse order.
  for (size_t I = Opens.size(); I-- != 0;)
    if (Opens[I].Number == Number && Opens[I].IsLayer == IsLayer)
      return I;
  return NotOpen;
}

size_t ScopeStatsTable::indexInSpaces(size_t Index) const {
  return size_t(std::count_if(Opens.begin(), Opens.begin() + ptrdiff_t(Index),
                              [](const OpenResult &O) { return !O.IsLayer; }));
}

/// Sets the fields that Span and LayerRange share.
template <class Open, class Span>
static void describe(const Open &O, uint64_t TimeNs, Span &Out) {
  Out.Number = O.Number;
  Out.Text = O.Text;
  Out.DurationNs = TimeNs > O.BeginNs ? TimeNs - O.BeginNs : 0;
}

void ScopeStatsTable::measureAll(size_t Index, uint64_t TimeNs,
                                 ScopeResult &Out) const {
  describe(Opens[Index], TimeNs, Out);
  size_t InSpaces = indexInSpaces(Index);
  Out.Rows.resize(std::max<size_t>(Stats.numHeapIdsOf(Process), 1));
  Out.Spaces.resize(Stats.numSpacesOf(Process));
  for (uint32_t Space = 0; Space != Out.Spaces.size(); ++Space)
    Out.Spaces[Space] = Spaces.measure(InSpaces, Space);
  Out.Rows[0] = Out.Spaces[0];
  for (uint32_t Heap = 1; Heap < Out.Rows.size(); ++Heap)
    Out.Rows[Heap] = Heaps.measure(Index, Heap);
}

void ScopeStatsTable::remove(size_t Index) {
  Heaps.end(Index);
  if (!Opens[Index].IsLayer)
    Spaces.end(indexInSpaces(Index));
  Opens.erase(Opens.begin() + ptrdiff_t(Index));
}

const ScopeResult *ScopeStatsTable::end(uint64_t Number, uint64_t TimeNs,
                                        bool Keep) {
  size_t Index = indexOf(Number, /*IsLayer=*/false);
  if (!Number || Index == NotOpen)
    return nullptr;
  takeHeaps();
  takeSpaces();
  if (Keep && Kept.size() < MaxKept)
    Kept.emplace_back();
  ScopeResult &Out = Keep ? Kept[NextKept] : Running;
  if (Keep)
    NextKept = (NextKept + 1) % MaxKept;
  measureAll(Index, TimeNs, Out);
  remove(Index);
  return &Out;
}

const LayerRange *ScopeStatsTable::endLayer(uint64_t Number, uint64_t TimeNs) {
  size_t Index = indexOf(Number, /*IsLayer=*/true);
  if (Index == NotOpen)
    return nullptr;
  Ended.Changed.clear();
  auto Give = [&](uint32_t Heap, const ScopeStatsRow &R) {
    Ended.Changed.push_back({Heap, R.Allocations, R.Frees, R.AllocatedBytes,
                             R.FreedBytes, R.Peak, R.ReservedPeak});
  };
  bool IsNewest = Index + 1 == Opens.size();
  Stats.takeHeapRanges(Process,
                       [&](uint32_t Heap, const LiveStats::RangeStats &Is) {
                         if (IsNewest && !Heaps.hasChanged(Heap))
                           Give(Heap, Heaps.noteAtEnd(Heap, Is));
                         else
                           Heaps.note(Heap, Is);
                       });
  Heaps.forEachChanged(
      Index, [&](uint32_t Heap) { Give(Heap, Heaps.measure(Index, Heap)); });
  describe(Opens[Index], TimeNs, Ended);
  remove(Index);
  return &Ended;
}

const ScopeResult *ScopeStatsTable::find(uint64_t Number, uint64_t TimeNs) {
  if (size_t I = indexOf(Number, /*IsLayer=*/false); I != NotOpen) {
    takeHeaps();
    takeSpaces();
    measureAll(I, TimeNs, Running);
    return &Running;
  }
  for (const ScopeResult &S : Kept)
    if (S.Number == Number)
      return &S;
  return nullptr;
}
