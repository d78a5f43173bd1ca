// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that allocators add to what a program requests.

#include "memkit/Analysis/Rounding.h"
#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

static void add(RoundedBlocks &To, const RoundedBlocks &B) {
  To.Blocks += B.Blocks;
  To.Requested = SaturatingAdd(To.Requested, B.Requested);
  To.Allocated = SaturatingAdd(To.Allocated, B.Allocated);
}

namespace {
/// One process.
class ProcessRounding {
public:
  explicit ProcessRounding(const SelectedStats &S) : S(S) {}

  void read(const EventTable &E);
  /// After the last event: adds the rows to Out.
  void addTo(MapVector<std::pair<uint32_t, uint32_t>, RoundingRow> &Out);

private:
  struct RunningRow {
    RoundingRow Row;
    RoundedBlocks Live;
    uint64_t Peak = 0; ///< number of the heap's peak in Row.AtPeak
  };
  struct RunningHeap {
    uint64_t Bytes = 0, PeakBytes = 0;
    uint64_t Peaks = 0; ///< number of peaks so far
  };
  struct KnownBlock {
    RoundedBlocks Of;
    uint32_t Row;
  };

  void allocate(const EventTable &E, size_t I);
  void free(uint64_t Id);
  /// Notes the row at the heap's last peak, if the row has not changed since.
  static void settle(RunningRow &R, const RunningHeap &H) {
    if (R.Peak == H.Peaks)
      return;
    R.Row.AtPeak = R.Live;
    R.Peak = H.Peaks;
  }

  const SelectedStats &S;
  MapVector<std::pair<uint32_t, uint32_t>, RunningRow> Rows; ///< heap, stack
  DenseMap<uint32_t, RunningHeap> Heaps;
  DenseMap<uint64_t, KnownBlock> Live; ///< by allocation id
};
} // namespace

void ProcessRounding::allocate(const EventTable &E, size_t I) {
  uint64_t Requested = E.Columns.Requested[I];
  uint32_t Heap = E.Heap[I], Stack = E.Stack[I];
  const Selection &Sel = S.selection();
  if (!Requested || !Sel.hasHeap(Heap) || !Sel.hasStack(Stack))
    return;
  auto At = Rows.insert({{Heap, Stack}, {}}).first;
  RunningRow &R = At->second;
  RunningHeap &H = Heaps[Heap];
  settle(R, H);
  R.Row.Heap = Heap;
  R.Row.Stack = Stack;
  RoundedBlocks B = {1, Requested, E.AllocSize[I]};
  uint64_t Id = E.FirstAllocationId + E.AllocationOffset[I];
  if (!Live.try_emplace(Id, KnownBlock{B, uint32_t(At - Rows.begin())}).second)
    return;
  add(R.Row.All, B);
  add(R.Live, B);
  H.Bytes = SaturatingAdd(H.Bytes, B.Allocated);
  if (H.Bytes <= H.PeakBytes)
    return;
  H.PeakBytes = H.Bytes;
  ++H.Peaks;
}

void ProcessRounding::free(uint64_t Id) {
  auto It = Live.find(Id);
  if (It == Live.end())
    return;
  RoundedBlocks B = It->second.Of;
  RunningRow &R = (Rows.begin() + It->second.Row)->second;
  RunningHeap &H = Heaps[R.Row.Heap];
  settle(R, H);
  R.Live.Blocks -= 1;
  R.Live.Requested -= std::min(R.Live.Requested, B.Requested);
  R.Live.Allocated -= std::min(R.Live.Allocated, B.Allocated);
  H.Bytes -= std::min(H.Bytes, B.Allocated);
  Live.erase(It);
}

void ProcessRounding::read(const EventTable &E) {
  bool HasRequested = !E.Columns.Requested.empty();
  if (!HasRequested && Live.empty())
    return;
  size_t Alloc = HasRequested ? 0 : E.allocations();
  for (size_t Ref = 0; Ref != E.references(); ++Ref) {
    for (; Alloc < E.allocations() && E.AllocRow[Alloc] < E.RefRow[Ref];
         ++Alloc)
      allocate(E, Alloc);
    if (E.Kind[E.RefRow[Ref]] == EventKind::Free)
      free(E.Block[Ref]);
  }
  for (; Alloc < E.allocations(); ++Alloc)
    allocate(E, Alloc);
}

void ProcessRounding::addTo(
    MapVector<std::pair<uint32_t, uint32_t>, RoundingRow> &Out) {
  for (auto &[Key, R] : Rows) {
    settle(R, Heaps[R.Row.Heap]);
    RoundingRow &To = Out[Key];
    To.Heap = R.Row.Heap;
    To.Stack = R.Row.Stack;
    add(To.AtPeak, R.Row.AtPeak);
    add(To.All, R.Row.All);
  }
}

/// The problem with the ids of a table; empty: none.
static std::string check(const Trace &T, const EventTable &E) {
  constexpr uint64_t MaxId = UINT64_MAX - 2; // a key of DenseMap
  std::string Why = T.limits().check(E);
  bool IsHigh = E.FirstAllocationId > MaxId - MaxSectionRows ||
                any_of(E.Block, [](uint64_t Id) { return Id > MaxId; });
  return Why.empty() && IsHigh ? "an allocation id is too high" : Why;
}

Expected<std::vector<RoundingRow>> findRounding(const SelectedStats &S) {
  const Trace &T = S.trace();
  if (!T.hasReader())
    return std::vector<RoundingRow>();
  DenseMap<uint32_t, ProcessRounding> Processes;
  EventTable E;
  for (const SectionInfo &B : T.reader().sections()) {
    if (B.Kind != SectionKind::Events || !S.selection().hasProcess(B.Process))
      continue;
    if (Error Err = T.reader().read(B, E))
      return std::move(Err);
    if (std::string Why = check(T, E); !Why.empty())
      return makeTraceError(T.reader().name(), B.Offset, Why);
    Processes.try_emplace(B.Process, S).first->second.read(E);
  }
  MapVector<std::pair<uint32_t, uint32_t>, RoundingRow> Sums;
  for (auto &[Process, P] : Processes)
    P.addTo(Sums);
  std::vector<RoundingRow> Out;
  for (auto &[Key, R] : Sums)
    Out.push_back(R);
  return Out;
}

} // namespace memkit
