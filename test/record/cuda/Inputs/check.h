// What the programs of these tests share: any call of the driver that fails ends them.
#ifndef CHECK_H
#define CHECK_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(CALL)                                                            \
  do {                                                                         \
    CUresult Result = CALL;                                                    \
    if (Result) {                                                              \
      fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #CALL, Result);   \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

// The first device, and a context of it that is the thread's.
static inline CUcontext begin(void) {
  CUdevice D;
  CUcontext C;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&D, 0));
#if CUDA_VERSION >= 13000
  CHECK(cuCtxCreate(&C, NULL, 0, D));
#else
  CHECK(cuCtxCreate(&C, 0, D));
#endif
  return C;
}

#endif
