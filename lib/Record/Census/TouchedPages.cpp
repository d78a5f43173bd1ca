// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pages of a program that runs have been touched.

#include "Census/TouchedPages.h"
#include "Census/Words.h"
#include <algorithm>

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
