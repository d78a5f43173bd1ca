// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of the segments of a PyTorch snapshot.

#include "TorchReplay.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// The mark that memrec adds whenever the segments of a device change.
void TorchReplay::markReserved(DeviceReplay &D) {
  Mark M;
  M.Kind = MarkKind::HeapReserved;
  M.Process = Process;
  M.Thread = Thread;
  M.TimeNs = NowNs;
  M.Heap = D.TensorHeap;
  M.Values = {D.Reserved, D.LiveBytes + D.InUseBytes};
  D.MarkedBytes = std::max(D.MarkedBytes, M.Values[1]);
  To.mark(std::move(M));
}

/// Called before memory becomes inactive: the same, if more has never been
/// active, by a thousandth.
void TorchReplay::markHigh(DeviceReplay &D) {
  if (D.Reserved &&
      D.LiveBytes + D.InUseBytes > D.MarkedBytes + D.MarkedBytes / 1024)
    markReserved(D);
}

/// The same once more after the next tensor, for which the segment was made:
/// the active bytes then include the tensor.
void TorchReplay::markAgain(DeviceReplay &D) {
  if (std::exchange(D.MarksNext, false))
    markReserved(D);
}

/// Finds the sizes of tensors of which a free alone is known. Tensors, and the
/// free memory between them, take more than SmallRequest in segments of large
/// requests: less than this before the next tensor is the end of the tensor.
void TorchReplay::findSizes(TorchSegment &S) const {
  for (size_t I = 0; I != S.Blocks.size(); ++I) {
    TorchBlock &B = S.Blocks[I];
    if (B.Size)
      continue;
    uint64_t End =
        I + 1 != S.Blocks.size() ? S.Blocks[I + 1].Address : S.Address + S.Size;
    B.Size = S.Expands ? Sizes.rounded(B.Requested)
                       : Sizes.inFree(B.Requested, End - B.Address);
  }
}

/// Whether most of the memory of a device is segments from before the recording
/// of events: they have no stack, and with them the memory space would have no
/// line. Their tensors of later have one.
bool TorchReplay::hidesLines(const TorchDevice &D) {
  uint64_t Hidden = 0, Now = 0;
  for (const TorchSegment &S : segmentsBefore(D)) {
    Now += S.Size;
    Hidden += S.Stack ? 0 : S.Size;
  }
  uint64_t Most = Now;
  for (const TorchEvent &E : D.Trace.SegmentEvents) {
    bool IsNew = E.Action == TorchAction::SegmentAlloc ||
                 E.Action == TorchAction::SegmentMap;
    Now = IsNew ? Now + E.Size : Now - std::min(Now, E.Size);
    Most = std::max(Most, Now);
  }
  return !D.Trace.Addresses.empty() && Hidden > Most / 2;
}

/// Adds what lived before the first event, each segment with its tensors. The
/// memory space has its peak so far with the last segment, so the segment with
/// the fewest bytes of tensors is the last.
void TorchReplay::startDevice(DeviceReplay &D) {
  llvm::stable_sort(D.Data->Segments,
                    [](const TorchSegment &A, const TorchSegment &B) {
                      return A.Address < B.Address;
                    });
  std::vector<TorchSegment> Segments = segmentsBefore(*D.Data);
  std::vector<TorchBlock> Outside;
  for (const TorchBlock &B : tensorsBefore(D)) {
    auto It = llvm::upper_bound(
        Segments, B.Address,
        [](uint64_t A, const TorchSegment &S) { return A < S.Address; });
    if (It != Segments.begin() &&
        B.Address - std::prev(It)->Address < std::prev(It)->Size)
      std::prev(It)->Blocks.push_back(B);
    else
      Outside.push_back(B);
  }
  for (TorchSegment &S : Segments)
    findSizes(S);
  for (TorchBlock &B : Outside)
    B.Size = B.Size ? B.Size : Sizes.rounded(B.Requested);
  auto Used = [](const TorchSegment &S) {
    uint64_t Sum = 0;
    for (const TorchBlock &B : S.Blocks)
      Sum += B.State == TorchBlock::Allocated ? B.Size : 0;
    return Sum;
  };
  std::vector<std::pair<uint64_t, const TorchSegment *>> Order;
  for (const TorchSegment &S : Segments)
    Order.push_back({Used(S), &S});
  llvm::stable_sort(
      Order, [](const auto &A, const auto &B) { return A.first > B.first; });
  for (const auto &[Bytes, S] : Order) {
    putSegment(D, *S);
    ++NumBefore;
    for (const TorchBlock &B : S->Blocks)
      addBefore(D, B);
  }
  for (const TorchBlock &B : Outside)
    addBefore(D, B);
  if (!Order.empty())
    markReserved(D);
}

