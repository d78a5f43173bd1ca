// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which heaps add up to a memory space.

#ifndef MEMKIT_LIB_VIEW_COUNTEDHEAPS_H
#define MEMKIT_LIB_VIEW_COUNTEDHEAPS_H

#include "memkit/Model/Trace.h"
#include "llvm/ADT/BitVector.h"

namespace memkit {

/// The heaps of a memory space whose bytes are counted, so that a byte counts
/// once; or the only heap that was chosen.
class CountedHeaps {
public:
  CountedHeaps(const Trace &T, uint32_t Space, uint32_t Only)
      : Is(T.heaps().size() + 1) {
    for (uint32_t Id = 1; Id < Is.size(); ++Id) {
      const Heap &H = T.heap(Id);
      Is[Id] =
          Only ? Id == Only : H.Space == Space && !(H.Flags & HF_OutsideTotals);
      Outer.push_back(Is[Id] && !Only && isInside(T, H, Space) ? H.Parent : 0);
    }
  }
  const llvm::BitVector &all() const { return Is; }
  /// The heap counts by itself.
  bool isOutermost(uint32_t Heap) const { return Is[Heap] && !Outer[Heap - 1]; }
  bool counts(uint32_t Heap) const { return Is[Heap]; }
  /// The heap around a heap; 0: none.
  uint32_t outerOf(uint32_t Heap) const { return Outer[Heap - 1]; }

private:
  /// An outer heap that was not recorded holds nothing.
  static bool isInside(const Trace &T, const Heap &H, uint32_t Space) {
    return H.Parent && T.heap(H.Parent).Space == Space &&
           !(T.heap(H.Parent).Flags & HF_OutsideTotals) &&
           T.heapStats(H.Parent).PeakBytes;
  }
  llvm::BitVector Is;
  std::vector<uint32_t> Outer;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_COUNTEDHEAPS_H
