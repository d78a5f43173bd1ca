// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations and frees of a trace.
//
// The rows of Events sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_EVENTS_H
#define MEMKIT_TRACE_EVENTS_H

#include <cstdint>
#include <vector>

namespace memkit {

enum class EventKind : uint8_t {
  Allocate = 0,
  Free = 1,
  /// The block's size becomes Size; stack, scope path and allocation time stay.
  Resize = 2,
  /// The block is split at Size: the block keeps its first Size bytes, and the
  /// remainder becomes a new block (the next allocation id) of the same stack,
  /// scope path, heap and allocation time.
  Split = 3,
};
inline constexpr uint8_t NumEventKinds = 4;

/// Blocks are numbered in each process by their allocation id: from 0, one for
/// each Allocate and Split in time order.
struct Event {
  uint64_t TimeNs = 0; ///< multiple of TimeUnitNs
  uint64_t Size = 0;   ///< Allocate, Resize, Split; 0 for Free
  /// Allocate: the new allocation id; else the id of the named block.
  uint64_t Block = 0;
  uint32_t Stack = 0; ///< Allocate only
  uint32_t ScopePath = 0;
  uint32_t Thread = 0;
  uint16_t Heap = 0; ///< Allocate only
  EventKind Kind = EventKind::Allocate;
  bool operator==(const Event &) const = default;
};
static_assert(sizeof(Event) == 40);

/// The optional columns; each is empty or holds a value for every row of the
/// section (0 in rows other than Allocate).
struct EventColumns {
  std::vector<uint64_t> Address;
  std::vector<uint64_t>
      Enclosing; ///< allocation id + 1 of the enclosing block, 0 none
  std::vector<uint64_t> Requested;
  /// The number of blocks that a sampled block stands for, below 2^32; 0: the
  /// block is not sampled.
  std::vector<uint64_t> Weight;
  std::vector<uint32_t> Stream;
  std::vector<uint32_t> Pool;
  void clear();
  bool operator==(const EventColumns &) const = default;
};

/// Up to MaxSectionRows events of one process in time order, of up to
/// MaxSectionThreads threads. Sections of one epoch overlap in time with each
/// other and with no section of another epoch; epochs rise by file order. The
/// order of all events of a trace is (TimeNs, process, row) within an epoch.
struct Events {
  uint32_t Process = 0;
  uint32_t Epoch = 0;
  uint64_t FirstAllocationId =
      0; ///< of the next block created when this starts
  std::vector<Event> Rows;
  EventColumns Columns;
  bool operator==(const Events &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_EVENTS_H
