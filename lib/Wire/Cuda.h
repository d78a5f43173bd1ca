// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's part of the shared memory.
//
// What records of CUDA's driver say by numbers, and how a process listens to
// it. A part of Layout.h, which says who writes what.

#ifndef MEMKIT_LIB_WIRE_CUDA_H
#define MEMKIT_LIB_WIRE_CUDA_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

/// What the program called of CUDA's driver, or a library for it.
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
};
inline constexpr uint8_t NumCudaFunctions = 23;

/// When it is looked how much of a device is used, so that what a context and
/// what modules take is known.
enum class DeviceMoment : uint8_t {
  Any = 0,
  ContextBegins = 1, ///< of a context that has no number yet
  ContextMade = 2,
  ContextFailed = 3,
  BeforeModules = 4, ///< modules will come or go
  Modules = 5, ///< modules came or went since the device was looked at last
};
inline constexpr uint8_t NumDeviceMoments = 6;

/// When a pool is asked what it has.
enum class PoolMoment : uint8_t { Any = 0, Trimmed = 1 };

/// The heaps of CUDA. Those from Registered on name what they hold by addresses
/// of their own, or by handles.
enum class CudaHeap : uint8_t {
  Device = 0,
  Managed = 1,
  Pinned = 2, ///< of the host
  Pool = 3,   ///< of a device's stream-ordered allocators
  /// Another process's, or another interface's: no memory of its own.
  Imported = 4,
  Graph = 5,      ///< what graphs allocate when they run
  Registered = 6, ///< memory of the program's that was pinned
  Array = 7,      ///< by handle
  Reserved = 8,   ///< addresses
  Physical = 9,   ///< by handle: memory that is mapped at no address
};
inline constexpr uint8_t NumCudaHeaps = 10;

/// Where CUDA's memory is: bits 0-7 the device (NoDevice: none), 8-15 the heap
/// (AnyHeap: that of the block at the address), 16-31 the context's number.
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

/// How CUDA's driver is to be listened to.
enum class CudaMode : uint32_t {
  Off = 0,
  Cupti = 1,     ///< by wrappers, where that cannot be
  Interpose = 2, ///< by wrappers
};

/// Of the name of a tool that listens to CUDA's driver.
inline constexpr uint32_t RivalBytes = 128;

/// How CUDA's driver is listened to.
enum class CudaCapture : uint32_t {
  None = 0,        ///< the program has not begun to use it
  Cupti = 1,       ///< by CUPTI
  NoCupti = 2,     ///< not at all: no libcupti that can be used was found
  CuptiFailed = 3, ///< not at all: it did not let us
  CuptiTaken = 4,  ///< not at all: another tool has it
  Interposed = 5,  ///< where the program looks functions up
  NotInjected = 6, ///< not at all: the driver has loaded another library
  NotWanted = 7,   ///< not at all: the program looks nothing up
  CuptiOlder = 8,  ///< by CUPTI, which does not know all calls
};

/// A device as CUDA's driver has it in a process; by its ordinal there. State
/// is written last.
struct CudaDevice {
  std::atomic<uint32_t> State; ///< 1: written
  uint32_t Pad;
  uint8_t Uuid[16]; ///< zeroes: not known
  char Name[96];    ///< ends with NUL
  char Pci[24];     ///< ends with NUL
  uint64_t Bytes;
};
static_assert(sizeof(CudaDevice) == 152);
inline constexpr uint32_t MaxCudaDevices = 64;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_CUDA_H
