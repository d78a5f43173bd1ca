// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writing side of a ring.
//
// The writer is one thread, and the signal handlers that interrupt the thread.
// One release store publishes a record. If a handler runs between the
// reservation and the publication of a record, the handler's records take later
// places and are published together with that record.
//
// Room is counted with a margin: records that must not fail (the end of a
// realloc, the end of a thread, a handler's records) may use the margin, other
// records must not.

#ifndef MEMKIT_CAPTURE_RUNTIME_RINGWRITER_H
#define MEMKIT_CAPTURE_RUNTIME_RINGWRITER_H

#include "Wire/Layout.h"

#include <x86intrin.h>

namespace memkit::capture {

/// Stops the compiler from moving memory accesses across the fence; sufficient
/// between a thread and its own signal handlers.
inline void signalFence() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

class RingWriter {
public:
  static constexpr uint64_t Margin = 64;

  void attach(wire::RingHeader *H, wire::Record *R) {
    Header = H;
    Records = R;
    Next = H->Head.load(std::memory_order_relaxed);
    Nesting = 0;
    refresh();
  }

  wire::RingHeader *header() const { return Header; }

  /// Is there room for a record outside the margin?
  bool hasRoom() const { return Next < Limit; }

  /// Is there room within the margin, with \p Kept places left?
  bool hasMargin(uint64_t Kept) const { return Next < Limit + Margin - Kept; }

  /// Is a record reserved and not published? Then the caller is a handler.
  bool isNested() const { return Nesting != 0; }

  /// Reads the reader's position.
  void refresh() {
    uint64_t Tail = Header->Tail.load(std::memory_order_acquire);
    uint64_t Max = Next; // A tail ahead of Next is a broken reader's.
    Limit = (Tail < Max ? Tail : Max) + wire::RingRecords - Margin;
  }

  void drop() {
    Header->Lost.store(Header->Lost.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
  }

  /// The way to read the processor's clock.
  enum class ClockRead {
    /// Not before earlier loads: the order in which events happen in all
    /// threads.
    Ordered,
    /// As early as the processor can, by about 0.1 µs at most. The free of a
    /// block by a thread that has just been handed the block may have an
    /// earlier time than the allocation (seen: twice in ten million
    /// hand-overs), and the reader has to correct the order by the address.
    /// Saves 13 ns.
    Early,
  };

  /// Writes and publishes a typed record. The caller has checked the room.
  template <class T>
  void write(const T &What, ClockRead When = ClockRead::Ordered) {
    writeEncoded(wire::encode(What), When);
  }
  /// Writes and publishes an encoded record; ignores its time.
  void writeEncoded(const wire::Record &What,
                    ClockRead When = ClockRead::Ordered) {
    bool Outermost = Nesting == 0;
    Nesting = 1;
    signalFence();
    uint64_t Position = reserve();
    wire::Record &R = Records[Position % wire::RingRecords];
    R.Tsc = read(When);
    R.Address = What.Address;
    R.SizeKindFunction = What.SizeKindFunction;
    R.Stack = What.Stack;
    R.Extra = What.Extra;
    signalFence();
    if (Outermost)
      publish();
  }

private:
  static uint64_t read(ClockRead When) {
    if (__builtin_expect(When == ClockRead::Ordered, 0))
      _mm_lfence();
    return __rdtsc();
  }

  /// One instruction, so that a handler's place is before or after.
  uint64_t reserve() {
    uint64_t One = 1;
    asm volatile("xaddq %0, %1" : "+r"(One), "+m"(Next) : : "memory", "cc");
    return One;
  }

  void publish() {
    for (;;) {
      uint64_t Upto = Next;
      Header->Head.store(Upto, std::memory_order_release);
      signalFence();
      Nesting = 0;
      signalFence();
      // A handler that ran before Nesting was 0 has left its records to this
      // loop.
      if (__builtin_expect(Next == Upto, 1))
        return;
      Nesting = 1;
      signalFence();
    }
  }

  wire::RingHeader *Header;
  wire::Record *Records;
  uint64_t Next;  ///< position of the next record to reserve
  uint64_t Limit; ///< positions from here on are in the margin
  uint32_t Nesting;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_RINGWRITER_H
