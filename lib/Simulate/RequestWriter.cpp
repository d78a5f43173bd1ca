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
/// emptied the cache. An allocator that gives segments back by itself takes a
/// new one next.
void RequestWriter::endReturns() {
  if (!HasReturned)
    return;
  HasReturned = false;
  add({.Kind = DeviceRequestKind::EmptyCache}, ReturnedNs, 0);
}

uint32_t RequestWriter::allocate(uint64_t TimeNs, uint64_t Bytes,
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
  ++To->Recorded.NumRequests;
  return Tensor;
}

void RequestWriter::free(uint64_t TimeNs, uint32_t Tensor) {
  endReturns();
  Unused.push_back(Tensor);
  add({.Tensor = Tensor, .Kind = DeviceRequestKind::Free}, TimeNs, 0);
}

void RequestWriter::refuse(uint64_t TimeNs, uint64_t Bytes, uint32_t Stack) {
  HasReturned = false;
  add({.Bytes = Bytes, .Kind = DeviceRequestKind::Refused}, TimeNs, Stack);
  if (!To->Recorded.NumRefused++)
    To->Recorded.RefusedNs = TimeNs;
}

void RequestWriter::takeSegment() {
  HasReturned = false;
  ++To->Recorded.NumMallocs;
}

void RequestWriter::returnSegment(uint64_t TimeNs, uint32_t Pool) {
  if (Pool)
    add({.Bytes = Pool, .Kind = DeviceRequestKind::ReleasePool}, TimeNs, 0);
  HasReturned = true;
  ReturnedNs = TimeNs;
  ++To->Recorded.NumFrees;
}
