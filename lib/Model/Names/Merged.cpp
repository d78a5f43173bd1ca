// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a header says about merged traces.

#include "memkit/Model/Merged.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

uint64_t numMerged(const Header &H) {
  for (StringRef Option : H.Options) {
    uint64_t Count = 0;
    if (Option.consume_front(MergedOption) && !Option.getAsInteger(10, Count))
      return Count;
  }
  return 0;
}

bool hasSummedPeaks(const Header &H) {
  return is_contained(H.Options, SummedPeaksOption);
}

} // namespace memkit
