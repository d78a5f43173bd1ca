// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source: the blocks of malloc, heap host.malloc.

#ifndef MEMKIT_LIB_RECORD_HOSTHEAP_H
#define MEMKIT_LIB_RECORD_HOSTHEAP_H

#include "Shared/RingMerge.h"
#include "Sources/AdoptedBlocks.h"
#include "Sources/EventSink.h"
#include "Sources/MapTable.h"
#include "Wire/HostRecords.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <map>

namespace memkit {

class BlockSnapshots;
class Mappings;
class ProcessScopes;
class ProcessState;
struct RingOfProcess;
struct SharedSources;

/// Turns records into events in the order of their times, whatever the order of
/// arrival.
///
/// Clocks of two processors differ a little, so a block may seem to be
/// allocated where another still lives, or freed before its allocation. Such a
/// record is held until the missing record comes, at the latest until the end
/// of the next full pass; causality, not the clock, then decides the order.
///
/// Records go two ways with the same result. takeFast() takes runs of usual
/// records, each step for the whole run, because a run costs a third of the
/// time; take() takes any single record. ProcessStateTest compares the two.
///
/// Belongs to the recorder's thread.
class HostHeap {
public:
  HostHeap(EventSink &Sink, BlockSnapshots &Snapshots, Mappings &Maps,
           ProcessScopes &Scopes, SharedSources &Shared);

  void take(const wire::AllocateRecord &Rec, RecordOrigin From);
  void take(const wire::FreeRecord &Rec, RecordOrigin From);
  void take(const wire::ReallocBeginRecord &Rec, RecordOrigin From);
  void take(const wire::ReallocEndRecord &Rec, RecordOrigin From);

  /// Takes a run of usual records, from the first record on: allocations and
  /// frees of Self, the process of this heap, and operators of PyTorch between
  /// them, and those of other processes that take turns with Self. Returns the
  /// number of records taken. Of: by MergedRecord::Source.
  size_t takeFast(llvm::ArrayRef<MergedRecord> Records, const RingOfProcess *Of,
                  const ProcessState *Self);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(const wire::Record &Rec) const {
    Live.prefetch(Rec.Address, !Rec.is(wire::RecordKind::Free));
  }

  /// Blocks that live already come later, by adopt(). Until endAdopting()
  /// records take longer.
  void expectAdopted() { Adopted.expect(); }
  void endAdopting() { Adopted.end(); }
  bool expectsAdopted() const { return Adopted.isExpected(); }
  /// A block that lives already when the recording begins. Stack: of the trace.
  /// False: a block is known at this address, or has ended there since
  /// expectAdopted().
  bool adopt(uint64_t Address, uint64_t Bytes, uint32_t Stack,
             RecordOrigin From);

  /// At the end of a pass over all rings: gives up waiting for records held
  /// since before the last pass, or for All held records.
  void settleHeld(bool All);
  /// The thread of the ring has ended.
  void releaseRing(uint32_t Ring);

  /// Finds the live malloc block Out that contains the live block E at Address.
  /// E must lie 0, 16 or 32 bytes into Out, or Out must be a chunk and
  /// indexChunks() called before. False: no such block.
  bool findOuter(uint64_t Address, const LiveEntry &E, BlockRef &Out) const;
  /// The live blocks by address.
  const LiveTable &table() const { return Live; }
  /// Indexes blocks of at least MinBytes bytes, chunks, by address from now on.
  /// Visits all live blocks once.
  void indexChunks(uint64_t MinBytes = MinChunk);
  static constexpr uint64_t MinChunk = 1024;

  /// Whether a block lives at Address; copies the block to Out.
  bool findLive(uint64_t Address, LiveEntry &Out) const {
    return Live.get(Address, &Out);
  }

private:
  /// A record that waits for another record of its address.
  struct HeldRecord {
    wire::Record Rec;
    uint32_t Ring;
    uint32_t EarlyRing; ///< of a free: see RecentFrees; else None
    uint64_t Pass;
    static constexpr uint32_t None = ~0u;
  };
  using HeldQueue = llvm::SmallVector<HeldRecord, 2>;
  /// Records that wait at an address, at most: each is compared with all.
  static constexpr size_t MaxHeld = 64;
  /// A realloc that runs in the thread of a ring.
  struct RunningRealloc {
    enum { None, Detached, HeldBack } State = None;
    uint64_t Address = 0;
    LiveEntry Block; ///< Detached: taken from its address
  };

