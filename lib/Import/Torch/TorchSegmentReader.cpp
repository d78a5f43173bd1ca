// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the segments and blocks of a PyTorch snapshot.

#include "Import/Build/BlockTable.h"
#include "TorchReader.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

static TorchBlock::BlockState stateOf(PickleValue V) {
  switch (V.name()) {
  case TorchName::ActiveAllocated:
    return TorchBlock::Allocated;
  case TorchName::ActivePendingFree:
  case TorchName::ActiveAwaitingFree:
    return TorchBlock::Pending;
  default:
    return TorchBlock::Inactive;
  }
}

Error TorchReader::block(PickleValue V, TorchBlock &B) {
  if (++NumBlocks > MaxBlocks)
    return fail(V, "more than " + Twine(MaxBlocks) + " blocks");
  std::optional<uint64_t> Requested;
  V.forEachEntry([&](PickleValue Key, PickleValue Value) {
    switch (Key.name()) {
    case TorchName::Address:
      B.Address = Value.number().value_or(0);
      return;
    case TorchName::Size:
      B.Size = Value.number().value_or(0);
      return;
    case TorchName::RequestedSize:
      Requested = Value.number();
      return;
    case TorchName::State:
      B.State = stateOf(Value);
      return;
    case TorchName::Frames:
      B.Stack = Frames.stack(Value);
      return;
    case TorchName::History:
      return history(Value, B);
    default:
      return;
    }
  });
  B.Requested = Requested.value_or(B.Requested);
  if (!B.Size)
    return fail(V, "a block has no size");
  return Error::success();
}

/// The last allocations in a block, the newest first, in snapshots of 2022.
void TorchReader::history(PickleValue V, TorchBlock &B) {
  auto First = [&](PickleValue Entry) {
    Entry.forEachEntry([&](PickleValue Key, PickleValue Value) {
      if (Key.name() == TorchName::Frames)
        B.Stack = Frames.stack(Value);
      else if (Key.name() == TorchName::RealSize)
        B.Requested = Value.number().value_or(0);
    });
  };
  V.forEach(First, 1);
}

Error TorchReader::segment(PickleValue V) {
  IsRead = Out.HasSegments = true;
  if (++NumSegments > MaxSegments)
    return fail(V, "more than " + Twine(MaxSegments) + " segments");
  TorchSegment S;
  uint64_t Device = 0;
  PickleValue List = V.none();
  V.forEachEntry([&](PickleValue Key, PickleValue Value) {
    switch (Key.name()) {
    case TorchName::Device:
      Device = Value.number().value_or(MaxDevices);
      return;
    case TorchName::Address:
      S.Address = Value.number().value_or(0);
      return;
    case TorchName::TotalSize:
      S.Size = Value.number().value_or(0);
      return;
    case TorchName::Stream:
      S.Stream = stream(Value);
      return;
    case TorchName::SegmentPoolId:
      S.Pool = pool(Value);
      return;
    case TorchName::IsExpandable:
      S.Expands = Value.boolean().value_or(false);
      return;
    case TorchName::Frames:
      S.Stack = Frames.stack(Value);
      return;
    case TorchName::Blocks:
      List = Value;
      return;
    default:
      return;
    }
  });
  if (!S.Size || !BlockTable::takes(S.Address) ||
      S.Address + S.Size < S.Address)
    return fail(V, "a segment has no address or no size");
  if (Device >= MaxDevices)
    return fail(V, "a segment has no device below " + Twine(MaxDevices));
  if (Error E = blocksOf(List, S))
    return E;
  Out.device(uint32_t(Device)).Segments.push_back(std::move(S));
  return Error::success();
}

/// Gives a segment its blocks, which lie one after another.
Error TorchReader::blocksOf(PickleValue List, TorchSegment &S) {
  // A list that the pickle uses again is here as a whole.
  if (Error E = elements(TorchBlockList, List))
    return E;
  std::vector<TorchBlock> All;
  if (auto It = Blocks.find(List.offset()); It != Blocks.end()) {
    All = std::move(It->second);
    Blocks.erase(It);
  }
  uint64_t At = S.Address;
  for (TorchBlock &B : All) {
    B.Address = B.Address ? B.Address : At;
    At = B.Address + B.Size;
    if (!BlockTable::takes(B.Address) || At < B.Address)
      return fail(List, "a block has no address");
  }
  erase_if(All,
           [](const TorchBlock &B) { return B.State == TorchBlock::Inactive; });
  S.Blocks = std::move(All);
  S.Blocks.shrink_to_fit();
  return Error::success();
}
