// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points for NVTX.
//
// Each binary of the program that uses NVTX calls these functions at its first
// NVTX call, because memrec has named this library in NVTX_INJECTION64_PATH.
// Without a recording the functions return 0, and NVTX's functions then do
// nothing.

#include "Nvtx/Memory.h"
#include "Nvtx/Ranges.h"
#include "Runtime/Hook.h"
#include "Runtime/Thread.h"

using namespace memkit;
using namespace memkit::capture;

MEMKIT_EXPORT int InitializeInjectionNvtx2(nvtx::GetExportTable Get) {
  auto *Of =
      Get ? static_cast<const nvtx::Callbacks *>(Get(nvtx::ExportCallbacks))
          : nullptr;
  if (!Of || Of->StructSize < sizeof(*Of) || !recordingThread())
    return 0;
  nvtx::NvtxFunction **Table = nullptr;
  unsigned Size = 0;
  if (Of->GetTable(nvtx::ModuleCore, &Table, &Size) && Table)
    nvtx::fillCore(Table, Size);
  if (Of->GetTable(nvtx::ModuleCore2, &Table, &Size) && Table)
    nvtx::fillCore2(Table, Size);
  return 1;
}

static uint8_t isEnabled(const void *) { return 1; }

MEMKIT_EXPORT int
InitializeInjectionNvtxExtension(nvtx::ExtensionModule *Module) {
  if (!Module || !Module->SegmentCount || !Module->Segments ||
      !recordingThread())
    return 0;
  nvtx::ExtensionSegment &S = Module->Segments[0];
  if (Module->ModuleId == nvtx::MemoryModule) {
    nvtx::fillMemory(S);
    return 1;
  }
  // Python's nvtx asks the payload extension whether its domain is enabled, and
  // does nothing without a yes.
  if (Module->ModuleId == nvtx::PayloadModule &&
      S.SlotCount > nvtx::SlotDomainIsEnabled) {
    S.Slots[nvtx::SlotDomainIsEnabled] = reinterpret_cast<intptr_t>(isEnabled);
    return 1;
  }
  return 0;
}
