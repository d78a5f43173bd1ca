// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the live blocks without a long pause.

#ifndef MEMKIT_LIB_RECORD_SNAPSHOTWRITER_H
#define MEMKIT_LIB_RECORD_SNAPSHOTWRITER_H

#include "Sources/LiveTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace memkit {

class Recording;

/// For blocks in other blocks: the inner block's allocation id to the outer
/// block's + 1.
using Enclosers = llvm::DenseMap<uint64_t, uint64_t>;

/// A table whose live blocks a snapshot contains.
struct LiveSource {
  const LiveTable &Table;
  /// The allocation id + 1 of the block around the block at an address; 0 if
  /// Enclosers has the outer block, or none. May be empty.
  llvm::function_ref<uint64_t(const LiveEntry &, uint64_t)> Outer = nullptr;
  uint32_t ScopeMask = ~0u; ///< bits of a block's ScopeRow that are a row
};

/// Takes a snapshot of live tables, sorted by allocation id, in small steps
/// while the tables change. The snapshot contains the blocks with an allocation
/// id below the limit set at its start; a block freed before the walk reaches
/// it is saved at the free.
///
/// A first walk over the shards counts the allocation ids, to cut them into
/// parts of a few thousand blocks. Each group of parts is then filled by a walk
/// of its own, sorted and written, so that the memory for this stays a fraction
/// of the table's.
class SnapshotWriter {
public:
  /// Whether a snapshot is worth its bytes now: whether the snapshot saves the
  /// replay of many events per block, and is small beside the growth of the
  /// trace, now of Bytes, since the last snapshot.
  bool due(uint64_t Events, uint64_t Live, uint64_t Bytes) const {
    return Events - LastEvents >= std::max(Live * 8, MinEvents) &&
           double(Bytes - LastBytes) >= 20 * BytesPerBlock * double(Live);
  }
  bool active() const { return Phase != Idle; }

  /// Starts a snapshot of the blocks below NextAllocationId after the process's
  /// first Events events. Detached: live blocks outside of the tables.
  /// Enclosing must keep its entries of these blocks until the snapshot is
  /// complete: see holds().
  void start(uint64_t NextAllocationId, uint64_t Events, uint64_t TimeNs,
             uint64_t Live, llvm::ArrayRef<LiveEntry> Detached,
             const Enclosers &Enclosing);
  /// Whether the block belongs to the active snapshot.
  bool holds(uint64_t AllocationId) const {
    return Phase != Idle && AllocationId < Limit;
  }
  /// Works for about StepNs. Sources: the same in each call.
  void step(llvm::ArrayRef<LiveSource> Sources, Recording &R, uint32_t Process);
  /// E was taken out of its shard. Shard: counted over all sources. Outer: as
  /// LiveSource::Outer returns.
  void onTake(const LiveEntry &E, unsigned Shard, uint64_t Outer = 0) {
    if (__builtin_expect(Phase != Idle, 0) && E.AllocationId < Limit)
      save(Packed(E, Outer), Shard);
  }

private:
  static constexpr uint64_t MinEvents = 4 * 65536;
  static constexpr uint32_t PartBlocks = 8192;
  static constexpr uint64_t StepNs = 300000;

  /// A LiveEntry and its outer block, packed.
  struct Packed {
    uint64_t IdAndScopeRow, AllocatedRow, SizeRow, Outer;
    explicit Packed(const LiveEntry &E, uint64_t Outer = 0)
        : IdAndScopeRow(E.AllocationId << 24 | E.ScopeRow),
          AllocatedRow(E.AllocatedTick << 16 | (E.Row & 0xffff)),
          SizeRow(E.Size << 16 | E.Row >> 16), Outer(Outer) {}
    uint64_t allocationId() const { return IdAndScopeRow >> 24; }
    LiveEntry unpack() const {
      return {allocationId(), SizeRow >> 16, AllocatedRow >> 16,
              uint32_t(AllocatedRow & 0xffff) | uint32_t(SizeRow & 0xffff)
                                                    << 16,
              uint32_t(IdAndScopeRow & 0xffffff)};
    }
  };

  void save(const Packed &P, unsigned Shard);
  void collect(const LiveSource &From, unsigned Shard);
  void cutParts();
  void startGroup();
  void sortPart();
  void writePart(Recording &R, uint32_t Process);
  uint32_t partOf(uint64_t AllocationId) const {
    return Bins[AllocationId >> Shift];
  }
  bool inGroup(uint32_t Part) const { return Part >= Begin && Part < End; }

  enum { Idle, Counting, Collecting, Writing } Phase = Idle;
  uint64_t LastEvents = 0, LastBytes = 0;
  double BytesPerBlock = 6; ///< in the file, estimated from earlier snapshots
  uint64_t Limit = 0, Events = 0, TimeNs = 0, Live = 0;
  unsigned Shift = 0;
  unsigned Cursor = 0; ///< the next shard of the walk
  uint32_t NumParts = 0;
  uint32_t Begin = 0, End = 0; ///< parts of the current group
  uint32_t NextPart = 0;       ///< next part to write
  bool IsSorted = false;       ///< NextPart is sorted
  std::vector<uint32_t> Bins;  ///< counts, then parts, by AllocationId >> Shift
  std::vector<uint32_t> PartSizes;
  std::vector<std::vector<Packed>> Parts; ///< of the current group
  /// Blocks freed before the walk of their group.
  std::vector<Packed> Saved;
  const Enclosers *Enclosing = nullptr;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SNAPSHOTWRITER_H
