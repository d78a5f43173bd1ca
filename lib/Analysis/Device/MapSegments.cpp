// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of a device, arranged in segments.

#include "MapSegments.h"
#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Details from events
//===----------------------------------------------------------------------===//

static void takeDetails(const EventTable &E,
                        MutableArrayRef<MappedBlock> Blocks) {
  MappedBlock *Next = lower_bound(
      Blocks, E.FirstAllocationId,
      [](const MappedBlock &B, uint64_t O) { return B.AllocationId < O; });
  for (; Next != Blocks.end(); ++Next) {
    uint64_t Distance = Next->AllocationId - E.FirstAllocationId;
    if (Distance > E.rows())
      return;
    auto At = lower_bound(E.AllocationOffset, Distance);
    // Blocks made by splits have no allocation.
    if (At == E.AllocationOffset.end() || *At != Distance)
      continue;
    size_t I = At - E.AllocationOffset.begin();
    auto Take = [I](const auto &Column, auto &To) {
      if (I < Column.size())
        To = Column[I];
    };
    Next->AllocatedSize = E.AllocSize[I];
    Take(E.Columns.Address, Next->Address);
    Take(E.Columns.Requested, Next->Requested);
    Take(E.Columns.Stream, Next->Stream);
    Take(E.Columns.Pool, Next->Pool);
  }
}

