// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writing side of a ring.
//
// The writing side of a ring: one thread, and the signal handlers that
// interrupt it. A record is published by one release store; records of a
// handler that comes between another record's reservation and its publication
// take later places and are published with it.
//
// Room is counted with a margin: what must not fail (the end of a realloc, the
// end of a thread, a handler's records) may use the margin, all else stays
// below it.

#ifndef MEMKIT_CAPTURE_RUNTIME_RINGWRITER_H
#define MEMKIT_CAPTURE_RUNTIME_RINGWRITER_H

#include "Wire/Layout.h"

#include <x86intrin.h>

namespace memkit::capture {

/// Keeps the compiler from moving memory accesses over it; enough between a
/// thread and its own signal handlers.
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

  /// Is there room for a record, the margin left alone?
  bool hasRoom() const { return Next < Limit; }

  /// Is there room within the margin, \p Kept places of it left?
  bool hasMargin(uint64_t Kept) const { return Next < Limit + Margin - Kept; }

  /// True while a record is reserved and not published: this is a handler.
  bool isNested() const { return Nesting != 0; }

  /// Looks how far the reader has come.
  void refresh() {
    uint64_t Tail = Header->Tail.load(std::memory_order_acquire);
    uint64_t Max = Next; // A reader ahead of the writer is a broken one.
    Limit = (Tail < Max ? Tail : Max) + wire::RingRecords - Margin;
  }

  void drop() {
    Header->Lost.store(Header->Lost.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);
  }

  /// How the processor's clock is read.
  enum class Clock {
    /// Not before the loads that stand before it: in the order in which things
    /// happen in all threads.
    Ordered,
    /// As early as the processor can: some 0.1 µs at most. A thread that has
    /// just
    /// been handed a block may free it at a time before that of its allocation
    /// (seen: twice in ten million hand-overs), and the reader has to put that
    /// right by the address. 13 ns less.
    Early,
  };

  /// Writes and publishes a typed record. The caller has seen that there is
  /// room.
  template <class T> void write(const T &What, Clock When = Clock::Ordered) {
    writeEncoded(wire::encode(What), When);
  }
  /// The same of a record that is encoded already; its time is not used.
  void writeEncoded(const wire::Record &What, Clock When = Clock::Ordered) {
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
  static uint64_t read(Clock When) {
    if (__builtin_expect(When == Clock::Ordered, 0))
      _mm_lfence();
    return __rdtsc();
  }

  /// One instruction, so that a handler takes its place before or after.
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
      // A handler that came before Nesting fell left its records to us.
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
