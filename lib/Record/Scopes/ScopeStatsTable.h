// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the scopes of a process.
//
// Gives exact stats of the process's heaps from the start of a scope to its
// end; scopes of all threads may overlap in any way. Scopes of the user are
// measured by heap and by memory space. Layers of a model, which are many and
// short, are measured by heap only.

#ifndef MEMKIT_LIB_RECORD_SCOPESTATSTABLE_H
#define MEMKIT_LIB_RECORD_SCOPESTATSTABLE_H

#include "Scopes/ScopeStatsRows.h"

namespace memkit {

/// The stats of an ended scope, or of an open scope up to now.
struct ScopeResult {
  uint64_t Number = 0;
  uint32_t Text = 0; ///< of the name, from begin()
  uint64_t DurationNs = 0;
  /// Row 0: the memory space `host`; else by heap.
  std::vector<ScopeStatsRow> Rows;
  std::vector<ScopeStatsRow> Spaces; ///< by memory space
};

/// The stats of an ended layer.
struct LayerRange {
  /// As ScopeStatsRow.
  struct HeapRow {
    uint32_t Heap;
    uint64_t Allocations, Frees, AllocatedBytes, FreedBytes;
    uint64_t Peak, ReservedPeak;
  };
  uint64_t Number = 0;
  uint32_t Text = 0;
  uint64_t DurationNs = 0;
  std::vector<HeapRow> Changed; ///< the heaps that changed
};

class ScopeStatsTable {
public:
  /// BeginNs: start of the process, which is scope number 0.
  ScopeStatsTable(LiveStats &Stats, uint32_t Process, uint64_t BeginNs);

  /// Starts the scope or layer Number, which must not be open. With more than
  /// MaxOpen scopes the oldest is dropped.
  void begin(uint64_t Number, uint32_t Text, uint64_t TimeNs);
  void beginLayer(uint64_t Number, uint32_t Text, uint64_t TimeNs);
  /// Ends a scope. Keep: find() finds the scope while it is among the MaxKept
  /// last kept. Null: no scope Number is open. Valid until the next call.
  const ScopeResult *end(uint64_t Number, uint64_t TimeNs, bool Keep = true);
  /// As end(), for a layer; layers are not kept.
  const LayerRange *endLayer(uint64_t Number, uint64_t TimeNs);
  /// An open scope, up to now, or a kept scope; else null.
  const ScopeResult *find(uint64_t Number, uint64_t TimeNs);

  /// The heap's allocator reserves and uses these bytes from now on.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active) {
    Heaps.noteReserved(Heap, Reserved, Active);
  }
  /// The heap's live bytes at the last start or end of a scope, and the bytes
  /// that its allocator reserves now; 0: unknown.
  uint64_t liveBytes(uint32_t Heap) const { return Heaps.liveBytes(Heap); }
  uint64_t reservedBytes(uint32_t Heap) const {
    return Heaps.reservedBytes(Heap);
  }

  static constexpr size_t MaxOpen = 4096, MaxKept = 1024;

private:
  struct OpenResult {
    uint64_t Number;
    uint64_t BeginNs;
    uint32_t Text;
    bool IsLayer;
  };
  static constexpr size_t NotOpen = SIZE_MAX;

  void takeHeaps();
  void takeSpaces();
  void add(OpenResult O);
  size_t indexOf(uint64_t Number, bool IsLayer) const;
  size_t indexInSpaces(size_t Index) const;
  void measureAll(size_t Index, uint64_t TimeNs, ScopeResult &Out) const;
  void remove(size_t Index);

  LiveStats &Stats;
  uint32_t Process;
  std::vector<OpenResult> Opens; ///< in order of start
  ScopeStatsRows Heaps;          ///< by heap, for all open scopes
  /// By memory space, for scopes other than layers.
  ScopeStatsRows Spaces;
  std::vector<ScopeResult> Kept; ///< a ring buffer
  size_t NextKept = 0;
  ScopeResult Running;
  LayerRange Ended;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPESTATSTABLE_H
