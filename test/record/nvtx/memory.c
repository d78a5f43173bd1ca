// Heaps and regions of NVTX's memory extension: heaps of the trace beside those that
// hold their memory, outside of the totals; names of regions; a region at the same
// address in two heaps; resize, reset, unregister; a child goes on with its parent's.
//
// REQUIRES: nvtx3
// RUN: %cc -O1 -g %nvtx3 %s -o %t.exe
// RUN: memrec -q -o %t.fb %t.exe
// RUN: memdump --check %t.fb
// RUN: memdump --summary %t.fb | FileCheck %s --check-prefix=SUMMARY
// RUN: memdump %t.fb | FileCheck %s --check-prefix=EVENTS
// RUN: memflame --format=collapsed --heap='nvtx.*' --metric=live %t.fb | FileCheck %s --check-prefix=LIVE
// RUN: memflame --format=collapsed --heap='nvtx.*' --metric=allocated --group-by=scope %t.fb | FileCheck %s --check-prefix=SCOPE
// RUN: memrec -q --heap='nvtx.*' -o %t.only.fb %t.exe
// RUN: memdump --summary %t.only.fb | FileCheck %s --check-prefix=ONLY
// RUN: memrec -q --heap=host.malloc -o %t.none.fb %t.exe
// RUN: memdump --summary %t.none.fb | FileCheck %s --check-prefix=LEFTOUT --implicit-check-not=nvtx.App
// RUN: %t.exe

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtMem.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static nvtxDomainHandle_t Domain;

static nvtxMemHeapHandle_t makeHeap(const char *Name, void *At, size_t Size) {
  nvtxMemVirtualRangeDesc_t Range = {Size, At};
  nvtxMemHeapDesc_t D = {0};
  D.extCompatID = NVTX_EXT_COMPATID_MEM;
  D.structSize = sizeof(D);
  D.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
  D.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  D.typeSpecificDescSize = sizeof(Range);
  D.typeSpecificDesc = &Range;
  D.messageType = NVTX_MESSAGE_TYPE_ASCII;
  D.message.ascii = Name;
  return nvtxMemHeapRegister(Domain, &D);
}

static nvtxMemRegionHandle_t add(nvtxMemHeapHandle_t Heap, char *At, size_t N) {
  nvtxMemVirtualRangeDesc_t Range = {N, At};
  nvtxMemRegionHandle_t Handle = 0;
  nvtxMemRegionsRegisterBatch_t B = {0};
  B.extCompatID = NVTX_EXT_COMPATID_MEM;
  B.structSize = sizeof(B);
  B.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  B.heap = Heap;
  B.regionCount = 1;
  B.regionDescElementSize = sizeof(Range);
  B.regionDescElements = &Range;
  B.regionHandleElementsOut = &Handle;
  nvtxMemRegionsRegister(Domain, &B);
  return Handle;
}

static void end(uint32_t Type, nvtxMemRegionRef_t Ref) {
  nvtxMemRegionsUnregisterBatch_t B = {0};
  B.extCompatID = NVTX_EXT_COMPATID_MEM;
  B.structSize = sizeof(B);
  B.refType = Type;
  B.refCount = 1;
  B.refElementSize = sizeof(Ref);
  B.refElements = &Ref;
  nvtxMemRegionsUnregister(Domain, &B);
}
static void endAt(void *P) {
  nvtxMemRegionRef_t Ref = {.pointer = P};
  end(NVTX_MEM_REGION_REF_TYPE_POINTER, Ref);
}

static void resize(char *At, size_t N) {
  nvtxMemVirtualRangeDesc_t Range = {N, At};
  nvtxMemRegionsResizeBatch_t B = {0};
  B.extCompatID = NVTX_EXT_COMPATID_MEM;
  B.structSize = sizeof(B);
  B.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
  B.regionDescCount = 1;
  B.regionDescElementSize = sizeof(Range);
  B.regionDescElements = &Range;
  nvtxMemRegionsResize(Domain, &B);
}

static void name(void *P, const char *Text) {
  nvtxMemRegionNameDesc_t D = {0};
  D.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER;
  D.nameType = NVTX_MESSAGE_TYPE_ASCII;
  D.region.pointer = P;
  D.name.ascii = Text;
  nvtxMemRegionsNameBatch_t B = {0};
  B.extCompatID = NVTX_EXT_COMPATID_MEM;
  B.structSize = sizeof(B);
  B.regionCount = 1;
  B.regionElementSize = sizeof(D);
  B.regionElements = &D;
  nvtxMemRegionsName(Domain, &B);
}

int main(void) {
  Domain = nvtxDomainCreateA("App");
  char *Memory = malloc(1 << 20);
  nvtxMemHeapHandle_t Pool = makeHeap("pool", Memory, 1 << 20);
  nvtxRangePushA("fill");
  add(Pool, Memory, 4096);
  nvtxRangePop();
  name(Memory, "weights");
  add(Pool, Memory + 8192, 1000);
  resize(Memory + 8192, 3000);

  // A pool of a pool: its first region has the address of what it lies in.
  nvtxMemHeapHandle_t Inner = makeHeap("inner", Memory, 4096);
  nvtxMemRegionHandle_t Handle = add(Inner, Memory, 64);
  nvtxMemRegionRef_t Ref = {.handle = Handle};
  end(NVTX_MEM_REGION_REF_TYPE_HANDLE, Ref);
  for (int I = 0; I != 10; ++I)
    add(Inner, Memory + 100 + 16 * I, 16);
  nvtxMemHeapReset(Domain, Inner);
  nvtxMemHeapUnregister(Domain, Inner);
  endAt(Memory + 8192);
  endAt(Memory + 12345); // there is none

  if (fork() == 0) {
    add(Pool, Memory + 65536, 777);
    endAt(Memory); // its parent's
    _exit(0);
  }
  wait(0);
  return 0;
}

// SUMMARY: not in the totals
// SUMMARY-NEXT: nvtx.App:pool 4 2 8.67 KiB 4.76 KiB 2 6.93 KiB
// SUMMARY-NEXT: nvtx.App:inner 11 11 224 B 0 B 0 160 B
// EVENTS: alloc {{.*}} 4 KiB nvtx.App:pool {{.*}}fill
// EVENTS: alloc {{.*}} 64 B nvtx.App:inner
// EVENTS: block-name {{[0-9]+}} weights nvtx.App:pool
// LIVE: main;add;nvtxMemRegionsRegister 4873
// SCOPE-DAG: fill 4096
// SCOPE-DAG: (no scope) 5001
// ONLY: host.malloc 0 0
// ONLY: nvtx.App:pool
// LEFTOUT: host.malloc
