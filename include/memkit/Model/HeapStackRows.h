// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense numbers for pairs of a heap and a stack.

#ifndef MEMKIT_MODEL_HEAPSTACKROWS_H
#define MEMKIT_MODEL_HEAPSTACKROWS_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <vector>

namespace memkit {

/// Numbers from 1, in the order of first use. Memory: 8 bytes a pair, 4 bytes a
/// stack, and 24 bytes for each further heap of a stack. Belongs to one thread.
class HeapStackRows {
public:
  uint32_t row(uint32_t Heap, uint32_t Stack) {
    if (Stack >= FirstOf.size())
      FirstOf.resize(Stack + size_t(1));
    uint32_t &First = FirstOf[Stack];
    if (First && Rows[First].Heap == Heap)
      return First;
    if (!First)
      return First = add(Heap, Stack);
    auto [At, New] = Others.try_emplace({Heap, Stack}, 0);
    if (New)
      At->second = add(Heap, Stack);
    return At->second;
  }
  uint32_t heapOf(uint32_t Row) const { return Rows[Row].Heap; }
  uint32_t stackOf(uint32_t Row) const { return Rows[Row].Stack; }

private:
  struct StackInHeap {
    uint32_t Heap = 0, Stack = 0;
  };
  uint32_t add(uint32_t Heap, uint32_t Stack) {
    Rows.push_back({Heap, Stack});
    return static_cast<uint32_t>(Rows.size() - 1);
  }
  std::vector<StackInHeap> Rows{StackInHeap()};
  std::vector<uint32_t> FirstOf; ///< by stack: the row of its first heap
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Others;
};

} // namespace memkit

#endif // MEMKIT_MODEL_HEAPSTACKROWS_H
