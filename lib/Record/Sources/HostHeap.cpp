// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the blocks of malloc, heap host.malloc.

#include "Sources/HostHeap.h"
#include "Sources/BlockSnapshots.h"
#include "Sources/Mappings.h"
#include "Sources/SharedSources.h"
#include "memkit/Trace/Sampling.h"

using namespace llvm;
using namespace memkit;

HostHeap::HostHeap(EventSink &Sink, BlockSnapshots &Snapshots, Mappings &Maps,
                   ProcessScopes &Scopes, SharedSources &Shared)
    : Sink(Sink), Snapshots(Snapshots), Maps(Maps), Scopes(Scopes),
      Shared(Shared), MinSize(Sink.wanted().MinSize),
      SampleBytes(Sink.wanted().SampleBytes), Heap(Sink.heaps().malloc()),
      Table(Snapshots.add(Live)) {
  Snapshots.addOthers([] { return size_t(0); },
                      [this](SmallVectorImpl<LiveEntry> &To) {
                        for (const RunningRealloc &R : Reallocs)
                          if (R.State == RunningRealloc::Detached)
                            To.push_back(R.Block);
                      });
}

/// Offsets of a block in its malloc block: Python's debug functions put an
/// object 16 bytes into a block, in one allocator or in two.
static constexpr uint64_t Offsets[] = {0, 16, 32};

bool HostHeap::findOuter(uint64_t Address, const LiveEntry &E,
                         BlockRef &Out) const {
  for (uint64_t Offset : Offsets) {
    LiveEntry In;
    if (Address < Offset || !Live.get(Address - Offset, &In) ||
        In.AllocationId >= E.AllocationId || In.Size < E.Size + Offset)
      continue;
    Out = {In.AllocationId, In.Row, In.ScopeRow};
    return true;
  }
  auto Next = ChunkEnds.upper_bound(Address);
  if (Next == ChunkEnds.begin())
    return false;
  auto [Begin, End] = *std::prev(Next);
  LiveEntry In;
  if (End - Address < E.Size || End <= Address || !Live.get(Begin, &In) ||
      In.AllocationId >= E.AllocationId)
    return false;
  Out = {In.AllocationId, In.Row, In.ScopeRow};
  return true;
}

void HostHeap::indexChunks(uint64_t MinBytes) {
  if (LLVM_LIKELY(ChunkMin <= MinBytes))
    return;
  ChunkMin = MinBytes;
  for (unsigned Shard = 0; Shard != LiveTable::NumShards; ++Shard)
    Live.forEachInShard(Shard, [this](const LiveEntry &E, uint64_t Address) {
      noteChunk(Address, E.Size);
    });
}

/// The block of an AllocateRecord or ReallocEndRecord is allocated; false if
/// another block lives there.
bool HostHeap::allocate(const wire::Record &Raw, uint32_t Ring) {
  auto Rec = wire::decode<wire::AllocateRecord>(Raw);
  uint32_t Row = Sink.stacks().row(Rec.Stack, uint8_t(Rec.Function));
  LiveEntry E{Sink.nextId(), Rec.Size, Sink.tickAt(Raw.Tsc), Row,
              Sink.ring(Ring).MallocScopeRow};
  if (LLVM_UNLIKELY(!Live.insert(Rec.Address, E)))
    return false;
  noteChunk(Rec.Address, Rec.Size);
  // makeRoom() may write the log, so the new block is counted afterwards.
  Sink.makeRoom(Ring);
  Sink.setTick(E.AllocatedTick);
  Sink.takeId();
  const RingThread &S = Sink.ring(Ring);
  uint64_t TimeNs = E.AllocatedTick * TimeUnitNs;
  BlockRef B{E.AllocationId, Row, E.ScopeRow}, Outer;
  const MapTable::MapBlock *In = Maps.enclosing(Rec.Address);
  if (LLVM_UNLIKELY(In && In->Entry.Row))
    Outer = {In->Entry.AllocationId, In->Entry.Row, In->Entry.ScopeRow};
  if (LLVM_UNLIKELY(SampleBytes))
    countSampled(E, Outer, TimeNs, S.Thread);
  else if (LLVM_UNLIKELY(Outer.Row))
    Sink.stats().allocateIn(B, Outer, Rec.Size, TimeNs, S.Thread);
  else
    Sink.stats().allocate(B, Rec.Size, TimeNs, S.Thread);
  if (LLVM_UNLIKELY(Outer.Row)) {
    Snapshots.setOuter(E.AllocationId, Outer.AllocationId);
    Sink.noteOuter(Outer.AllocationId);
  }
  Sink.log().allocate(S.Lane, E.AllocatedTick, Rec.Size,
                      Sink.stats().stackOf(Row), S.ScopePath, Heap);
  return true;
}

bool HostHeap::adopt(uint64_t Address, uint64_t Bytes, uint32_t Stack,
                     RecordOrigin From) {
  if (Live.contains(Address) || Adopted.hasEnded(Address))
    return false;
  LiveEntry E = Sink.newBlockIn(From, Heap, Stack, Bytes, /*ScopePath=*/0);
  Live.insert(Address, E);
  noteChunk(Address, Bytes);
  Sink.allocate(From, E);
  Adopted.add(E.AllocationId);
  return true;
}

void HostHeap::emitFree(RecordOrigin From, const LiveEntry &Block) {
  uint64_t Outer = LLVM_UNLIKELY(Snapshots.hasOuters())
                       ? Snapshots.takeOuter(Block.AllocationId)
                       : 0;
  uint32_t Weight =
      LLVM_UNLIKELY(SampleBytes)
          ? sampleWeight(Block.Size, SampleBytes, Block.AllocationId)
          : 0;
  if (LLVM_LIKELY(!Weight))
    return Sink.free(From, Block, Outer);
  Sink.makeRoom(From.Ring);
  uint64_t Tick = Sink.tickAt(From.Tsc);
  Sink.setTick(Tick);
  Sink.stats().freeSampled({Block.AllocationId, Block.Row, Block.ScopeRow},
                           Block.Size, Weight, Tick * TimeUnitNs);
  Sink.log().free(Sink.ring(From.Ring).Lane, Tick, Block.AllocationId);
}

/// Call before the block's event is added to the log.
void HostHeap::countSampled(const LiveEntry &Block, const BlockRef &Outer,
                            uint64_t TimeNs, uint32_t Thread) {
  uint32_t Weight = sampleWeight(Block.Size, SampleBytes, Block.AllocationId);
  Sink.stats().allocateSampled({Block.AllocationId, Block.Row, Block.ScopeRow},
                               Outer, Block.Size, Weight, TimeNs, Thread);
  setColumn(Sink.log().Columns.Weight, Sink.log().size(), uint64_t(Weight));
}
