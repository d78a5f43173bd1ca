// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's activity buffers over the fake driver: there is one set in a process, of whoever
// registered last. Records are those of memory (MEMORY2), of cuMemAlloc and cuMemFree, and
// those of work (work.c).
//
//   FAKECUPTI_BUFFER=BYTES     how much of a buffer it uses
//   FAKECUPTI_LATE=1           it hands over no buffer before a flush, and then the last first
//   FAKECUPTI_THREAD=1         it hands over buffers in a thread of its own
//   FAKECUPTI_DROP=N           it drops each Nth record
//   FAKECUPTI_STRANGE=1        it writes a record of a kind that nobody wants before each other
//   FAKECUPTI_CUT=1            the last record of a buffer is cut off
//   FAKECUPTI_NO_KIND=KIND     it does not know the kind
//   FAKECUPTI_VERSION=N        what cuptiGetVersion() says
#define _GNU_SOURCE
#include "activity.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc Request;
static CUpti_BuffersCallbackCompleteFunc Complete;
static bool IsWanted[CUPTI_ACTIVITY_KIND_COUNT];
struct Buffer {
  uint8_t *At;
  size_t Room, Used, Last; // Last: the size of the last record
};
static struct Buffer Now;
enum { MaxLate = 64 };
static struct Buffer Late[MaxLate];
static int NumLate;
static size_t Dropped;

static size_t numberOf(const char *Variable) {
  const char *Text = getenv(Variable);
  return Text ? strtoul(Text, NULL, 10) : 0;
}

static void *handOver(void *Of) {
  struct Buffer *B = Of;
  size_t Valid = B->Used - (getenv("FAKECUPTI_CUT") ? B->Last / 2 : 0);
  Complete(NULL, 0, B->At, B->Room, Valid);
  return NULL;
}

static void deliver(struct Buffer B) {
  pthread_t T;
  if (!getenv("FAKECUPTI_THREAD") || pthread_create(&T, NULL, handOver, &B))
    handOver(&B);
  else
    pthread_join(T, NULL);
}

// The buffer is full, or to be flushed.
static void end(void) {
  struct Buffer B = Now;
  Now.At = NULL;
  if (!B.At)
    return;
  if (getenv("FAKECUPTI_LATE") && NumLate != MaxLate)
    Late[NumLate++] = B;
  else
    deliver(B);
}

static void flush(void) {
  end();
  while (NumLate)
    deliver(Late[--NumLate]);
}

static void put(const void *R, size_t Size) {
  if (Now.At && Now.Room - Now.Used < Size)
    end();
  if (!Now.At) {
    size_t MaxRecords, Bytes = numberOf("FAKECUPTI_BUFFER");
    Now = (struct Buffer){NULL, 0, 0, 0};
    Request(&Now.At, &Now.Room, &MaxRecords);
    if (Bytes && Bytes < Now.Room)
      Now.Room = Bytes;
  }
  if (!Now.At || Now.Room < Size) {
    ++Dropped;
    return;
  }
  memcpy(Now.At + Now.Used, R, Size);
  Now.Used += Size;
  Now.Last = Size;
}

static void putMemory(CUpti_ActivityMemoryOperationType Type, CUdeviceptr P, size_t Bytes) {
  CUpti_ActivityMemory4 M;
  memset(&M, 0, sizeof(M));
  M.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  M.memoryOperationType = Type;
  M.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  M.address = P;
  M.bytes = Bytes;
  M.processId = (uint32_t)getpid();
  put(&M, sizeof(M));
}

static void putWork(const union Record *R) {
  static size_t Count;
  size_t Drop = numberOf("FAKECUPTI_DROP");
  if (Drop && ++Count % Drop == 0) {
    ++Dropped;
    return;
  }
  if (getenv("FAKECUPTI_STRANGE")) {
    union Record Strange;
    memset(&Strange, 0xee, sizeof(Strange));
    Strange.Any.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    put(&Strange, sizeOfRecord(Strange.Any.kind));
  }
  put(R, sizeOfRecord(R->Any.kind));
}

void noteActivity(CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const CUpti_CallbackData *D) {
  if (Domain != CUPTI_CB_DOMAIN_DRIVER_API || D->callbackSite != CUPTI_API_EXIT ||
      *(const CUresult *)D->functionReturnValue)
    return;
  union Record R;
  pthread_mutex_lock(&Lock);
  if (Request && IsWanted[CUPTI_ACTIVITY_KIND_MEMORY2] && Id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) {
    const cuMemAlloc_v2_params *P = D->functionParams;
    putMemory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, *P->dptr, P->bytesize);
  } else if (Request && IsWanted[CUPTI_ACTIVITY_KIND_MEMORY2] && Id == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2) {
    const cuMemFree_v2_params *P = D->functionParams;
    putMemory(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, P->dptr, 0);
  } else if (Request && workOf(Id, D, &R) && IsWanted[R.Any.kind]) {
    putWork(&R);
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

static bool isKnown(CUpti_ActivityKind Kind) {
  const char *Not = getenv("FAKECUPTI_NO_KIND");
  return Kind > 0 && Kind < CUPTI_ACTIVITY_KIND_COUNT && !(Not && atoi(Not) == (int)Kind);
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind Kind) {
  if (!isKnown(Kind))
    return CUPTI_ERROR_INVALID_KIND;
  if (getenv("FAKECUPTI_LOG"))
    fprintf(stderr, "fakecupti: activity %d\n", (int)Kind);
  IsWanted[Kind] = true;
  return attach() ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_INITIALIZED;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind Kind) {
  if (!isKnown(Kind))
    return CUPTI_ERROR_INVALID_KIND;
  IsWanted[Kind] = false;
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
  uint8_t *Next = *R ? (uint8_t *)*R + sizeOfRecord((*R)->kind) : From;
  if (Next + sizeof(CUpti_Activity) > From + Valid)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *R = (CUpti_Activity *)Next;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext C, uint32_t Stream, size_t *Count) {
  *Count = Dropped;
  Dropped = 0;
  return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetTimestamp(uint64_t *Ns) {
  *Ns = clockNs();
  return CUPTI_SUCCESS;
}
