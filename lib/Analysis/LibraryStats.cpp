// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which libraries hold a device's memory.

#include "memkit/Analysis/LibraryStats.h"
#include "memkit/Model/Libraries.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

static bool isOfDevices(const Trace &T, uint32_t Heap) {
  return T.heap(Heap).Space != 0 || T.heapName(Heap).starts_with("cuda.");
}

std::vector<LibraryStats> statLibraries(const SelectedStats &S) {
  const Trace &T = S.trace();
  bool HasAny = false;
  for (uint32_t Heap = 1; Heap <= T.heaps().size(); ++Heap)
    HasAny |= isOfDevices(T, Heap);
  if (!HasAny)
    return {};
  Libraries Of(T);
  std::map<std::pair<uint32_t, uint32_t>, LibraryStats> Found;
  S.forEach([&](uint32_t, const StackStats &R) {
    if (!isOfDevices(T, R.Heap))
      return;
    LibraryStats &O = Found[{R.Heap, Of.of(R.Key)}];
    O.Allocations += R.Allocations;
    O.AllocatedBytes += R.AllocatedBytes;
    O.PeakBlocks += R.HeapPeakBlocks;
    O.PeakBytes += R.HeapPeakBytes;
    O.LiveBlocks += R.LiveBlocks;
    O.LiveBytes += R.LiveBytes;
  });
  std::vector<LibraryStats> Out;
  for (auto &[Key, O] : Found) {
    O.Heap = Key.first;
    O.Name = Of.name(Key.second);
    Out.push_back(O);
  }
  llvm::sort(Out, [](const LibraryStats &A, const LibraryStats &B) {
    return std::tie(A.Heap, B.PeakBytes, B.LiveBytes, A.Name) <
           std::tie(B.Heap, A.PeakBytes, A.LiveBytes, B.Name);
  });
  return Out;
}

} // namespace memkit