Error readMapDetails(const Trace &T, uint32_t Process,
                     MutableArrayRef<MappedBlock> Blocks) {
  std::vector<uint64_t> AllocationTimes;
  for (const MappedBlock &B : Blocks)
    AllocationTimes.push_back(B.AllocatedNs);
  sort(AllocationTimes);
  EventTable E;
  for (const SectionInfo &B : T.reader().sections()) {
    if (B.Kind != SectionKind::Events || B.Process != Process)
      continue;
    auto First = lower_bound(AllocationTimes, B.BeginNs);
    if (First == AllocationTimes.end() || *First > B.EndNs)
      continue;
    if (Error Err = T.reader().read(B, E))
      return Err;
    if (E.Process == Process)
      takeDetails(E, Blocks);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

namespace {
/// The role of a block in the map.
enum class Role : uint8_t {
  Alone,   ///< contains no known block
  Carrier, ///< contains segments reported by an allocator, or one other block
  Segment,
  Inner,  ///< lies in a segment
  Within, ///< lies in an inner block
};
struct MapPlace {
  Role R = Role::Alone;
  bool HasBlocks = false, HasSegments = false;
  bool IsHandedOn = false; ///< passed on whole as another block
  size_t Outer = SIZE_MAX; ///< index of the enclosing block
  size_t Segment = 0;      ///< index in the map's segments
};
} // namespace

static uint64_t endOf(uint64_t Address, uint64_t Size) {
  return SaturatingAdd(Address, Size);
}

/// Finds the free ranges in S; the blocks of S are sorted by address.
static void findHoles(MappedSegment &S) {
  uint64_t Live = 0, Sum = 0;
  S.HasNoAddresses = !S.Self.Address;
  for (const MappedBlock &B : S.Blocks) {
    Live = SaturatingAdd(Live, B.Size);
    S.HasNoAddresses |= !B.Address;
  }
  S.FreeBytes = S.Self.Size - std::min(S.Self.Size, Live);
  if (S.HasNoAddresses)
    return;
  uint64_t At = S.Self.Address, End = endOf(At, S.Self.Size);
  auto AddHole = [&](uint64_t To) {
    if (To <= At)
      return;
    S.Holes.push_back({At, To - At});
    Sum = SaturatingAdd(Sum, To - At);
    S.LargestHole = std::max(S.LargestHole, To - At);
  };
  for (const MappedBlock &B : S.Blocks) {
    AddHole(B.Address);
    At = std::max(At, endOf(B.Address, B.Size));
  }
  AddHole(End);
  S.IsInParts = Sum != S.FreeBytes;
  S.LargestHole = std::min(S.LargestHole, S.FreeBytes);
}

static bool byAddress(const MappedBlock &A, const MappedBlock &B) {
  return std::tie(A.Address, A.AllocationId) <
         std::tie(B.Address, B.AllocationId);
}

/// Finds the enclosing block and the role of each block. An enclosing block
/// comes before its inner blocks.
static std::vector<MapPlace> findPlaces(const Trace &T,
                                        ArrayRef<MappedBlock> Blocks) {
  std::vector<MapPlace> Places(Blocks.size());
  auto IsSegment = [&](size_t I) {
    return T.heapName(Blocks[I].Heap).ends_with(".segments");
  };
  for (size_t I = 0; I != Blocks.size(); ++I) {
    if (!Blocks[I].Outer)
      continue;
    auto Outer = lower_bound(
        Blocks.take_front(I), Blocks[I].Outer - 1,
        [](const MappedBlock &B, uint64_t O) { return B.AllocationId < O; });
    size_t At = Outer - Blocks.begin();
    if (At == I || Outer->AllocationId != Blocks[I].Outer - 1)
      continue;
    Places[I].Outer = At;
    Places[At].HasBlocks = true;
    Places[At].HasSegments |= IsSegment(I);
    Places[At].IsHandedOn |=
        !IsSegment(At) && Blocks[At].Size == Blocks[I].Size;
  }
  for (size_t I = 0; I != Blocks.size(); ++I) {
    MapPlace &P = Places[I];
    Role Outer = P.Outer == SIZE_MAX ? Role::Carrier : Places[P.Outer].R;
    if (Outer == Role::Segment)
      P.R = Role::Inner;
    else if (Outer != Role::Carrier)
      P.R = Role::Within;
    else if (P.HasSegments || P.IsHandedOn)
      P.R = Role::Carrier;
    else if (P.HasBlocks || IsSegment(I))
      P.R = Role::Segment;
  }
  return Places;
}

/// Whether the block is memory mapped into an address range.
static bool isMapped(const Trace &T, const MappedBlock &B) {
  uint32_t Leaf = B.Stack ? T.leaf(B.Stack) : 0;
  if (!Leaf || T.frame(T.frameOf(Leaf)).Kind != FrameKind::Named)
    return false;
  return T.shown(T.frameOf(Leaf)).front().Function == "cuMemMap";
}

void addToMap(const Trace &T, DeviceMap &M, ArrayRef<MappedBlock> Blocks) {
  size_t FirstSegment = M.Segments.size(), FirstBlock = M.Blocks.size();
  std::vector<MapPlace> Places = findPlaces(T, Blocks);
  for (size_t I = 0; I != Blocks.size(); ++I) {
    const MappedBlock &B = Blocks[I];
    MapPlace &P = Places[I];
    if (P.Outer == SIZE_MAX)
      M.HeldBytes = SaturatingAdd(M.HeldBytes, B.Size);
    uint64_t &OfHeap = M.HeapBytes[B.Heap];
    OfHeap = SaturatingAdd(OfHeap, B.Size);
    if (P.R == Role::Inner || P.R == Role::Alone)
      M.LiveBytes = SaturatingAdd(M.LiveBytes, B.Size);
    if (P.R == Role::Inner) {
      M.Segments[Places[P.Outer].Segment].Blocks.push_back(B);
    } else if (P.R == Role::Alone) {
      M.Blocks.push_back(B);
    } else if (P.R == Role::Segment) {
      P.Segment = M.Segments.size();
      MappedSegment &S = M.Segments.emplace_back();
      S.Self = B;
      S.IsExpandable = B.Size != B.AllocatedSize || isMapped(T, B) ||
                       (P.Outer != SIZE_MAX && isMapped(T, Blocks[P.Outer]));
    }
  }
  for (MappedSegment &S : drop_begin(M.Segments, FirstSegment)) {
    sort(S.Blocks, byAddress);
    findHoles(S);
    M.SegmentBytes = SaturatingAdd(M.SegmentBytes, S.Self.Size);
    M.FreeBytes = SaturatingAdd(M.FreeBytes, S.FreeBytes);
    M.NumHoles += S.Holes.size();
    M.LargestHole = std::max(M.LargestHole, S.LargestHole);
    // Take stream and pool from the blocks where the segment has none.
    for (const MappedBlock &B : S.Blocks) {
      S.Self.Stream = S.Self.Stream ? S.Self.Stream : B.Stream;
      S.Self.Pool = S.Self.Pool ? S.Self.Pool : B.Pool;
    }
  }
  std::sort(M.Segments.begin() + FirstSegment, M.Segments.end(),
            [](const MappedSegment &A, const MappedSegment &B) {
              return byAddress(A.Self, B.Self);
            });
  std::sort(M.Blocks.begin() + FirstBlock, M.Blocks.end(), byAddress);
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

std::vector<MappedPool> findPools(const DeviceMap &M) {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, MappedPool> Pools;
  for (const MappedSegment &S : M.Segments) {
    const MappedBlock &Self = S.Self;
    if (!Self.Pool)
      continue;
    MappedPool &P = Pools[{Self.Process, Self.Heap, Self.Pool}];
    if (!P.Segments || Self.AllocatedNs < P.MadeNs) {
      P.MadeNs = Self.AllocatedNs;
      P.Stack = Self.Stack;
      P.ScopePath = Self.ScopePath;
    }
    ++P.Segments;
    P.Bytes = SaturatingAdd(P.Bytes, Self.Size);
    P.FreeBytes = SaturatingAdd(P.FreeBytes, S.FreeBytes);
  }
  std::vector<MappedPool> Out;
  for (auto &[Key, P] : Pools) {
    std::tie(P.Process, P.Heap, P.Number) = Key;
    Out.push_back(P);
  }
  return Out;
}

} // namespace memkit
