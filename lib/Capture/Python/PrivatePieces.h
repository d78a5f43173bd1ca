// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table in private memory.

#ifndef MEMKIT_CAPTURE_PYTHON_PRIVATEPIECES_H
#define MEMKIT_CAPTURE_PYTHON_PRIVATEPIECES_H

#include "Runtime/Syscall.h"

#include <atomic>

namespace memkit::capture {

/// Zeroed entries, mapped on demand, 65,536 at a time. Any thread, any signal
/// handler. A child of fork does not inherit the memory.
template <typename T, uint32_t MaxPieces> class PrivatePieces {
public:
  /// Null: no memory.
  T *get(uint32_t Id) {
    if (Id / PerPiece >= MaxPieces)
      return nullptr;
    std::atomic<T *> &P = Pieces[Id / PerPiece];
    T *Is = P.load(std::memory_order_acquire);
    if (__builtin_expect(!Is, 0)) {
      auto *Mine = static_cast<T *>(sys::mapPrivate(PerPiece * sizeof(T)));
      if (!Mine)
        return nullptr;
      if (P.compare_exchange_strong(Is, Mine, std::memory_order_acq_rel))
        Is = Mine;
      else
        sys::unmap(Mine, PerPiece * sizeof(T));
    }
    return Is + Id % PerPiece;
  }

private:
  static constexpr uint32_t PerPiece = 1u << 16;
  std::atomic<T *> Pieces[MaxPieces];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PRIVATEPIECES_H
