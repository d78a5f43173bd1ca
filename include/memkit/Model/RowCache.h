// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fast map from a stack to its row.

#ifndef MEMKIT_MODEL_ROWCACHE_H
#define MEMKIT_MODEL_ROWCACHE_H

#include "llvm/Support/Compiler.h"
#include "llvm/Support/MemAlloc.h"
#include <cstdint>
#include <cstdlib>

namespace memkit {

/// Remembers one row for each stack (or scope path) of a process: the row of
/// the stack's last heap. 8 bytes a key, in pages that start as zeros: only
/// pages with used keys take memory.
class RowCache {
public:
  /// Keys: the highest key of later calls.
  explicit RowCache(uint32_t Keys) : Keys(Keys) {}
  ~RowCache() { clear(); }
  RowCache(const RowCache &) = delete;
  RowCache &operator=(const RowCache &) = delete;

  /// The row of (Key, Heap), or 0 when not remembered.
  uint32_t find(uint32_t Key, uint32_t Heap) const {
    const CachedRow &S = Slots[Key];
    return S.Heap == Heap ? S.Row : 0;
  }
  /// Whether no heap's row of Key is remembered.
  bool isEmpty(uint32_t Key) const { return Slots[Key].Row == 0; }
  void set(uint32_t Key, uint32_t Heap, uint32_t Row) {
    Slots[Key] = {Row, Heap};
  }
  LLVM_ATTRIBUTE_ALWAYS_INLINE void prefetch(uint32_t Key) const {
    __builtin_prefetch(&Slots[Key]);
  }
  /// Call before the first find() and after clear().
  void open() {
    if (!Slots)
      Slots = static_cast<CachedRow *>(
          llvm::safe_calloc(Keys + size_t(1), sizeof(CachedRow)));
  }
  void clear() {
    std::free(Slots);
    Slots = nullptr;
  }

private:
  struct CachedRow {
    uint32_t Row;
    uint32_t Heap;
  };
  uint32_t Keys;
  CachedRow *Slots = nullptr;
};

} // namespace memkit

#endif // MEMKIT_MODEL_ROWCACHE_H
