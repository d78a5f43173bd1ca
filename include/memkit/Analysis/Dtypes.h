// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by dtype.

#ifndef MEMKIT_ANALYSIS_DTYPES_H
#define MEMKIT_ANALYSIS_DTYPES_H

#include "memkit/Model/SelectedStats.h"

namespace memkit {

/// The tensors of one dtype in a heap, over all processes.
struct DtypeStats {
  uint32_t Heap = 0;
  llvm::StringRef Dtype;                      ///< `float32`, `unknown`
  uint64_t AtPeakBlocks = 0, AtPeakBytes = 0; ///< at the peak of the heap
  uint64_t LiveBytes = 0;                     ///< at the end of the process
  uint64_t Allocations = 0, AllocatedBytes = 0;
};

/// A row for each dtype in each heap of tensors that has a known dtype: by
/// heap, the most bytes at the peak first. Replays all events. Empty: the trace
/// has no dtypes. Errors: TraceError.
llvm::Expected<std::vector<DtypeStats>> queryDtypes(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_DTYPES_H
