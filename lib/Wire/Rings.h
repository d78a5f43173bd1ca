// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings of records: one writer, the thread that owns the ring; one reader, the
// recorder.
//
// A part of Layout.h, which defines the writer of each field: P the program, R
// the recorder.

#ifndef MEMKIT_LIB_WIRE_RINGS_H
#define MEMKIT_LIB_WIRE_RINGS_H

#include "Record.h"
#include <atomic>

namespace memkit::wire {

inline constexpr uint32_t RingRecords = 8192; ///< 256 KiB
inline constexpr uint64_t RingBytes = uint64_t(RingRecords) * sizeof(Record);

enum class RingState : uint32_t {
  Free = 0,     ///< a thread may claim the ring by compare-and-swap to Owned
  Owned = 1,    ///< the owning thread writes
  Released = 2, ///< P: the owning thread has ended; R sets Free after draining
};

/// Positions count records from the memfd's start and never wrap, also when
/// owners change. The index of a record is position % RingRecords.
struct alignas(64) RingHeader {
  // The cache line of the writer.
  std::atomic<uint64_t> Head; ///< P: records published; store-release
  std::atomic<uint32_t> State;
  std::atomic<uint32_t> Tid;  ///< P: owner
  std::atomic<uint64_t> Lost; ///< P: records dropped because the ring was full
  uint64_t Pad0[5];
  // The cache line of the reader.
  std::atomic<uint64_t> Tail; ///< R: records consumed; store-release
  uint64_t Pad1[7];
};
static_assert(sizeof(RingHeader) == 128);

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_RINGS_H
