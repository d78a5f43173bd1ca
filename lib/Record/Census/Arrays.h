// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of PyTorch and arrays of NumPy in a program that runs.

#ifndef MEMKIT_LIB_RECORD_CENSUS_ARRAYS_H
#define MEMKIT_LIB_RECORD_CENSUS_ARRAYS_H

#include "Record/Census/BlockGraph.h"
#include "llvm/ADT/DenseSet.h"

namespace memkit {

/// Names tensors and arrays by dtype and shape, as `float32[64, 1000]`, in
/// place of their classes. After BlockGraph::setBlocks(), before names are
/// given out. What makes no sense keeps its class.
llvm::DenseSet<uint32_t> nameArrays(const TargetMemory &Memory,
                                    BlockKinds &Kinds, BlockGraph &Graph);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_CENSUS_ARRAYS_H
