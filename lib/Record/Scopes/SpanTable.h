// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes of a process, measured.
//
// What happens to the heaps of a process from the begin of a scope to its end,
// exact, for scopes of all threads that overlap as they like. Scopes that a
// user has made are measured by heap and by memory space; layers of a model,
// which are many and short, by heap.

#ifndef MEMKIT_LIB_RECORD_SPANTABLE_H
#define MEMKIT_LIB_RECORD_SPANTABLE_H

#include "Scopes/SpanRows.h"

namespace memkit {

/// A scope that has ended, or up to now.
struct Span {
  uint64_t Number = 0;
  uint32_t Text = 0; ///< of its name, as begin() was told
  uint64_t DurationNs = 0;
  std::vector<SpanRow> Rows;   ///< 0: the memory space `host`; else by heap
  std::vector<SpanRow> Spaces; ///< by memory space
};

/// A layer that has ended.
struct LayerSpan {
  /// As SpanRow.
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

class SpanTable {
public:
  /// BeginNs: when the process began; it is the scope of number 0.
  SpanTable(LiveStats &Stats, uint32_t Process, uint64_t BeginNs);

  /// The scope, or the layer, Number, not open yet, begins. Of more than
  /// MaxOpen the oldest is forgotten.
  void begin(uint64_t Number, uint32_t Text, uint64_t TimeNs);
  void beginLayer(uint64_t Number, uint32_t Text, uint64_t TimeNs);
  /// A scope ends, and with Keep is kept with the MaxKept that ended last.
  /// Null: no scope of the number is open. Good until the next call.
  const Span *end(uint64_t Number, uint64_t TimeNs, bool Keep = true);
  /// The same of a layer, which is never kept.
  const LayerSpan *endLayer(uint64_t Number, uint64_t TimeNs);
  /// A scope that is open, up to now, or kept; null: neither.
  const Span *find(uint64_t Number, uint64_t TimeNs);

  /// From now on.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active) {
    Heaps.noteReserved(Heap, Reserved, Active);
  }
  /// What the process had of a heap when a scope last began or ended, and what
  /// the heap's allocator reserves now, 0 where that is not known.
  uint64_t liveBytes(uint32_t Heap) const { return Heaps.liveBytes(Heap); }
  uint64_t reservedBytes(uint32_t Heap) const {
    return Heaps.reservedBytes(Heap);
  }

  static constexpr size_t MaxOpen = 4096, MaxKept = 1024;

private:
  struct Open {
    uint64_t Number;
    uint64_t BeginNs;
    uint32_t Text;
    bool IsLayer;
  };
  static constexpr size_t NotOpen = SIZE_MAX;

  void takeHeaps();
  void takeSpaces();
  void add(Open O);
  size_t indexOf(uint64_t Number, bool IsLayer) const;
  size_t indexInSpaces(size_t Index) const;
  void measureAll(size_t Index, uint64_t TimeNs, Span &Out) const;
  void remove(size_t Index);

  LiveStats &Stats;
  uint32_t Process;
  std::vector<Open> Opens; ///< in the order of their begins
  SpanRows Heaps;          ///< by heap, of all that is open
  SpanRows Spaces;         ///< by memory space, of scopes that are no layers
  std::vector<Span> Kept;  ///< a ring
  size_t NextKept = 0;
  Span Running;
  LayerSpan Ended;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SPANTABLE_H
