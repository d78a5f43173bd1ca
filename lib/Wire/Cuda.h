// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's part of the shared memory.
//
// Enumerations in records of CUDA's driver, and its devices. A part of
// Layout.h, which defines the writer of each field.

#ifndef MEMKIT_LIB_WIRE_CUDA_H
#define MEMKIT_LIB_WIRE_CUDA_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// The function of CUDA's driver called by the program or its libraries.
enum class CudaFunction : uint8_t {
  None = 0,
  MemAlloc,
  MemAllocPitch,
  MemAllocManaged,
  MemHostAlloc,
  MemAllocHost,
  MemHostRegister,
  MemAllocAsync,
  MemAllocFromPoolAsync,
  MemPoolImportPointer,
  MemAddressReserve,
  MemCreate,
  MemMap,
  MemImport,
  ArrayCreate,
  Array3DCreate,
  MipmappedArrayCreate,
  IpcOpenMemHandle,
  ImportExternalMemory,
  GraphAddMemAllocNode,
  GraphAddNode,
  MulticastCreate,
  ExternalMipmappedArray,
  Launch, ///< of a kernel or graph, a copy or a memset
};
inline constexpr uint8_t NumCudaFunctions = 24;

/// The reason for measuring the used memory of a device. The measurements show
/// the memory of contexts and modules.
enum class DeviceTimePoint : uint8_t {
  Any = 0,
  ContextBegins = 1, ///< before a context without a number is created
  ContextMade = 2,
  ContextFailed = 3,
  BeforeModules = 4, ///< modules will be loaded or unloaded
  Modules = 5, ///< modules were loaded or unloaded since the last measurement
};
inline constexpr uint8_t NumDeviceTimePoints = 6;

/// The reason for measuring a pool.
enum class PoolTimePoint : uint8_t { Any = 0, Trimmed = 1 };

/// The heaps of CUDA. Heaps from Registered on name their blocks by addresses
/// of their own, or by handles.
enum class CudaHeap : uint8_t {
  Device = 0,
  Managed = 1,
  Pinned = 2, ///< of the host
  Pool = 3,   ///< of a device's stream-ordered allocators
  /// Memory of another process or interface; no memory of its own.
  Imported = 4,
  Graph = 5,      ///< memory that graphs allocate when they run
  Registered = 6, ///< memory of the program that was pinned
  Array = 7,      ///< by handle
  Reserved = 8,   ///< addresses
  Physical = 9,   ///< by handle: memory without an address
};
inline constexpr uint8_t NumCudaHeaps = 10;

/// The place of CUDA memory: bits 0-7 the device (NoDevice: none), 8-15 the
/// heap (AnyHeap: the heap of the block at the address), 16-31 the context's
/// number.
struct CudaPlace {
  static constexpr uint32_t NoDevice = 255, AnyHeap = 255;
  static constexpr uint32_t pack(uint32_t Device, uint32_t Heap,
                                 uint32_t Context) {
    return (Device & 255) | (Heap & 255) << 8 | Context << 16;
  }
  static constexpr uint32_t device(uint32_t Place) { return Place & 255; }
  static constexpr uint32_t heap(uint32_t Place) { return Place >> 8 & 255; }
  static constexpr uint32_t context(uint32_t Place) { return Place >> 16; }
};

/// The requested way to record CUDA's driver.
enum class CudaMode : uint32_t {
  Off = 0,
  Cupti = 1,     ///< by CUPTI, or by wrappers if CUPTI is not available
  Interpose = 2, ///< by wrappers
  Time = 3,      ///< as Cupti, and the time of kernels and copies
};

/// A device of CUDA's driver in a process; by its ordinal in the process. State
/// is written last.
struct CudaDevice {
  std::atomic<uint32_t> State; ///< 1: written
  uint32_t SharesMemory;       ///< 1: has no memory but the machine's
  uint8_t Uuid[16];            ///< zeroes: not known
  char Name[96];               ///< ends with NUL
  char Pci[24];                ///< ends with NUL
  uint64_t Bytes;
};
static_assert(sizeof(CudaDevice) == 152);
inline constexpr uint32_t MaxCudaDevices = 64;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_CUDA_H
