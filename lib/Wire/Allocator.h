// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's allocator says of itself when the process exits.
//
// A part of Layout.h, which defines the writer of each field.

#ifndef MEMKIT_LIB_WIRE_ALLOCATOR_H
#define MEMKIT_LIB_WIRE_ALLOCATOR_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// The allocator that serves malloc.
enum class ServingKind : uint32_t {
  NotAsked = 0,
  Glibc = 1,    ///< malloc_info
  Jemalloc = 2, ///< mallctl, `stats.*`
  Tcmalloc = 3, ///< MallocExtension, of gperftools
  Mimalloc = 4, ///< mi_process_info
  Unknown = 5,  ///< another one, or it refuses
};
inline constexpr uint32_t NumServingKinds = 6;

/// Bytes; NotSaid: the allocator does not say.
struct AllocatorFigures {
  static constexpr uint64_t NotSaid = ~uint64_t(0);
  uint64_t InUse = NotSaid;    ///< blocks that the program has
  uint64_t Free = NotSaid;     ///< of Reserved, for later requests
  uint64_t Apart = NotSaid;    ///< blocks with a mapping of their own
  uint64_t Reserved = NotSaid; ///< from the system, without Apart
};

/// An arena of glibc: the main one first.
struct ArenaFigures {
  uint64_t InUse, Free;
};
inline constexpr uint32_t MaxArenaFigures = 64;

struct AllocatorReport {
  std::atomic<uint32_t> Kind; ///< ServingKind; written last
  uint32_t NumArenas;         ///< may be above MaxArenaFigures
  char Version[32];           ///< ends with NUL; empty: not known
  AllocatorFigures All;
  ArenaFigures Arenas[MaxArenaFigures];
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_ALLOCATOR_H
