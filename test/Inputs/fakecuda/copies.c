// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and memsets: nothing lies behind a device's addresses, so nothing is copied.
#include "fakecuda.h"

#define COPY(NAME, PARAMETERS, ...)                                            \
  EXPORT CUresult NAME PARAMETERS {                                            \
    ENTER(NAME, __VA_ARGS__);                                                  \
    LEAVE;                                                                     \
  }

COPY(cuMemcpyHtoD_v2, (CUdeviceptr To, const void *From, size_t N), To, From, N)
COPY(cuMemcpyHtoDAsync_v2, (CUdeviceptr To, const void *From, size_t N, CUstream S), To, From, N, S)
COPY(cuMemcpyDtoH_v2, (void *To, CUdeviceptr From, size_t N), To, From, N)
COPY(cuMemcpyDtoHAsync_v2, (void *To, CUdeviceptr From, size_t N, CUstream S), To, From, N, S)
COPY(cuMemcpyDtoDAsync_v2, (CUdeviceptr To, CUdeviceptr From, size_t N, CUstream S), To, From, N, S)
COPY(cuMemcpyPeerAsync, (CUdeviceptr To, CUcontext C, CUdeviceptr From, CUcontext D, size_t N, CUstream S), To, C, From, D,
     N, S)
COPY(cuMemsetD8Async, (CUdeviceptr To, unsigned char Value, size_t N, CUstream S), To, Value, N, S)
