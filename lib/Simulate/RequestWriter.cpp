// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes batches of requests from the blocks of one target.

#include "RequestWriter.h"

using namespace llvm;
using namespace memkit;

void RequestWriter::clear() {
  Batch.Requests.clear();
  Batch.TimeNs.clear();
  Batch.Stack.clear();
}

std::optional<uint16_t> RequestWriter::stream(uint32_t Stream, uint32_t Pool) {
  auto It = Streams.find({Stream, Pool});
  if (It != Streams.end())
    return It->second;
  if (Batch.Pools.size() == MaxStreams)
    return std::nullopt;
  auto Number = uint16_t(Batch.Pools.size());
  Streams[{Stream, Pool}] = Number;
  Batch.Pools.push_back(Pool);
  return Number;
}

void RequestWriter::add(const DeviceRequest &R, uint64_t TimeNs,
                        uint32_t Stack) {
  Batch.Requests.push_back(R);
  Batch.TimeNs.push_back(TimeNs);
  Batch.Stack.push_back(Stack);
}

/// Segments went back to the device, and a tensor came next: the program has
/// emptied the cache.
void RequestWriter::endReturns() {
  if (!HasReturned)
    return;
  HasReturned = false;
  add({.Kind = DeviceRequestKind::EmptyCache}, ReturnedNs, 0);
}

uint32_t RequestWriter::allocate(uint64_t TimeNs, uint64_t Bytes, uint64_t Size,
                                 uint16_t Stream, uint32_t Stack) {
  endReturns();
  uint32_t Tensor;
  if (Unused.empty()) {
    Tensor = NumTensors++;
  } else {
    Tensor = Unused.back();
    Unused.pop_back();
  }
  add({Bytes, Tensor, Stream, DeviceRequestKind::Allocate}, TimeNs, Stack);
  if (RemembersStreams)
    StreamOfStack[Stack] = Stream;
  RecordedUse &R = To->Recorded;
  ++R.NumRequests;
  Live += Size;
  // The segment was for this tensor.
  if (std::exchange(IsNewPeak, false))
    R.Active = Live;
  return Tensor;
}

void RequestWriter::free(uint64_t TimeNs, uint32_t Tensor, uint64_t Size) {
  endReturns();
  Live -= Size;
  Unused.push_back(Tensor);
  add({.Tensor = Tensor, .Kind = DeviceRequestKind::Free}, TimeNs, 0);
}

void RequestWriter::refuse(uint64_t TimeNs, uint64_t Bytes, uint32_t Stack) {
  HasReturned = false;
  add({.Bytes = Bytes,
       .Stream = Stack ? StreamOfStack.lookup(Stack) : uint16_t(0),
       .Kind = DeviceRequestKind::Refused},
      TimeNs, Stack);
  if (!To->Recorded.NumRefused++)
    To->Recorded.RefusedNs = TimeNs;
}

/// Whether the device could not give a segment of Size before segments went
/// back. The recorder may not know what else takes the device's memory, so a
/// sixteenth of the device counts as taken.
bool RequestWriter::wasFull(uint64_t Size) const {
  uint64_t Bytes = To->DeviceBytes;
  if (!Bytes)
    return false;
  if (!To->IsMeasured)
    Bytes -= Bytes / 16;
  return ReservedBefore > Bytes || Size > Bytes - ReservedBefore;
}

/// An allocator gives segments back to take a new one where the device is full.
/// Elsewhere the program has emptied the cache. A simulation without a limit
/// has to be told of both.
void RequestWriter::takeSegment(uint64_t TimeNs, uint64_t Size) {
  if (HasReturned && !wasFull(Size))
    endReturns();
  HasReturned = false;
  Reserved += Size;
  RecordedUse &R = To->Recorded;
  ++R.NumMallocs;
  if (Reserved <= R.Reserved)
    return;
  R.HasReserved = true;
  R.Reserved = Reserved;
  R.Active = Live;
  R.TimeNs = TimeNs;
  IsNewPeak = true;
}

void RequestWriter::returnSegment(uint64_t TimeNs, uint64_t Size,
                                  uint32_t Pool) {
  if (Pool)
    add({.Bytes = Pool, .Kind = DeviceRequestKind::ReleasePool}, TimeNs, 0);
  if (!HasReturned)
    ReservedBefore = Reserved;
  HasReturned = true;
  ReturnedNs = TimeNs;
  Reserved -= Size;
  ++To->Recorded.NumFrees;
}
