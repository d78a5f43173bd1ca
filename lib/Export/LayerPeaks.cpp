// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The highest live bytes of tensors in each call of a layer.

#include "LayerPeaks.h"
#include "memkit/Model/BlockCategories.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

LayerPeaks::LayerPeaks(const Trace &T, uint32_t Process) : Process(Process) {
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    if (isTensorHeap(T, Heap))
      Heaps.push_back({Heap, T.heap(Heap).Space});
}

void LayerPeaks::begin(uint32_t Thread, uint32_t Depth, const LiveStats &Now) {
  OpenCall &New = Opens.emplace_back(OpenCall{Thread, Depth, {}});
  for (auto [Heap, Space] : Heaps)
    New.Highest.push_back(Now.liveBytesOf(Process, Heap));
}

LayerPeaks::SpacePeaks LayerPeaks::end(uint32_t Thread, uint32_t Depth) {
  size_t At = Opens.size();
  while (At && (Opens[At - 1].Thread != Thread || Opens[At - 1].Depth != Depth))
    --At;
  SpacePeaks Out;
  if (!At)
    return Out;
  --At;
  for (size_t I = 0; I != Heaps.size(); ++I) {
    uint64_t Highest = 0;
    for (size_t Of = At; Of != Opens.size(); ++Of)
      Highest = std::max(Highest, Opens[Of].Highest[I]);
    if (Highest)
      Out.push_back({Heaps[I].second, Highest});
    if (At)
      Opens[At - 1].Highest[I] =
          std::max(Opens[At - 1].Highest[I], Opens[At].Highest[I]);
  }
  Opens.erase(Opens.begin() + ptrdiff_t(At));
  return Out;
}

void LayerPeaks::event(const ReplayedEvent &E, const LiveStats &Now) {
  if (Opens.empty() || E.Kind == EventKind::Free)
    return;
  for (size_t I = 0; I != Heaps.size(); ++I)
    if (Heaps[I].first == E.Heap)
      Opens.back().Highest[I] =
          std::max(Opens.back().Highest[I], Now.liveBytesOf(Process, E.Heap));
}

} // namespace memkit
