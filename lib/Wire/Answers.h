// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions of a program to the recorder, and the answers.
//
// The slots of Ask and DeviceAsk. A part of Layout.h, which defines the writer
// of each field.

#ifndef MEMKIT_LIB_WIRE_ANSWERS_H
#define MEMKIT_LIB_WIRE_ANSWERS_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// A heap of the process in an interval, as in memkit.h.
struct HeapReply {
  char Name[40]; ///< ends with NUL
  uint64_t Allocations, Frees, AllocatedBytes, FreedBytes;
  uint64_t Before, Peak, After; ///< live bytes
};
static_assert(sizeof(HeapReply) == 96);
inline constexpr uint32_t MaxReplyHeaps = 24;

/// The memory reserved by a heap's allocator in the interval.
struct ReservedReply {
  uint64_t IsKnown; ///< 0: the other fields have no meaning
  uint64_t Reserved, Peak, Active;
};

struct Reply {
  uint64_t DurationNs;
  uint32_t NumHeaps; ///< more than MaxReplyHeaps: no such scope exists
  uint32_t Pad;
  HeapReply Total; ///< of the memory space `host`
  HeapReply Heaps[MaxReplyHeaps];
  ReservedReply Reserved[MaxReplyHeaps]; ///< as Heaps
  /// As Heaps: in use when most was reserved.
  uint64_t ActiveAtPeak[MaxReplyHeaps];
};

/// The states of a slot. A thread takes a free slot by compare-and-swap to
/// Asked and publishes an Ask record with its ticket. R writes the answer, sets
/// Answered by compare-and-swap, and wakes the waiter on State (a futex); P
/// then sets Free. A thread that gives up sets Abandoned; R then sets Free.
enum class ReplyPhase : uint32_t {
  Free = 0,
  Asked = 1,
  Answered = 2,
  Abandoned = 3,
};
struct ReplySlot {
  std::atomic<uint32_t> State; ///< ticket << 2 | ReplyPhase; 0: free
  uint32_t Pad;
  Reply Answer;
};
inline constexpr uint32_t NumReplySlots = 8;
inline constexpr uint32_t replyState(uint32_t Ticket, ReplyPhase P) {
  return Ticket << 2 | uint32_t(P);
}

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_ANSWERS_H
