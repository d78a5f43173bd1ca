// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of blocks of PyTorch's caching allocator.

#include "TorchSizes.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

static constexpr uint64_t MinBlock = 512;
/// The first power of two with divisions of its own: 1 MiB.
static constexpr unsigned FirstPower = 20;

uint64_t TorchSizes::rounded(uint64_t Requested) const {
  if (Requested <= MinBlock)
    return MinBlock;
  // No block is near the end of the address space: no sum below wraps.
  if (Requested >> 60)
    return Requested;
  unsigned Power = Log2_64(Requested);
  unsigned Index = Power > FirstPower ? Power - FirstPower : 0;
  uint64_t Parts =
      Set.Divisions[std::min<size_t>(Index, Set.Divisions.size() - 1)];
  if (Parts <= 1 || Parts >= divideCeil(Requested, MinBlock))
    return alignTo(Requested, MinBlock);
  // A power of two is divided in steps of a power of two.
  uint64_t Floor = uint64_t(1) << Power, Step = Floor >> Log2_64(Parts);
  return alignTo(Requested, Step);
}

uint64_t TorchSizes::inFree(uint64_t Requested, uint64_t Free) const {
  uint64_t Size = rounded(Requested);
  if (Size <= SmallRequest || Free < Size)
    return Size;
  bool IsCut = Size < Set.MaxSplit && Free - Size > SmallRequest;
  return IsCut ? Size : Free;
}
