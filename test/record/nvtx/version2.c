// A program linked with libnvToolsExt.so.1, version 2 of NVTX: that calls the
// library of NVTX_INJECTION64_PATH in the same way.
//
// REQUIRES: nvtx2
//
// RUN: %cc -O1 -g %s %nvtx2 -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memflame --group-by=scope --format=collapsed --metric=allocated --heap=host.malloc %t.fb | FileCheck %s
// RUN: memdump %t.fb | FileCheck %s --check-prefix=MARKS

#include <nvToolsExt.h>
#include <stdlib.h>

static void *volatile Keep;

int main(void) {
  nvtxRangePushA("second");
  Keep = malloc(1234);
  nvtxRangePop();
  nvtxDomainHandle_t D = nvtxDomainCreateA("D");
  nvtxEventAttributes_t E = {0};
  E.version = NVTX_VERSION;
  E.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  E.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  E.message.registered = nvtxDomainRegisterStringA(D, "inside");
  nvtxDomainRangePushEx(D, &E);
  Keep = malloc(4321);
  nvtxDomainRangePop(D);
  nvtxMarkA("done");
  nvtxRangeEnd(nvtxRangeStartA("span"));
  return 0;
}

// CHECK-DAG: {{^}}second 1234
// CHECK-DAG: {{^}}D:inside 4321
// MARKS: user {{.*}}done
// MARKS: range-begin {{.*}}span
// MARKS: range-end
