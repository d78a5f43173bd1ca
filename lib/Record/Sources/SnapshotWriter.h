// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes what lives without stopping for it.

#ifndef MEMKIT_LIB_RECORD_SNAPSHOTWRITER_H
#define MEMKIT_LIB_RECORD_SNAPSHOTWRITER_H

#include "Sources/LiveTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace memkit {

class Recording;

/// Of blocks that lie in others: the allocation id + 1 of the outer by the
/// inner's.
using Enclosers = llvm::DenseMap<uint64_t, uint64_t>;

/// A table of live blocks whose blocks a snapshot has.
struct LiveSource {
  const LiveTable &Table;
  /// The allocation id + 1 of the block in which the one at an address lies; 0
  /// when Enclosers says it, or it lies in none. May be empty.
  llvm::function_ref<uint64_t(const LiveEntry &, uint64_t)> Outer = nullptr;
  uint32_t ScopeMask = ~0u; ///< the bits of its blocks' ScopeRow that are a row
};

/// Takes a snapshot of live tables, sorted by allocation id, in small steps
/// while the table goes on to change. The blocks of the snapshot are those with
/// an allocation id below the limit set at its start; one that is freed before
/// it was visited is taken then.
///
/// A first walk over the shards counts the allocation ids, so that they can be
/// cut in parts of a few thousand blocks; then each group of parts is filled by
/// a walk of its own, sorted and written, so that the memory for it stays a
/// fraction of the table's.
class SnapshotWriter {
public:
  /// Whether a snapshot is worth its bytes now: it saves the replay of many
  /// events for each block, and would be a small part of the Bytes that the
  /// trace has grown to since the last.
  bool due(uint64_t Events, uint64_t Live, uint64_t Bytes) const {
    return Events - LastEvents >= std::max(Live * 8, MinEvents) &&
           double(Bytes - LastBytes) >= 20 * BytesPerBlock * double(Live);
  }
  bool active() const { return Phase != Idle; }

  /// Begins a snapshot of the blocks below NextAllocationId after the process's
  /// first Events events; Detached live, but are not in the table. Enclosing
  /// must keep what concerns its blocks until it is complete: see holds().
  void start(uint64_t NextAllocationId, uint64_t Events, uint64_t TimeNs,
             uint64_t Live, llvm::ArrayRef<LiveEntry> Detached,
             const Enclosers &Enclosing);
  /// Whether the block is one of the snapshot that runs.
  bool holds(uint64_t AllocationId) const {
    return Phase != Idle && AllocationId < Limit;
  }
  /// Works for about StepNs. Sources: the same each time.
  void step(llvm::ArrayRef<LiveSource> Sources, Recording &R, uint32_t Process);
  /// E was taken out of its shard, counted over all sources. Outer: as
  /// LiveSource's.
  void onTake(const LiveEntry &E, unsigned Shard, uint64_t Outer = 0) {
    if (__builtin_expect(Phase != Idle, 0) && E.AllocationId < Limit)
      save(Packed(E, Outer), Shard);
  }

private:
  static constexpr uint64_t MinEvents = 4 * 65536;
  static constexpr uint32_t PartBlocks = 8192;
  static constexpr uint64_t StepNs = 300000;

  /// A LiveEntry and what it lies in.
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
  double BytesPerBlock = 6; ///< in the file, as those before had it
  uint64_t Limit = 0, Events = 0, TimeNs = 0, Live = 0;
  unsigned Shift = 0;
  unsigned Cursor = 0; ///< the next shard of the walk
  uint32_t NumParts = 0;
  uint32_t Begin = 0, End = 0; ///< parts of this group
  uint32_t NextPart = 0;       ///< to write
  bool IsSorted = false;       ///< that part
  std::vector<uint32_t> Bins;  ///< counts, then parts, by AllocationId >> Shift
  std::vector<uint32_t> PartSizes;
  std::vector<std::vector<Packed>> Parts; ///< of the group
  std::vector<Packed> Saved;              ///< taken before their group's walk
  const Enclosers *Enclosing = nullptr;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SNAPSHOTWRITER_H
