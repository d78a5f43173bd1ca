// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program asks of the recorder.
//
// The slots of Ask and DeviceAsk. A part of Layout.h, which says who writes
// what.

#ifndef MEMKIT_LIB_WIRE_ANSWERS_H
#define MEMKIT_LIB_WIRE_ANSWERS_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// A heap of the process in a span of time, as memkit.h has it.
struct HeapReply {
  char Name[40]; ///< ends with NUL
  uint64_t Allocations, Frees, AllocatedBytes, FreedBytes;
  uint64_t Before, Peak, After; ///< live bytes
};
static_assert(sizeof(HeapReply) == 96);
inline constexpr uint32_t MaxReplyHeaps = 24;

/// What a heap's allocator reserves, in the same span.
struct ReservedReply {
  uint64_t IsKnown; ///< 0: nothing else here says anything
  uint64_t Reserved, Peak, Active;
};

struct Reply {
  uint64_t DurationNs;
  uint32_t NumHeaps; ///< more than MaxReplyHeaps: there is no such scope
  uint32_t Pad;
  HeapReply Total; ///< of the memory space `host`
  HeapReply Heaps[MaxReplyHeaps];
  ReservedReply Reserved[MaxReplyHeaps]; ///< as Heaps
};

/// A thread takes a free slot by compare-and-swap to Asked, and publishes an
/// Ask record with its ticket. R writes the answer and makes it Answered, by
/// compare-and-swap, and wakes who waits on State (a futex); P makes it free.
/// A thread that gives up makes it Abandoned; then R makes it free.
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
