// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events that a recorder collects for the next section.
//
// A recorder appends to an EventLog the events of one process since the last
// section, as columns in order of time. An event takes 12 bytes, where Events
// needs 40. The columns are nearly those on disk, so the writer has little left
// to do.

#ifndef MEMKIT_LIB_TRACE_EVENTLOG_H
#define MEMKIT_LIB_TRACE_EVENTLOG_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Compiler.h"
#include <cassert>
#include <memory>
#include <vector>

namespace memkit {

/// Up to MaxSectionRows events of up to MaxSectionThreads threads, the input of
/// TraceWriter. Memory: 19 bytes for each event of the largest section so far,
/// and as much again while the columns grow. Belongs to one thread. A
/// member for each column, hence many members.
class EventLog {
public:
  uint32_t Process = 0;
  uint32_t Epoch = 0;
  /// As in Events; values past a column's end are 0.
  EventColumns Columns;

  /// Removes all events but keeps the memory. NextAllocationId: the id of the
  /// next allocation or split.
  void start(uint64_t NextAllocationId);

  /// Takes the memory of Other if that has more, in exchange for the log's own.
  /// Both logs are empty.
  void takeLarger(EventLog &Other);

  uint32_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  bool full() const { return Count == MaxSectionRows; }
  uint32_t numThreads() const { return uint32_t(Lanes.size()); }
  uint64_t nextAllocationId() const { return Next; }
  /// Times of the first and last event; 0 when empty.
  uint64_t beginNs() const { return FirstTick * TimeUnitNs; }
  uint64_t endNs() const { return LastTick * TimeUnitNs; }

  /// The events as rows of Events.
  std::vector<Event> rows() const;

  /// The lane of Thread, by which events name the thread until the next
  /// start(). Call once for each thread.
  uint32_t addThread(uint32_t Thread);

  // Each of the functions below appends one event; not when full(). Lane: from
  // addThread(). Tick: the event's time in TimeUnitNs, at least that of the
  // event before. A block must have an id below nextAllocationId().

  /// Allocates the block nextAllocationId().
  void allocate(uint32_t Lane, uint64_t Tick, uint64_t Size, uint32_t Stack,
                uint32_t ScopePath, uint32_t Heap) {
    Kind[begin(Lane, Tick)] = uint8_t(EventKind::Allocate);
    if (LLVM_UNLIKELY(Heap != OneHeap))
      noteHeap(Heap);
    if (LLVM_UNLIKELY(ScopePath | HasScopePaths))
      noteScopePath(ScopePath);
    this->Stack[Allocations++] = Stack;
    addSize(Size);
    ++Next;
  }
  void free(uint32_t Lane, uint64_t Tick, uint64_t Block) {
    Kind[begin(Lane, Tick)] = uint8_t(EventKind::Free);
    addReference(Lane, Block);
  }
  void resize(uint32_t Lane, uint64_t Tick, uint64_t Block, uint64_t Size) {
    Kind[begin(Lane, Tick)] = uint8_t(EventKind::Resize);
    addReference(Lane, Block);
    addSize(Size);
  }
  /// Splits the block nextAllocationId() off Block.
  void split(uint32_t Lane, uint64_t Tick, uint64_t Block, uint64_t Size) {
    Kind[begin(Lane, Tick)] = uint8_t(EventKind::Split);
    addReference(Lane, Block);
    addSize(Size);
    ++Next;
  }

  /// An allocation or a free, for append().
  struct FastEvent {
    uint64_t Tick;
    uint64_t SizeOrBlock; ///< of an allocation, of a free
    uint32_t Stack;       ///< of an allocation
    uint16_t Lane;
    bool IsFree;
  };
  /// Appends many events of the heap Heap in half the time of the functions
  /// above. Events must fit the room left. ScopePaths: one for each event,
  /// ignored for frees; null if no event has a scope path.
  void append(llvm::ArrayRef<FastEvent> Events, uint32_t Heap,
              const uint32_t *ScopePaths = nullptr);

private:
  friend class Encoder;