/// Adds a segment. Segments that it overlaps have ended without an event.
void TorchReplay::putSegment(DeviceReplay &D, const TorchSegment &S) {
  uint64_t End = std::max(S.Address, S.Address + S.Size);
  for (auto It = D.Segments.overlapping(S.Address, End);
       It != D.Segments.all().end();
       It = D.Segments.overlapping(S.Address, End)) {
    To.loss(Process, LossKind::DoubleAllocate);
    endSegment(D, It);
  }
  ImportedBlock B;
  B.Size = S.Size;
  B.Heap = D.SegmentHeap;
  B.Stack = S.Stack;
  B.Address = S.Address;
  B.Stream = S.Stream;
  B.Pool = S.Pool;
  uint64_t Block = To.allocate(Process, Thread, NowNs, B);
  D.Segments.all()[S.Address] = {End,      S.Size, Block,
                                 S.Stream, S.Pool, S.Expands};
  D.Reserved += S.Size;
  D.Scopes.allocated(0, D.LiveBytes, D.Reserved);
}

void TorchReplay::endSegment(DeviceReplay &D, TorchSegmentMap::iterator It) {
  D.Reserved -= It->second.Size;
  To.free(Process, Thread, NowNs, It->second.Block);
  D.Segments.all().erase(It);
}

void TorchReplay::takeSegment(DeviceReplay &D, const TorchEvent &E) {
  TorchSegment S;
  S.Address = E.Address;
  S.Size = E.Size;
  S.Stream = E.Stream;
  S.Stack = E.Stack;
  S.Pool = E.Pool ? E.Pool - 1 : poolAt(D, E.Address);
  switch (E.Action) {
  case TorchAction::SegmentAlloc:
    putSegment(D, S);
    break;
  case TorchAction::SegmentMap:
    map(D, S);
    break;
  case TorchAction::SegmentFree: {
    auto It = D.Segments.all().find(E.Address);
    if (It == D.Segments.all().end())
      return To.loss(Process, LossKind::UnknownFree);
    endSegment(D, It);
    break;
  }
  default: {
    auto It = D.Segments.expanding(E.Address);
    if (It == D.Segments.all().end())
      return To.loss(Process, LossKind::UnknownFree);
    shrink(D, It, E.Size);
  }
  }
  markReserved(D);
  D.MarksNext = true;
}

/// The pool of a segment is not in its events before PyTorch 2.13, but in the
/// snapshot's segment if that still lives.
uint32_t TorchReplay::poolAt(const DeviceReplay &D, uint64_t Address) const {
  const std::vector<TorchSegment> &All = D.Data->Segments;
  auto It =
      llvm::upper_bound(All, Address, [](uint64_t A, const TorchSegment &S) {
        return A < S.Address;
      });
  if (It == All.begin() ||
      Address - std::prev(It)->Address >= std::prev(It)->Size)
    return 0;
  return std::prev(It)->Pool;
}

void TorchReplay::map(DeviceReplay &D, const TorchSegment &New) {
  uint64_t End = std::max(New.Address, New.Address + New.Size);
  auto It = D.Segments.expanding(New.Address);
  auto Next = D.Segments.overlapping(New.Address, End);
  auto None = D.Segments.all().end();
  if (It == None || (Next != None && Next != It)) {
    TorchSegment S = New;
    S.Expands = true;
    return putSegment(D, S);
  }
  TorchSegmentEntry &S = It->second;
  S.End = std::max(S.End, End);
  S.Size += New.Size;
  D.Reserved += New.Size;
  D.Scopes.allocated(0, D.LiveBytes, D.Reserved);
  To.resize(Process, Thread, NowNs, S.Block, S.Size);
}

void TorchReplay::shrink(DeviceReplay &D, TorchSegmentMap::iterator It,
                         uint64_t Bytes) {
  TorchSegmentEntry &S = It->second;
  if (Bytes >= S.Size)
    return endSegment(D, It);
  S.Size -= Bytes;
  D.Reserved -= Bytes;
  To.resize(Process, Thread, NowNs, S.Block, S.Size);
}

/// The snapshot's segments are the truth. A segment that expands may be several
/// of the snapshot's, so only the sum tells whether events are missing.
void TorchReplay::finishSegments(DeviceReplay &D) {
  if (!In.HasSegments || !D.SegmentHeap)
    return;
  uint64_t Total = 0;
  for (const TorchSegment &S : D.Data->Segments)
    Total += S.Size;
  if (Total == D.Reserved)
    return;
  NumCorrected += D.Data->Segments.size();
  while (!D.Segments.all().empty())
    endSegment(D, D.Segments.all().begin());
  for (const TorchSegment &S : D.Data->Segments)
    putSegment(D, S);
  D.MarksNext = true;
}
