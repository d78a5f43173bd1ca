// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bursts in a series of kept bytes.

#include "Bursts.h"

using namespace llvm;

namespace memkit {

size_t countBursts(ArrayRef<double> Kept, function_ref<void(double)> Do) {
  size_t Bursts = 0;
  double Bytes = 0;
  for (size_t I = 0; I <= Kept.size(); ++I) {
    if (I != Kept.size() && Kept[I] > 0) {
      Bytes += Kept[I];
    } else if (Bytes > 0) {
      Bursts += 1;
      if (Do)
        Do(Bytes);
      Bytes = 0;
    }
  }
  return Bursts;
}

} // namespace memkit
