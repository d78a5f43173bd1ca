// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bursts in a series of kept bytes.

#ifndef MEMKIT_LIB_ANALYSIS_BURSTS_H
#define MEMKIT_LIB_ANALYSIS_BURSTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>

namespace memkit {

/// The number of bursts: runs of bins with kept bytes, with at least one bin
/// without between them. Calls Do for each, with its bytes.
size_t countBursts(llvm::ArrayRef<double> Kept,
                   llvm::function_ref<void(double Bytes)> Do = nullptr);

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_BURSTS_H
