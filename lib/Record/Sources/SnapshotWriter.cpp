// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the live blocks without a long pause.

#include "Sources/SnapshotWriter.h"
#include "Output/Recording.h"
#include "memkit/Trace/Sampling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace memkit;

/// How many blocks a sampled block stands for, which follows from its size and
/// id, and is not stored; 0: its heap is not sampled.
static uint32_t weightOf(const Recording &R, const LiveEntry &Block) {
  if (!R.heaps().isSampled(R.stats().heapOf(Block.Row)))
    return 0;
  return sampleWeight(Block.Size, R.wanted().SampleBytes, Block.AllocationId);
}

void SnapshotWriter::start(uint64_t NextAllocationId, uint64_t AtEvents,
                           uint64_t AtNs, uint64_t NumLive,
                           ArrayRef<LiveEntry> Detached,
                           const Enclosers &Outer) {
  Enclosing = &Outer;
  Phase = Counting;
  Limit = NextAllocationId;
  Events = LastEvents = AtEvents;
  TimeNs = AtNs;
  Live = NumLive;
  Cursor = 0;
  NextPart = 0;
  unsigned Bits = NextAllocationId ? 64 - countl_zero(NextAllocationId) : 0;
  Shift = Bits > 16 ? Bits - 16 : 0;
  Bins.assign(size_t(Limit >> Shift) + 1, 0);
  Saved.clear();
  for (const LiveEntry &E : Detached) {
    ++Bins[E.AllocationId >> Shift];
    Saved.push_back(Packed(E));
  }
}

void SnapshotWriter::save(const Packed &P, unsigned Shard) {
  if (Phase == Counting) {
    if (Shard >= Cursor)
      ++Bins[P.allocationId() >> Shift];
    Saved.push_back(P);
    return;
  }
  uint32_t Part = partOf(P.allocationId());
  if (Part >= End)
    Saved.push_back(P);
  else if (Phase == Collecting && Part >= Begin && Shard >= Cursor)
    Parts[Part - Begin].push_back(P);
}

/// Counts the blocks of a shard, or collects those of the current group.
void SnapshotWriter::collect(const LiveSource &From, unsigned Shard) {
  From.Table.forEachInShard(Shard, [&](const LiveEntry &E, uint64_t Address) {
    if (E.AllocationId >= Limit)
      return;
    if (Phase == Counting) {
      ++Bins[E.AllocationId >> Shift];
      return;
    }
    uint32_t Part = partOf(E.AllocationId);
    if (!inGroup(Part))
      return;
    uint64_t Outer = From.Outer ? From.Outer(E, Address) : 0;
    LiveEntry Block = E;
    Block.ScopeRow &= From.ScopeMask;
    Parts[Part - Begin].push_back(Packed(Block, Outer));
  });
}

/// Turns the counts into parts of at most PartBlocks; a single bin may exceed
/// PartBlocks.
void SnapshotWriter::cutParts() {
  PartSizes.assign(1, 0);
  for (uint32_t &Bin : Bins) {
    uint32_t Count = Bin;
    if (PartSizes.back() && PartSizes.back() + Count > PartBlocks)
      PartSizes.push_back(0);
    PartSizes.back() += Count;
    Bin = uint32_t(PartSizes.size() - 1);
  }
  NumParts = uint32_t(PartSizes.size());
}

/// Starts a group: the next parts that together hold at most a third of the
/// blocks.
void SnapshotWriter::startGroup() {
  Begin = End;
  uint64_t Max = std::max<uint64_t>(Live / 3, 8 * PartBlocks), Size = 0;
  while (End != NumParts && (End == Begin || Size + PartSizes[End] <= Max))
    Size += PartSizes[End++];
  Parts.clear();
  Parts.resize(End - Begin);
  for (uint32_t P = Begin; P != End; ++P)
    Parts[P - Begin].reserve(PartSizes[P]);
  erase_if(Saved, [this](const Packed &P) {
    uint32_t Part = partOf(P.allocationId());
    if (!inGroup(Part))
      return false;
    Parts[Part - Begin].push_back(P);
    return true;
  });
  Phase = Collecting;
  Cursor = 0;
}

void SnapshotWriter::sortPart() {
  std::vector<Packed> &Part = Parts[NextPart - Begin];
  sort(Part, [](const Packed &A, const Packed &B) {
    return A.allocationId() < B.allocationId();
  });
  // The walk may meet a block twice that was taken and put back.
  Part.erase(std::unique(Part.begin(), Part.end(),
                         [](const Packed &A, const Packed &B) {
                           return A.allocationId() == B.allocationId();
                         }),
             Part.end());
  IsSorted = true;
}

void SnapshotWriter::writePart(Recording &R, uint32_t Process) {
  std::vector<Packed> &Part = Parts[NextPart - Begin];
  IsSorted = false;
  Snapshot K;
  K.Process = Process;
  K.TimeNs = TimeNs;
  K.Events = Events;
  K.NextAllocationId = Limit;
  K.Part = NextPart++;
  K.Last = NextPart == NumParts;
  K.Blocks.reserve(Part.size());
  for (const Packed &P : Part) {
    LiveEntry E = P.unpack();
    LiveBlock &B = K.Blocks.emplace_back();
    B.AllocationId = E.AllocationId;
    B.Size = E.Size;
    B.AllocatedNs = E.AllocatedTick * TimeUnitNs;
    B.Stack = R.stats().stackOf(E.Row);
    B.Heap = R.stats().heapOf(E.Row);
    B.ScopePath = R.stats().scopePathOf(E.ScopeRow);
    B.Enclosing = P.Outer;
    if (!P.Outer && !Enclosing->empty())
      B.Enclosing = Enclosing->lookup(E.AllocationId);
    if (R.wanted().SampleBytes)
      B.Weight = weightOf(R, E);
  }
  std::vector<Packed>().swap(Part);
  R.write(std::move(K));
}

void SnapshotWriter::step(ArrayRef<LiveSource> Sources, Recording &R,
                          uint32_t Process) {
  uint64_t Until = R.nowNs() + StepNs;
  for (uint64_t Now; Phase != Idle && (Now = R.nowNs()) < Until;) {
    if (Phase == Counting || Phase == Collecting) {
      collect(Sources[Cursor / LiveTable::NumShards],
              Cursor % LiveTable::NumShards);
      if (++Cursor != Sources.size() * LiveTable::NumShards)
        continue;
      if (Phase == Counting) {
        cutParts();
        Begin = End = 0;
        startGroup();
        continue;
      }
      Phase = Writing;
      // Strings, stacks and other ids must precede the blocks that refer to
      // them.
      R.flush();
    } else if (R.isWriting()) {
      if (!R.canWork())
        return;
      R.work(Until - Now);
    } else if (!IsSorted) {
      sortPart();
    } else {
      writePart(R, Process);
      if (NextPart == NumParts) {
        Phase = Idle;
        LastBytes = R.producedBytes();
        BytesPerBlock = R.snapshotBytesPerBlock(BytesPerBlock);
        Bins = {};
        Parts = {};
        Saved = {};
      } else if (NextPart == End) {
        startGroup();
      }
    }
  }
}
