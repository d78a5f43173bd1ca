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
  constexpr uint64_t Asked = 64 << 20;
  for (uint64_t Part = Begin; Part < End; Part += Asked) {
    uint64_t PartEnd = std::min(End, Part + Asked);
    std::vector<uint64_t> Words = Memory.pageMap(
        Part / TargetPage, size_t((PartEnd - Part) / TargetPage));
    for (size_t I = 0; I < Words.size();) {
      size_t From = I;
      while (I < Words.size() && Words[I] >> 62 &&
             (I - From) * TargetPage < MaxRun)
        ++I;
      if (I == From) {
        ++I;
        continue;
      }
      Do(Part + From * TargetPage, (I - From) * TargetPage);
    }
  }
}
