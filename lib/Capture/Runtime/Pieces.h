// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions mapped as they fill.
//
// Maps a region of the shared memfd piece by piece. The descriptor is closed
// after set-up, so a further piece comes from the piece before: mremap of a
// shared mapping with an old size of 0 makes a second mapping of the same
// pages, and the second mapping may extend beyond the first. If several threads
// map one piece, one mapping wins. Nothing is unmapped while the process is
// recorded.

#ifndef MEMKIT_CAPTURE_RUNTIME_PIECES_H
#define MEMKIT_CAPTURE_RUNTIME_PIECES_H

#include "Syscall.h"
#include "Wire/Layout.h"

#include <atomic>

namespace memkit::capture {

inline constexpr size_t PageBytes = 4096;

template <typename T, uint32_t MaxPieces> class Pieces {
public:
  static constexpr uint32_t PerPiece = uint32_t(wire::PieceBytes / sizeof(T));
  static_assert(wire::PieceBytes % sizeof(T) == 0);

  /// Maps the first piece. \p Count entries start at \p Offset of \p Fd.
  bool begin(int Fd, uint64_t Offset, uint32_t Count) {
    uint64_t Max = uint64_t(PerPiece) * MaxPieces;
    Limit = Count < Max ? Count : uint32_t(Max);
    void *P = sys::map(wire::PieceBytes, MAP_SHARED, Fd, Offset);
    if (!P)
      return false;
    sys::keepFromFork(P, wire::PieceBytes);
    Piece[0].store(static_cast<T *>(P), std::memory_order_release);
    return true;
  }

  uint32_t limit() const { return Limit; }

  /// The entry, mapped if necessary; null: cannot be mapped.
  T *get(uint32_t Id) {
    if (Id >= Limit)
      return nullptr;
    T *P = Piece[Id / PerPiece].load(std::memory_order_acquire);
    if (__builtin_expect(!P, 0)) {
      P = grow(Id / PerPiece);
      if (!P)
        return nullptr;
    }
    return P + Id % PerPiece;
  }

  /// An entry that get() has returned before.
  T &operator[](uint32_t Id) {
    return Piece[Id / PerPiece].load(std::memory_order_acquire)[Id % PerPiece];
  }

private:
  T *grow(uint32_t Wanted) {
    uint32_t Have = Wanted;
    while (!Piece[Have].load(std::memory_order_acquire)) {
      if (Have == 0)
        return nullptr;
      --Have;
    }
    for (; Have < Wanted; ++Have)
      if (!mapAfter(Have))
        return nullptr;
    return Piece[Wanted].load(std::memory_order_acquire);
  }

  bool mapAfter(uint32_t Index) {
    char *Last =
        reinterpret_cast<char *>(Piece[Index].load(std::memory_order_acquire)) +
        wire::PieceBytes - PageBytes;
    long R = sys::call(SYS_mremap, long(Last), 0, PageBytes + wire::PieceBytes,
                       MREMAP_MAYMOVE);
    if (sys::failed(R))
      return false;
    char *New = reinterpret_cast<char *>(R);
    sys::unmap(New, PageBytes);
    T *Mine = reinterpret_cast<T *>(New + PageBytes);
    sys::keepFromFork(Mine, wire::PieceBytes);
    T *Expected = nullptr;
    if (!Piece[Index + 1].compare_exchange_strong(Expected, Mine,
                                                  std::memory_order_acq_rel))
      sys::unmap(Mine, wire::PieceBytes);
    return true;
  }

  uint32_t Limit = 0;
  std::atomic<T *> Piece[MaxPieces];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_PIECES_H
