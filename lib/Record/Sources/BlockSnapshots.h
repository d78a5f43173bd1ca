// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of a process's live blocks, and which blocks enclose others.

#ifndef MEMKIT_LIB_RECORD_BLOCKSNAPSHOTS_H
#define MEMKIT_LIB_RECORD_BLOCKSNAPSHOTS_H

#include "Sources/SnapshotWriter.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace memkit {

class EventSink;
class Recording;

/// Takes snapshots of all tables of a process. Sources register their tables,
/// and report changes while a snapshot is being written. Belongs to the
/// recorder's thread.
class BlockSnapshots {
public:
  BlockSnapshots(EventSink &Sink, Recording &R) : Sink(Sink), R(R) {}

  //===--------------------------------------------------------------------===//
  // The tables of the sources
  //===--------------------------------------------------------------------===//

  /// Id + 1 of the block around the live block at an address; 0: none.
  using OuterFunction = std::function<uint64_t(const LiveEntry &, uint64_t)>;
  /// Registers Table, which must outlive this, and returns its number for
  /// taken(). ScopeMask: the bits of the blocks' ScopeRow that are a row.
  /// Outer: not called for blocks set by setOuter().
  unsigned add(const LiveTable &Table, uint32_t ScopeMask = ~0u,
               OuterFunction Outer = nullptr) {
    Tables.push_back({&Table, ScopeMask, std::move(Outer)});
    return unsigned(Tables.size() - 1);
  }
  /// Registers blocks outside of the tables: their number, and a list of them.
  void addOthers(std::function<size_t()> Size,
                 std::function<void(llvm::SmallVectorImpl<LiveEntry> &)> List) {
    Others.push_back({std::move(Size), std::move(List)});
  }
  uint64_t numBlocks() const;

  //===--------------------------------------------------------------------===//
  // A snapshot
  //===--------------------------------------------------------------------===//

  /// Whether a snapshot is being written.
  bool active() const { return Writer.active(); }
  /// Starts a snapshot when worth its bytes, or writes a part of the active
  /// one.
  void advance();
  /// Starts a snapshot; not while one is active.
  void start();
  /// Writes the remainder of the active snapshot.
  void finish();

  /// The block was taken out of a table. Outer: as OuterFunction returns.
  void taken(unsigned Table, uint64_t Address, LiveEntry E,
             uint64_t Outer = 0) {
    if (__builtin_expect(!Writer.holds(E.AllocationId), 1))
      return;
    E.ScopeRow &= Tables[Table].ScopeMask;
    Writer.onTake(E, Table * LiveTable::NumShards + LiveTable::shardOf(Address),
                  Outer);
  }
  /// Whether the active snapshot has the block.
  bool holds(uint64_t Id) const { return Writer.holds(Id); }
  /// The block is about to end or to leave its addresses. Inner blocks can only
  /// be found while the block is there, so an active snapshot is finished.
  void beforeEnd(uint64_t Id);

  //===--------------------------------------------------------------------===//
  // Outer blocks that cannot be found by address
  //===--------------------------------------------------------------------===//

  void setOuter(uint64_t Id, uint64_t Outer) { Outers[Id] = Outer + 1; }
  bool hasOuters() const { return !Outers.empty(); }
  /// Id + 1 of the block around block Id; 0: none.
  uint64_t outerOf(uint64_t Id) const { return Outers.lookup(Id); }
  /// As outerOf(), for a block that ends.
  uint64_t takeOuter(uint64_t Id);

private:
  struct SourceTable {
    const LiveTable *Table;
    uint32_t ScopeMask;
    OuterFunction Outer;
  };
  struct OtherBlocks {
    std::function<size_t()> Size;
    std::function<void(llvm::SmallVectorImpl<LiveEntry> &)> List;
  };
  void step();
  void forgetEnded();

  EventSink &Sink;
  Recording &R;
  SnapshotWriter Writer;
  std::vector<SourceTable> Tables;
  std::vector<OtherBlocks> Others;
  Enclosers Outers;
  std::vector<uint64_t> Ended; ///< keys that only the active snapshot needs
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_BLOCKSNAPSHOTS_H
