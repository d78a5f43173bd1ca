// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of a process's live blocks, and what those blocks lie in.

#ifndef MEMKIT_LIB_RECORD_BLOCKSNAPSHOTS_H
#define MEMKIT_LIB_RECORD_BLOCKSNAPSHOTS_H

#include "Sources/SnapshotWriter.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace memkit {

class EventSink;
class Recording;

/// Sources give their tables to the snapshots of their process, and say what
/// changes while a snapshot is being written. Belongs to the recorder's thread.
class BlockSnapshots {
public:
  BlockSnapshots(EventSink &Sink, Recording &R) : Sink(Sink), R(R) {}

  //===--------------------------------------------------------------------===//
  // The tables of the sources
  //===--------------------------------------------------------------------===//

  /// Id + 1 of the block in which the live block at an address lies, 0: none.
  using OuterFunction = std::function<uint64_t(const LiveEntry &, uint64_t)>;
  /// Blocks of ids that are keys in Outers need no Outer. ScopeMask: the bits
  /// of the blocks' ScopeRow that are a row. Table must outlive this; the
  /// table's number, for taken().
  unsigned add(const LiveTable &Table, uint32_t ScopeMask = ~0u,
               OuterFunction Outer = nullptr) {
    Tables.push_back({&Table, ScopeMask, std::move(Outer)});
    return unsigned(Tables.size() - 1);
  }
  /// Blocks that stand in another table: how many, and the blocks.
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
  /// Begins a snapshot when it is worth its bytes, or writes some of it.
  void advance();
  /// Begins a snapshot; not while one is active.
  void start();
  /// Writes the rest.
  void finish();

  /// The block was taken out of a table. Outer: as OuterFunction.
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
  /// The block is about to end or to leave its addresses. What lies in it can
  /// be told for as long as it is there, so an active snapshot is finished.
  void beforeEnd(uint64_t Id);

  //===--------------------------------------------------------------------===//
  // Outer blocks that no address tells
  //===--------------------------------------------------------------------===//

  void setOuter(uint64_t Id, uint64_t Outer) { Outers[Id] = Outer + 1; }
  bool hasOuters() const { return !Outers.empty(); }
  /// Id + 1 of the block in which the block lies; 0: in none.
  uint64_t outerOf(uint64_t Id) const { return Outers.lookup(Id); }
  /// The same of a block that ends.
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