  /// This process in a run.
  struct InRun {
    uint64_t Run = 0;   ///< MixedRoom::Run
    uint8_t Number = 0; ///< in MixedRoom::Heaps
    bool Whole = false, HasNested = false, HasHeld = false;
    uint64_t LateBefore = 0;
    size_t NumRings = 0;
  };

  static bool isPut(const wire::Record &Rec) {
    return Rec.is(wire::RecordKind::Allocate) ||
           Rec.is(wire::RecordKind::ReallocEnd);
  }
  // HostHeapOrder.cpp
  void at(const wire::Record &Rec, uint32_t Ring);
  bool apply(const wire::Record &Rec, uint32_t Ring);
  bool remove(const wire::Record &Rec, uint32_t Ring);
  bool isInherited();
  void giveUpBefore(uint64_t Tsc);
  void hold(const wire::Record &Rec, uint32_t Ring);
  void settle(HeldQueue &Q);
  void force(HeldQueue &Q);
  void forceFirst(uint64_t Address);
  void holdAgain(uint64_t Address, HeldQueue Q);
  void holdBack(HeldQueue &Q, const wire::Record &Rec, uint32_t Ring);
  static bool swapEarly(HeldQueue &Q);
  void endHeldRealloc(uint32_t Ring, bool Moved);
  void noLongerHeld(const HeldRecord &H);
  void reattach(uint32_t Ring);
  RunningRealloc &realloc(uint32_t Ring) {
    if (Ring >= Reallocs.size())
      Reallocs.resize(Ring + 1);
    return Reallocs[Ring];
  }
  /// A block at Address is allocated, or ends.
  void noteChunk(uint64_t Address, uint64_t Size) {
    if (LLVM_UNLIKELY(Size >= ChunkMin))
      ChunkEnds[Address] = Address + Size;
  }
  void dropChunk(uint64_t Address, uint64_t Size) {
    if (LLVM_UNLIKELY(Size >= ChunkMin))
      ChunkEnds.erase(Address);
  }
  // HostHeapRuns.cpp
  bool beginRun();
  bool joinRun();
  void countRun(size_t Begin, size_t Size, bool AnyScope);
  void countMixed(size_t N, bool AnyScope);
  void countPart(size_t Begin, size_t Size, bool AnyScope);
  void logRun(llvm::ArrayRef<Change> Changes,
              llvm::MutableArrayRef<EventLog::FastEvent> Logged, bool AnyScope);
  // HostHeap.cpp
  bool allocate(const wire::Record &Rec, uint32_t Ring);
  void emitFree(RecordOrigin From, const LiveEntry &E);
  void countSampled(const LiveEntry &Block, const BlockRef &Outer,
                    uint64_t TimeNs, uint32_t Thread);

  EventSink &Sink;
  BlockSnapshots &Snapshots;
  Mappings &Maps;
  ProcessScopes &Scopes;
  SharedSources &Shared;
  uint64_t MinSize, SampleBytes; ///< of the recording's options
  uint32_t Heap;
  LiveTable Live;
  unsigned Table;                           ///< Live's number in Snapshots
  uint64_t ChunkMin = UINT64_MAX;           ///< least of indexChunks()
  std::map<uint64_t, uint64_t> ChunkEnds;   ///< chunks: start to end
  std::vector<RunningRealloc> Reallocs;     ///< by ring
  llvm::DenseMap<uint64_t, HeldQueue> Held; ///< by address
  AdoptedBlocks Adopted;                    ///< keys: addresses
  /// Clocks and addresses of held frees of unknown blocks, in a child of fork.
  std::deque<std::pair<uint64_t, uint64_t>> Unknown;
  InRun Turn;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_HOSTHEAP_H
