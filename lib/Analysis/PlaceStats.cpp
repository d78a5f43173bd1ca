// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by the lines of the user's own code.

#include "memkit/Analysis/PlaceStats.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

std::vector<PlaceStats> statPlaces(const SelectedStats &S, const Places &Of) {
  const Trace &T = S.trace();
  bool Outer = S.selection().isOuterView();
  std::vector<std::vector<PlaceStats>> BySpace(
      T.devices().size() + 1, std::vector<PlaceStats>(Of.size()));
  S.forEach([&](uint32_t, const StackStats &R) {
    const Heap &H = T.heap(R.Heap);
    if (!Outer && H.Flags & HF_OutsideTotals)
      return;
    PlaceStats &P = BySpace[H.Space][Of.of(R.Key)];
    P.PeakBytes += Outer ? R.HeapPeakBytes : R.SpacePeakBytes;
    P.PeakBlocks += Outer ? R.HeapPeakBlocks : R.SpacePeakBlocks;
    P.LiveBytes += Outer ? R.LiveBytes : R.LiveExclusive;
    P.Allocations += R.Allocations;
    P.AllocatedBytes += R.AllocatedBytes;
    P.Temporaries += R.Temporaries;
  });
  std::vector<PlaceStats> Out;
  for (uint32_t Space = 0; Space != BySpace.size(); ++Space)
    for (uint32_t Place = 0; Place != Of.size(); ++Place) {
      PlaceStats &P = BySpace[Space][Place];
      P.Place = Place;
      P.Space = Space;
      if (P.Allocations || P.PeakBytes || P.LiveBytes)
        Out.push_back(P);
    }
  stable_sort(Out, [](const PlaceStats &A, const PlaceStats &B) {
    return std::tie(A.Space, B.PeakBytes) < std::tie(B.Space, A.PeakBytes);
  });
  return Out;
}

} // namespace memkit
