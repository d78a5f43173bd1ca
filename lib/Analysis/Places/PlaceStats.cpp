// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by the lines of the user's own code.

#include "memkit/Analysis/PlaceStats.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

std::vector<PlaceStats> statPlaces(const SelectedStats &S, const Places &Of) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  // A trace may have many memory spaces, and many places in few of them.
  std::map<std::pair<uint32_t, uint32_t>, PlaceStats> All;
  S.forEach([&](uint32_t, const StackStats &R) {
    const Heap &H = T.heap(R.Heap);
    if (!Outer && H.Flags & HF_OutsideTotals)
      return;
    PlaceStats &P = All[{H.Space, Of.of(R.Key)}];
    P.PeakBytes += Outer ? R.HeapPeakBytes : R.SpacePeakBytes;
    P.PeakBlocks += Outer ? R.HeapPeakBlocks : R.SpacePeakBlocks;
    P.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
    P.Allocations += R.Allocations;
    P.AllocatedBytes += R.AllocatedBytes;
    P.Temporaries += R.Temporaries;
  });
  std::vector<PlaceStats> Out;
  for (auto &[Key, P] : All) {
    std::tie(P.Space, P.Place) = Key;
    if (P.Allocations || P.PeakBytes || P.LiveBytes)
      Out.push_back(P);
  }
  stable_sort(Out, [](const PlaceStats &A, const PlaceStats &B) {
    return std::tie(A.Space, B.PeakBytes) < std::tie(B.Space, A.PeakBytes);
  });
  return Out;
}

} // namespace memkit
