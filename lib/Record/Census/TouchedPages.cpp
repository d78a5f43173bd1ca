// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages of a program that runs have been touched.

#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

void memkit::forEachTouched(const TargetMemory &Memory, uint64_t Begin,
                            uint64_t End,
                            function_ref<void(uint64_t, uint64_t)> Do) {
  while (Begin < End) {
    uint64_t Next = End;
    for (auto [At, Bytes] : Memory.touched(Begin, End, Next))
      for (uint64_t From = At, To; From < At + Bytes; From = To) {
        To = std::min(At + Bytes, (From / MaxRun + 1) * MaxRun);
        Do(From, To - From);
      }
    if (Next <= Begin)
      return;
    Begin = Next;
  }
}

void memkit::joinRanges(std::vector<std::pair<uint64_t, uint64_t>> &Ranges) {
  llvm::sort(Ranges);
  size_t Kept = 0;
  for (auto R : Ranges)
    if (Kept && R.first <= Ranges[Kept - 1].second)
      Ranges[Kept - 1].second = std::max(Ranges[Kept - 1].second, R.second);
    else
      Ranges[Kept++] = R;
  Ranges.resize(Kept);
}

void memkit::forEachBeside(ArrayRef<std::pair<uint64_t, uint64_t>> Ranges,
                           uint64_t Begin, uint64_t End,
                           function_ref<void(uint64_t, uint64_t)> Do) {
  const auto *R =
      partition_point(Ranges, [=](auto &R) { return R.second <= Begin; });
  for (uint64_t At = Begin; At < End; ++R) {
    uint64_t To = R == Ranges.end() ? End : std::min(End, R->first);
    if (At < To)
      Do(At, To);
    if (R == Ranges.end())
      return;
    At = R->second;
  }
}
