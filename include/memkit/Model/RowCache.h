//===- RowCache.h - From a stack to its row, quickly ------------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_MODEL_ROWCACHE_H
#define MEMKIT_MODEL_ROWCACHE_H

#include "llvm/Support/Compiler.h"
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace memkit {

/// Remembers for each stack (or context) of an image the row of the heap that
/// it was last seen with. 8 bytes a stack, in pages of those that the image
/// uses.
class RowCache {
public:
  /// The row of (Key, Heap), or 0 when it is not remembered.
  uint32_t find(uint32_t Key, uint32_t Heap) const {
    size_t Page = Key >> PageBits;
    if (Page >= Pages.size() || !Pages[Page])
      return 0;
    const Slot &S = (*Pages[Page])[Key & (PageSlots - 1)];
    return S.Heap == Heap ? S.Row : 0;
  }
  void set(uint32_t Key, uint32_t Heap, uint32_t Row) {
    size_t Page = Key >> PageBits;
    if (Page >= Pages.size())
      Pages.resize(Page + 1);
    if (!Pages[Page])
      Pages[Page] = std::make_unique<std::array<Slot, PageSlots>>();
    (*Pages[Page])[Key & (PageSlots - 1)] = {Row, Heap};
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint32_t Key) const {
    size_t Page = Key >> PageBits;
    if (Page < Pages.size() && Pages[Page])
      __builtin_prefetch(&(*Pages[Page])[Key & (PageSlots - 1)]);
  }
  void clear() {
    Pages.clear();
    Pages.shrink_to_fit();
  }

private:
  static constexpr unsigned PageBits = 8;
  static constexpr size_t PageSlots = size_t(1) << PageBits;
  struct Slot {
    uint32_t Row = 0;
    uint32_t Heap = 0;
  };
  std::vector<std::unique_ptr<std::array<Slot, PageSlots>>> Pages;
};

} // namespace memkit

#endif // MEMKIT_MODEL_ROWCACHE_H