  /// A thread, and the block of its last reference.
  struct Lane {
    uint32_t Thread;
    uint64_t LastBlock;
  };
  /// A value of more than 32 bits, and its index in the column.
  struct WideValue {
    uint32_t At;
    uint64_t Value;
  };
  /// Farther from every allocation id than a near step reaches.
  static constexpr uint64_t NoBlock = uint64_t(1) << 62;

  uint32_t begin(uint32_t Lane, uint64_t Tick) {
    assert(Count < MaxSectionRows && Lane < Lanes.size());
    if (LLVM_UNLIKELY(Count == Capacity))
      grow();
    if (LLVM_UNLIKELY(Count == 0))
      FirstTick = LastTick = Tick;
    assert(Tick >= LastTick && "events out of order");
    uint64_t Step = Tick - LastTick;
    LastTick = Tick;
    if (LLVM_UNLIKELY(Step > UINT32_MAX))
      WideTimes.push_back({Count, Step});
    Time[Count] = uint32_t(Step);
    ThreadOf[Count] = uint8_t(Lane);
    return Count++;
  }
  void addSize(uint64_t Size) {
    if (LLVM_UNLIKELY(Size > UINT32_MAX))
      WideSizes.push_back({Sizes, Size});
    this->Size[Sizes++] = uint32_t(Size);
  }
  /// As ReferenceCoder::encode(), where the codes are documented.
  void addReference(uint32_t Index, uint64_t Block) {
    assert(Block < Next && "reference to a block that does not exist");
    uint64_t Distance = Next - 1 - Block;
    uint32_t Code = codeOf(Lanes[Index], Block, Distance);
    Near[References++] = uint8_t(Code);
    if (LLVM_UNLIKELY(Distance > UINT32_MAX && Code == 255))
      WideFars.push_back({Fars, Distance});
    Far[Fars] = uint32_t(Distance);
    Fars += Code == 255;
  }
  static uint32_t codeOf(Lane &L, uint64_t Block, uint64_t Distance) {
    uint64_t Step = Block - L.LastBlock + 63;
    L.LastBlock = Block;
    // Without a branch: none of the three cases is predictable.
    uint32_t Code = Step <= 126 ? uint32_t(Step) + 128 : 255;
    return Distance < 128 ? uint32_t(Distance) : Code;
  }
  void appendOneByOne(llvm::ArrayRef<FastEvent> Events, uint32_t Heap,
                      const uint32_t *ScopePaths);
  void noteHeaps(llvm::ArrayRef<FastEvent> Events, uint32_t Heap);
  void noteScopePaths(llvm::ArrayRef<FastEvent> Events,
                      const uint32_t *ScopePaths);
  void grow();
  void noteHeap(uint32_t Heap);
  void noteScopePath(uint32_t ScopePath);

  template <class T> using Array = std::unique_ptr<T[]>;
  uint32_t Capacity = 0;
  uint32_t Count = 0, Allocations = 0, Sizes = 0, References = 0, Fars = 0;
  uint64_t FirstAllocationId = 0, Next = 0;
  uint64_t FirstTick = 0, LastTick = 0;
  // Columns with a value for each event.
  Array<uint32_t> Time; ///< since the event before, low part
  Array<uint8_t> Kind, ThreadOf;
  // Columns with values for some events only, in the same order.
  Array<uint32_t> Stack;
  Array<uint32_t> Size; ///< low part
  Array<uint8_t> Near;
  Array<uint32_t> Far; ///< low part
  std::vector<WideValue> WideTimes, WideSizes, WideFars;
  std::vector<Lane> Lanes;
  // Optional columns of allocations. HeapOf is empty while all allocations are
  // of one heap, ScopePathOf while none has a scope path.
  std::vector<uint16_t> HeapOf; ///< in Heaps
  std::vector<uint32_t> ScopePathOf;
  std::vector<uint32_t> Heaps;
  llvm::DenseMap<uint32_t, uint16_t> LocalHeap;
  uint32_t OneHeap = NoHeap; ///< the only heap; NoHeap before it and after it
  uint32_t HasScopePaths = 0;
  static constexpr uint32_t NoHeap = UINT32_MAX;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_EVENTLOG_H
