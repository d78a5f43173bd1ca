//===- RowCache.h - From a stack to its row, quickly ------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_MODEL_ROWCACHE_H
#define MEMKIT_MODEL_ROWCACHE_H

#include <array>
#include <cstdint>
#include <vector>

namespace memkit {

/// Remembers for each stack (or context) of an image the row of the heap that
/// it was last seen with. 8 bytes a stack, in pages of those that the image
/// uses.
class RowCache {
public:
  /// Keys: the highest key that will be asked for.
  explicit RowCache(uint32_t Keys)
      : Pages((Keys >> PageBits) + size_t(1), &Empty) {}
  ~RowCache() { clear(); }
  RowCache(const RowCache &) = delete;
  RowCache &operator=(const RowCache &) = delete;

  /// The row of (Key, Heap), or 0 when it is not remembered.
  uint32_t find(uint32_t Key, uint32_t Heap) const {
    const Slot &S = (*Pages[Key >> PageBits])[Key & (PageSlots - 1)];
    return S.Heap == Heap ? S.Row : 0;
  }
  void set(uint32_t Key, uint32_t Heap, uint32_t Row) {
    const Page *&P = Pages[Key >> PageBits];
    if (P == &Empty)
      P = new Page();
    (*const_cast<Page *>(P))[Key & (PageSlots - 1)] = {Row, Heap};
  }
  /// Where the row of Key with the heap it was last seen with is remembered.
  const uint32_t *peek(uint32_t Key) const {
    return &(*Pages[Key >> PageBits])[Key & (PageSlots - 1)].Row;
  }
  void clear() {
    for (const Page *&P : Pages) {
      if (P != &Empty)
        delete P;
      P = &Empty;
    }
  }

private:
  static constexpr unsigned PageBits = 8;
  static constexpr size_t PageSlots = size_t(1) << PageBits;
  struct Slot {
    uint32_t Row;
    uint32_t Heap;
  };
  using Page = std::array<Slot, PageSlots>;
  static inline const Page Empty{};
  std::vector<const Page *> Pages;
};

} // namespace memkit

#endif // MEMKIT_MODEL_ROWCACHE_H
