// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's activity buffers over the fake driver: there is one set in a process,
// of whoever registered last. Of all kinds of records it writes those of memory
// (MEMORY2), of cuMemAlloc and cuMemFree.
#define _GNU_SOURCE
#include "activity.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc Request;
static CUpti_BuffersCallbackCompleteFunc Complete;
static bool IsWanted;
static uint8_t *Buffer;
static size_t Room, Used;

static void flush(void) {
  uint8_t *B = Buffer;
  Buffer = NULL;
  if (B)
    Complete(NULL, 0, B, Room, Used);
}

static void put(CUpti_ActivityMemoryOperationType Type, CUdeviceptr P, size_t Bytes) {
  CUpti_ActivityMemory4 M;
  if (Buffer && Room - Used < sizeof(M))
    flush();
  if (!Buffer) {
    size_t MaxRecords;
    Used = 0;
    Request(&Buffer, &Room, &MaxRecords);
  }
  if (!Buffer || Room < sizeof(M))
    return;
  memset(&M, 0, sizeof(M));
  M.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  M.memoryOperationType = Type;
  M.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  M.address = P;
  M.bytes = Bytes;
  M.processId = (uint32_t)getpid();
  memcpy(Buffer + Used, &M, sizeof(M));
  Used += sizeof(M);
}

void noteActivity(CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const CUpti_CallbackData *D) {
  if (!IsWanted || Domain != CUPTI_CB_DOMAIN_DRIVER_API || D->callbackSite != CUPTI_API_EXIT ||
      *(const CUresult *)D->functionReturnValue)
    return;
  pthread_mutex_lock(&Lock);
  if (Request && Id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) {
    const cuMemAlloc_v2_params *P = D->functionParams;
    put(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, *P->dptr, P->bytesize);
  } else if (Request && Id == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2) {
    const cuMemFree_v2_params *P = D->functionParams;
    put(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, P->dptr, 0);
  }
  pthread_mutex_unlock(&Lock);
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc R,
                                                  CUpti_BuffersCallbackCompleteFunc C) {
  if (!R || !C)
    return CUPTI_ERROR_INVALID_PARAMETER;
  pthread_mutex_lock(&Lock);
  if (Request && getenv("FAKECUPTI_LOG"))
    fprintf(stderr, "fakecupti: buffers change hands\n");
  Request = R;
  Complete = C;
  pthread_mutex_unlock(&Lock);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind Kind) {
  if (Kind != CUPTI_ACTIVITY_KIND_MEMORY2)
    return CUPTI_ERROR_INVALID_KIND;
  if (getenv("FAKECUPTI_LOG"))
    fprintf(stderr, "fakecupti: activity %d\n", (int)Kind);
  IsWanted = true;
  return attach() ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_INITIALIZED;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind Kind) {
  if (Kind != CUPTI_ACTIVITY_KIND_MEMORY2)
    return CUPTI_ERROR_INVALID_KIND;
  IsWanted = false;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t Flag) {
  if (!Request)
    return CUPTI_ERROR_INVALID_OPERATION;
  pthread_mutex_lock(&Lock);
  flush();
  pthread_mutex_unlock(&Lock);
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *From, size_t Valid, CUpti_Activity **R) {
  size_t Size = sizeof(CUpti_ActivityMemory4);
  uint8_t *Next = *R ? (uint8_t *)*R + Size : From;
  if (Next + Size > From + Valid)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *R = (CUpti_Activity *)Next;
  return CUPTI_SUCCESS;
}
