// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The private memory of a recorded process that is not malloc's.
//
// Samples of the parts of resident memory are rare, samples of resident memory
// are not. Between two samples of the parts each other part changes as far as
// something that is known at all times has changed:
//  - mappings and Python's arenas: the live bytes of recorded mappings;
//  - memory of binaries, which the dynamic linker writes to: the resident
//    memory of files;
//  - memrec's own memory: the time.

#ifndef MEMKIT_LIB_SIMULATE_OTHERMEMORY_H
#define MEMKIT_LIB_SIMULATE_OTHERMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <vector>

namespace memkit {

/// Bytes at a time.
struct MemorySample {
  uint64_t TimeNs = 0;
  uint64_t Private = 0;   ///< resident
  uint64_t Files = 0;     ///< resident, of files and shared memory
  uint64_t OtherLive = 0; ///< of recorded blocks outside of malloc's
};

/// Resident bytes of the parts at a time.
struct PartsSample {
  uint64_t TimeNs = 0, Malloc = 0, Mapped = 0, Recorder = 0;
};

class OtherMemory {
public:
  /// Both by rising time; Rss is not empty.
  OtherMemory(llvm::ArrayRef<MemorySample> Rss,
              llvm::ArrayRef<PartsSample> Parts);
  /// What is not malloc's. Outside of the samples of parts it does not change.
  uint64_t bytesAt(const MemorySample &At) const;

private:
  enum OtherPart { Mapped, Binaries, Recorder, NumOtherParts };
  /// By part: the bytes, and what tells how far the part has changed.
  struct OtherPoint {
    uint64_t TimeNs = 0;
    std::array<uint64_t, NumOtherParts> Bytes, Progress;
  };
  static std::array<uint64_t, NumOtherParts> progressOf(const MemorySample &S);

  std::vector<OtherPoint> Points;
};

/// The values at a time, between the samples before and after; at the ends
/// those of the first or the last. Of: not empty, by rising time.
MemorySample memoryAt(llvm::ArrayRef<MemorySample> Of, uint64_t TimeNs);

} // namespace memkit

#endif // MEMKIT_LIB_SIMULATE_OTHERMEMORY_H
