// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mappings of one recording.
//
// The memory that the library maps for a process, not for a thread: it belongs
// to the recording, and goes when the program is recorded no longer.

#ifndef MEMKIT_CAPTURE_RUNTIME_OWNMAPS_H
#define MEMKIT_CAPTURE_RUNTIME_OWNMAPS_H

#include "Pieces.h"

namespace memkit::capture {

/// Zeros at the start, and in a child of fork, which has none of the mappings.
/// Any thread.
class alignas(PageBytes) OwnMaps {
public:
  /// \p P is mapped for the recording. Beyond MaxMaps, mappings stay for ever.
  void add(void *P, size_t Bytes) {
    for (OwnMapping &M : Maps) {
      uintptr_t Free = 0;
      if (M.At.compare_exchange_strong(Free, uintptr_t(P),
                                       std::memory_order_acq_rel)) {
        M.Bytes.store(Bytes, std::memory_order_release);
        return;
      }
    }
  }
  /// \p P is about to be unmapped.
  void drop(void *P) {
    for (OwnMapping &M : Maps)
      if (M.At.load(std::memory_order_acquire) == uintptr_t(P)) {
        M.Bytes.store(0, std::memory_order_relaxed);
        M.At.store(0, std::memory_order_release);
        return;
      }
  }
  /// Unmaps all. No thread uses the memory.
  void unmapAll() {
    for (OwnMapping &M : Maps)
      if (uintptr_t At = M.At.exchange(0))
        sys::call(SYS_munmap, long(At), long(M.Bytes.exchange(0)));
  }

private:
  struct OwnMapping {
    std::atomic<uintptr_t> At;
    std::atomic<size_t> Bytes;
  };
  static constexpr size_t MaxMaps = 2048;
  OwnMapping Maps[MaxMaps];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_OWNMAPS_H
