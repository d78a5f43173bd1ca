// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary interface between NVTX 3 and a tool.
//
// The parts that memkit uses, from NVTX's public headers
// (github.com/NVIDIA/NVTX, c/include/nvtx3: nvToolsExt.h, nvToolsExtMem.h,
// nvtxDetail/nvtxTypes.h, nvtxDetail/nvtxExtTypes.h). libnvToolsExt.so.1,
// version 2, has the same interface.
//
// At its first NVTX call, each binary loads the library named in
// NVTX_INJECTION64_PATH and calls two exports: InitializeInjectionNvtx2, once,
// with a function that returns the tables to fill, and
// InitializeInjectionNvtxExtension, for each extension.

#ifndef MEMKIT_CAPTURE_NVTX_ABI_H
#define MEMKIT_CAPTURE_NVTX_ABI_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture::nvtx {

//===----------------------------------------------------------------------===//
// Filling the tables
//===----------------------------------------------------------------------===//

using NvtxFunction = void (*)();

enum : uint32_t { ExportCallbacks = 1 };        ///< NvtxExportTableID
enum : int { ModuleCore = 1, ModuleCore2 = 5 }; ///< NvtxCallbackModule

/// NvtxExportTableCallbacks
struct Callbacks {
  size_t StructSize;
  /// Returns an array of Size pointers to the function slots.
  int (*GetTable)(int Module, NvtxFunction ***Table, unsigned *Size);
};
using GetExportTable = const void *(*)(uint32_t);

/// NvtxCallbackIdCore
enum Core : unsigned {
  MarkEx = 1,
  MarkA = 2,
  MarkW = 3,
  RangeStartEx = 4,
  RangeStartA = 5,
  RangeStartW = 6,
  RangeEnd = 7,
  RangePushEx = 8,
  RangePushA = 9,
  RangePushW = 10,
  RangePop = 11,
};
/// NvtxCallbackIdCore2
enum Core2 : unsigned {
  DomainMarkEx = 1,
  DomainRangeStartEx = 2,
  DomainRangeEnd = 3,
  DomainRangePushEx = 4,
  DomainRangePop = 5,
  DomainRegisterStringA = 10,
  DomainRegisterStringW = 11,
  DomainCreateA = 12,
  DomainCreateW = 13,
};

/// NVTX_NO_PUSH_POP_TRACKING: the result of push and pop without a level.
inline constexpr int NoLevel = -2;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

enum MessageType : uint32_t {
  MessageNone = 0,
  MessageAscii = 1,
  MessageWide = 2,
  MessageRegistered = 3,
};
union Message {
  const char *Ascii;
  const wchar_t *Wide;
  const void *Registered;
};

/// nvtxEventAttributes_v2
struct Attributes {
  uint16_t Version, Size;
  uint32_t Category;
  int32_t ColorType;
  uint32_t Color;
  int32_t PayloadType, Reserved;
  uint64_t Payload;
  uint32_t MessageType;
  nvtx::Message Message;
};
static_assert(sizeof(Attributes) == 48);
inline constexpr int32_t ColorArgb = 1;

//===----------------------------------------------------------------------===//
// Extensions
//===----------------------------------------------------------------------===//

/// nvtxExtModuleSegment_t, nvtxExtModuleInfo_t
struct ExtensionSegment {
  size_t Id, SlotCount;
  intptr_t *Slots;
};
struct ExtensionModule {
  uint16_t NvtxVersion, StructSize, ModuleId, CompatId;
  size_t SegmentCount;
  ExtensionSegment *Segments;
  void *GetExport;
  const void *Info;
};

enum : uint16_t { MemoryModule = 1, PayloadModule = 2 };
/// NVTX3EXT_CBID_nvtxDomainIsEnabled, of the payload module.
inline constexpr size_t SlotDomainIsEnabled = 7;

/// NVTX3EXT_CBID_nvtxMem*
enum MemorySlot : size_t {
  HeapRegister = 0,
  HeapUnregister = 1,
  HeapReset = 2,
  RegionsRegister = 3,
  RegionsResize = 4,
  RegionsUnregister = 5,
  RegionsName = 6,
};

inline constexpr uint32_t MemoryVirtual = 1; ///< NVTX_MEM_TYPE_VIRTUAL_ADDRESS
inline constexpr uint32_t RegionPointer = 1, RegionHandle = 2;

/// nvtxMemVirtualRangeDesc_v1
struct VirtualRange {
  size_t Size;
  const void *Begin;
};

/// nvtxMemHeapDesc_v1
struct HeapDescription {
  uint16_t CompatId, StructSize;
  uint32_t Reserved, Usage, Type;
  size_t SpecificSize;
  const void *Specific;
  uint32_t Category;
  uint32_t MessageType;
  nvtx::Message Message;
};

/// nvtxMemRegionsRegisterBatch_v1
struct RegisterBatch {
  uint16_t CompatId, StructSize;
  uint32_t Type;
  const void *Heap;
  size_t Count, ElementSize;
  const void *Elements; ///< VirtualRange
  const void **HandlesOut;
};

/// nvtxMemRegionsResizeBatch_v1
struct ResizeBatch {
  uint16_t CompatId, StructSize;
  uint32_t Type;
  size_t Count, ElementSize;
  const void *Elements; ///< VirtualRange
};

/// nvtxMemRegionsUnregisterBatch_v1
struct UnregisterBatch {
  uint16_t CompatId, StructSize;
  uint32_t RefType;
  size_t Count, ElementSize;
  const void *Elements; ///< a pointer or a handle each
};

/// nvtxMemRegionNameDesc_v1, nvtxMemRegionsNameBatch_v1
struct RegionName {
  uint32_t RefType, MessageType;
  const void *Region;
  nvtx::Message Message;
  uint32_t Category, Reserved;
};
struct NameBatch {
  uint16_t CompatId, StructSize;
  uint32_t Reserved;
  size_t Count, ElementSize;
  const void *Elements; ///< RegionName
  size_t Reserved1;
};

} // namespace memkit::capture::nvtx

#endif // MEMKIT_CAPTURE_NVTX_ABI_H
