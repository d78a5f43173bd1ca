// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Environment variables that change how a program allocates memory.

#ifndef MEMKIT_LIB_SUPPORT_MEMORYVARIABLES_H
#define MEMKIT_LIB_SUPPORT_MEMORYVARIABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace memkit {

/// Names, each ends with NUL.
inline llvm::ArrayRef<llvm::StringLiteral> memoryVariables() {
  static constexpr llvm::StringLiteral Names[] = {
      "CUBLAS_WORKSPACE_CONFIG",
      "CUDA_DEVICE_MAX_CONNECTIONS",
      "CUDA_LAUNCH_BLOCKING",
      "CUDA_MODULE_LOADING",
      "CUDA_VISIBLE_DEVICES",
      "GLIBC_TUNABLES",
      "LD_PRELOAD",
      "MALLOC_ARENA_MAX",
      "MALLOC_CONF",
      "MALLOC_MMAP_THRESHOLD_",
      "MALLOC_TRIM_THRESHOLD_",
      "MEMREC_OPTIONS",
      "MIMALLOC_ARENA_RESERVE",
      "MIMALLOC_PURGE_DELAY",
      "NCCL_BUFFSIZE",
      "NCCL_CUMEM_ENABLE",
      "OMP_NUM_THREADS",
      "PYTHONMALLOC",
      "PYTORCH_ALLOC_CONF",
      "PYTORCH_CUDA_ALLOC_CONF",
      "PYTORCH_NO_CUDA_MEMORY_CACHING",
      "TCMALLOC_RELEASE_RATE",
      "TF_FORCE_GPU_ALLOW_GROWTH",
      "TF_GPU_ALLOCATOR",
      "XLA_PYTHON_CLIENT_ALLOCATOR",
      "XLA_PYTHON_CLIENT_MEM_FRACTION",
      "XLA_PYTHON_CLIENT_PREALLOCATE",
  };
  return Names;
}

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_MEMORYVARIABLES_H
