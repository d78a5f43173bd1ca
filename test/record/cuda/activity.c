// CUPTI has one set of activity buffers. memrec takes none: a program that has its own gets
// each record that it gets without memrec, and its calls are in the trace.
//
// RUN: %cuda_cc %s -o %t.exe -l:libcupti.so.13 -l:libcuda.so.1
// RUN: %cuda %t.exe > %t.without
// RUN: %cuda env FAKECUPTI_LOG=1 memrec -o %t.fb -- %t.exe > %t.with 2> %t.err
// RUN: diff %t.without %t.with
// RUN: FileCheck %s --check-prefix=HAD < %t.with
// HAD: records: 2000, bytes: 4096000
// RUN: %if !cuda-device %{ FileCheck %s --check-prefix=HANDS < %t.err %}
// HANDS-NOT: buffers change hands
// HANDS: fakecupti: activity
// HANDS-NOT: fakecupti: activity
// HANDS-NOT: buffers change hands
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s
// CHECK: events {{.*}} 0 lost
// CHECK: cuda:0.device 1,000 1,000
//
// Callbacks are another matter: who subscribes gets them, and is named where nothing else
// hears the calls.
// RUN: %cuda memrec -o %t.own.fb -- %t.exe subscribe 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: CUDA: memory of the driver is not recorded: another tool uses CUPTI: the program itself

#include "Inputs/check.h"
#include <cupti.h>
#include <unistd.h>

static unsigned long Records, Bytes;

static void CUPTIAPI request(uint8_t **Buffer, size_t *Size, size_t *MaxRecords) {
  *Size = 64 << 10;
  *Buffer = aligned_alloc(8, *Size);
  *MaxRecords = 0;
}

static void CUPTIAPI complete(CUcontext C, uint32_t Stream, uint8_t *Buffer, size_t Size, size_t Valid) {
  CUpti_Activity *R = NULL;
  while (cuptiActivityGetNextRecord(Buffer, Valid, &R) == CUPTI_SUCCESS) {
    const CUpti_ActivityMemory4 *M = (const CUpti_ActivityMemory4 *)R;
    ++Records;
    if (M->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION)
      Bytes += M->bytes;
  }
  free(Buffer);
}

static void CUPTIAPI onCallback(void *Data, CUpti_CallbackDomain Domain, CUpti_CallbackId Id, const void *Call) {}

int main(int Argc, char **Argv) {
  begin();
  if (Argc > 1) {
    CUpti_SubscriberHandle S;
    CHECK(cuptiSubscribe(&S, onCallback, NULL));
    sleep(1);
    return 0;
  }
  CHECK(cuptiActivityRegisterCallbacks(request, complete));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMORY2));
  for (int I = 0; I != 1000; ++I) {
    CUdeviceptr P;
    CHECK(cuMemAlloc(&P, 4096));
    CHECK(cuMemFree(P));
  }
  CHECK(cuptiActivityFlushAll(0));
  CHECK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMORY2));
  printf("records: %lu, bytes: %lu\n", Records, Bytes);
  return 0;
}
