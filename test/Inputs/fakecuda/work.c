// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What CUPTI's activity records say of kernels, copies, memsets and graphs. A kernel takes a
// microsecond for each block of its grid, a byte of a copy or memset a nanosecond, a graph two
// milliseconds. The work of a stream is done one after the other, from its launch on.
#define _GNU_SOURCE
#include "activity.h"
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#define ID(NAME) CUPTI_DRIVER_TRACE_CBID_##NAME
#define PARAMS(NAME) const NAME##_params *P = D->functionParams

size_t sizeOfRecord(CUpti_ActivityKind Kind) {
  union Record *R;
  switch (Kind) {
  case CUPTI_ACTIVITY_KIND_MEMORY2:
    return sizeof(R->Memory);
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    return sizeof(R->Kernel);
  case CUPTI_ACTIVITY_KIND_MEMCPY:
    return sizeof(R->Copy);
  case CUPTI_ACTIVITY_KIND_MEMCPY2:
    return sizeof(R->PeerCopy);
  case CUPTI_ACTIVITY_KIND_MEMSET:
    return sizeof(R->Set);
  case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
    return sizeof(R->Graph);
  default:
    return 64; // of kinds that no test asks for
  }
}

uint64_t clockNs(void) {
  struct timespec T;
  clock_gettime(CLOCK_REALTIME, &T);
  return (uint64_t)T.tv_sec * 1000000000 + (uint64_t)T.tv_nsec;
}

// When a stream has done all its work so far.
static uint64_t begin(uint32_t Stream, uint64_t ForNs) {
  enum { MaxStreams = 256 };
  static uint64_t Ends[MaxStreams];
  uint64_t *End = &Ends[Stream % MaxStreams], Now = clockNs();
  uint64_t Begin = *End > Now ? *End : Now;
  *End = Begin + ForNs;
  return Begin;
}

struct Place {
  uint32_t Device, Context, Stream, Correlation;
};

static struct Place placeOf(const CUpti_CallbackData *D, CUstream S) {
  static uint32_t (*Device)(CUcontext);
  static uint32_t (*Stream)(CUstream);
  Device = Device ? Device : (uint32_t(*)(CUcontext))ofDriver("fakecuda_device_of");
  Stream = Stream ? Stream : (uint32_t(*)(CUstream))ofDriver("fakecuda_stream_number");
  return (struct Place){Device(D->context), D->contextUid, Stream(S), D->correlationId};
}

#define FILL(R, KIND, NS)                                                      \
  (R).kind = KIND;                                                             \
  (R).start = begin(At.Stream, NS);                                            \
  (R).end = (R).start + (NS);                                                  \
  (R).deviceId = At.Device;                                                    \
  (R).contextId = At.Context;                                                  \
  (R).streamId = At.Stream;                                                    \
  (R).correlationId = At.Correlation

static bool copy(union Record *R, const CUpti_CallbackData *D, CUpti_ActivityMemcpyKind Kind, size_t N, CUstream S) {
  struct Place At = placeOf(D, S);
  FILL(R->Copy, CUPTI_ACTIVITY_KIND_MEMCPY, N);
  R->Copy.copyKind = (uint8_t)Kind;
  R->Copy.bytes = N;
  return true;
}

bool workOf(CUpti_CallbackId Id, const CUpti_CallbackData *D, union Record *R) {
  memset(R, 0, sizeof(*R));
  switch (Id) {
  case ID(cuLaunchKernel): {
    PARAMS(cuLaunchKernel);
    static const char *(*Name)(CUfunction);
    Name = Name ? Name : (const char *(*)(CUfunction))ofDriver("fakecuda_function_name");
    struct Place At = placeOf(D, P->hStream);
    FILL(R->Kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, P->gridDimX * 1000ull);
    R->Kernel.name = Name(P->f);
    return true;
  }
  case ID(cuMemcpyHtoD_v2): {
    PARAMS(cuMemcpyHtoD_v2);
    return copy(R, D, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, P->ByteCount, NULL);
  }
  case ID(cuMemcpyHtoDAsync_v2): {
    PARAMS(cuMemcpyHtoDAsync_v2);
    return copy(R, D, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, P->ByteCount, P->hStream);
  }
  case ID(cuMemcpyDtoH_v2): {
    PARAMS(cuMemcpyDtoH_v2);
    return copy(R, D, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, P->ByteCount, NULL);
  }
  case ID(cuMemcpyDtoHAsync_v2): {
    PARAMS(cuMemcpyDtoHAsync_v2);
    return copy(R, D, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, P->ByteCount, P->hStream);
  }
  case ID(cuMemcpyDtoDAsync_v2): {
    PARAMS(cuMemcpyDtoDAsync_v2);
    return copy(R, D, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, P->ByteCount, P->hStream);
  }
  case ID(cuMemcpyPeerAsync): {
    PARAMS(cuMemcpyPeerAsync);
    struct Place At = placeOf(D, P->hStream);
    FILL(R->PeerCopy, CUPTI_ACTIVITY_KIND_MEMCPY2, P->ByteCount);
    R->PeerCopy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    R->PeerCopy.bytes = P->ByteCount;
    return true;
  }
  case ID(cuMemsetD8Async): {
    PARAMS(cuMemsetD8Async);
    struct Place At = placeOf(D, P->hStream);
    FILL(R->Set, CUPTI_ACTIVITY_KIND_MEMSET, P->N);
    R->Set.bytes = P->N;
    return true;
  }
  case ID(cuGraphLaunch): {
    PARAMS(cuGraphLaunch);
    uint32_t (*Number)(CUgraphExec) = (uint32_t(*)(CUgraphExec))ofDriver("fakecuda_graph_number");
    struct Place At = placeOf(D, P->hStream);
    FILL(R->Graph, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, 2000000ull);
    R->Graph.graphId = Number(P->hGraph);
    return true;
  }
  default:
    return false;
  }
}
