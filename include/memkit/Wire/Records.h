// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program writes into its rings.
//
// The records, 32 bytes each, and the rings that they stand in. A part of
// Layout.h, which says who writes what.

#ifndef MEMKIT_WIRE_RECORDS_H
#define MEMKIT_WIRE_RECORDS_H

#include <atomic>
#include <cstdint>

namespace memkit::wire {

enum class RecordKind : uint8_t {
  None = 0,
  Allocate = 1, ///< Address, Size, Function, Stack, Context
  Free = 2,     ///< Address; published before the real free
  /// Address is about to be reallocated; published before. The block is the
  /// thread's until the ReallocEnd that follows in the same ring.
  ReallocBegin = 3,
  /// Address is the new block with Size, Function, Stack; 0: failed, the old
  /// block lives on; Unrecorded: it is gone, and the new one is not recorded.
  ReallocEnd = 4,
  /// First record of a ring's owner; Address: tid. Size: 0, or the number + 1
  /// of the ring in which this thread has written a ThreadEnd: what its last
  /// destructors do is still its own.
  ThreadStart = 5,
  ThreadEnd = 6,  ///< Address, Size: its stack, as MapClass::Stack; or 0
  Exec = 7,       ///< Address: index of the ExecSlot; Size: calling pid
  ExecFailed = 8, ///< Address: as its Exec; Size: calling pid
  Spawned = 9,    ///< posix_spawn gave pid Address; Size: index of the ExecSlot
  /// Address | MapClass, Size, Function, Stack, Context: pages were mapped;
  /// what was there is gone. Published after the call, as are all that follow
  /// but Unmap and RemapBegin.
  Map = 10,
  Unmap = 11,   ///< Address, Size, in bytes; published before
  Protect = 12, ///< as Map; the class is Used or Reserved: accessible or not
  /// Address, Size: the old pages; published before. The RemapEnd follows in
  /// the same ring.
  RemapBegin = 13,
  /// Address | RemapFlags, Size, Function, Stack: the new pages; 0: failed.
  RemapEnd = 14,
  /// Address, Size, in bytes, Function, Stack: the program moved its break up.
  Break = 15,
  /// The thread enters a scope. Address: text of its name | ScopeFlags; Size:
  /// its number, one for each in the process and rising; Stack: where.
  ScopeBegin = 16,
  /// The scope Size ends, in whatever thread; one that another process began is
  /// none.
  ScopeEnd = 17,
  Mark = 18, ///< Address: text or 0; Size: MarkWhat
  /// The program waits for an answer in a slot. Address: scope; 0: the
  /// thread's innermost one, or the process; Size: slot | ticket << 8.
  Ask = 19,
  /// Of blocks of the interpreter's allocators, a heap of its own: Address,
  /// Size, Function, Stack; Context: 1 when malloc was called meanwhile, so
  /// that the block may lie in one of malloc.
  ObjectAllocate = 20,
  ObjectFree = 21,         ///< as Free
  ObjectReallocBegin = 22, ///< as ReallocBegin
  ObjectReallocEnd = 23,   ///< as ReallocEnd, with the Context of its kind
  // Of tensors' memory; Function: the number of a device in TensorDevices.
  TensorAllocate = 24, ///< Address, Size, Function, Stack
  /// Address, Function; published before the real free. Size: 1 when streams
  /// still use it, and a TensorReusable is to come.
  TensorFree = 25,
  /// Address, Size: what the device's allocator has given out and reserves now.
  TensorReserved = 26,
  /// Size bytes could not be had, Context its bits from 48 on. Address: what is
  /// reserved; Stack.
  TensorOom = 27,
  /// The scopes whose name is the text Address, which had SF_Unnamed, are
  /// called Size, a text.
  ScopeName = 28,
  // Of heaps that the program has told of (NVTX), by numbers up to MaxPools.
  PoolBegin =
      29, ///< Stack: number; Context: text of its name; Size: of its range
  PoolEnd = 30,      ///< Stack: number; its regions end. Address 1: so does it
  PoolAllocate = 31, ///< Address, Size, Stack; Context: number
  PoolFree = 32,     ///< Address; Context: number, or 0: not known
  PoolResize = 33,   ///< Address, Size, Stack
  PoolName = 34,     ///< Address; Stack: text; Context: as PoolFree
  // What CUDA's allocator of PyTorch tells beside.
  /// Of the ring's next TensorAllocate, with the same Address. Size: as
  /// requested; Stack, Context: low and high half of its stream. Of its next
  /// TensorOom: Address: what is free on the device.
  TensorRequest = 35,
  /// Likewise: it is of a private pool. Address, Size: the numbers of its id.
  TensorPool = 36,
  /// Address, Size, Function, Stack; Context: SegmentChange. Before the blocks
  /// in it.
  TensorSegment = 37,
  TensorReusable = 38, ///< Address: no stream uses what was there any more
  /// Address: of a tensor's memory; Function: HeldBy; Size: text of the
  /// module's name, 0 for an optimizer.
  ModuleTensor = 39,
  // Of what CUDA's driver is asked for. Function: CudaFunction; Context: a
  // CudaPlace.
  DeviceAllocate = 40, ///< Address, or a handle; Size, Stack
  DeviceFree = 41,     ///< Address; published before the real free
  DeviceOom = 42,      ///< Address: the bytes that could not be had; Stack
  /// Of the ring's next DeviceAllocate: Address: its stream; Size: its pool. Of
  /// its next DeviceMap: Address: what is mapped; Size: from where on.
  DeviceDetail = 43,
  /// The context of the place is gone, and what was allocated in it.
  DeviceContextEnd = 44,
  DeviceMap = 45,   ///< Address, Size: what of a reservation has memory; Stack
  DeviceUnmap = 46, ///< Address, Size; published before
  /// Address: bytes of the device in use; Size: that it has; Function: a
  /// DeviceMoment.
  DeviceUsed = 47,
  /// Address: what a pool has given out; Size: what it has of the device. Of
  /// the heap Graph: what its graphs use, and have. Function: a PoolMoment.
  DeviceReserved = 48,
  /// As Ask, with a DeviceMoment of contexts in Address: the recorder looks how
  /// much of the device is used, and answers nothing but that it has.
  DeviceAsk = 49,
};
inline constexpr uint8_t NumRecordKinds = 50;
/// Whose a tensor is: a module's parameter or buffer, a parameter that an
/// optimizer trains, or what it keeps of one.
enum class HeldBy : uint8_t {
  Module = 0,
  OptimizerGroup = 1,
  OptimizerState = 2
};
inline constexpr uint32_t MaxPools = 255;
inline constexpr uint64_t Unrecorded = 1;

/// What pages are, in the low bits of a page's address.
enum class MapClass : uint8_t {
  Used = 0,     ///< anonymous and accessible
  Reserved = 1, ///< anonymous; inaccessible or MAP_NORESERVE
  File = 2,
  Device = 3,
  Stack = 4, ///< of a thread
};
inline constexpr uint8_t NumMapClasses = 5;
enum RemapFlags : uint64_t { RF_OldStays = 1 };
inline constexpr uint64_t PageFlagsMask = 4095;

enum ScopeFlags : uint64_t {
  SF_NoContext = 1ull << 32, ///< measured alone
  SF_NoMeasure = 2ull << 32, ///< a context alone
  SF_Python = 4ull << 32,    ///< the innermost frames are the package's own
};
/// What a scope is, among its flags; without: one of the program's own. Layers
/// are found by frames, and operators called in great number: those and what is
/// below have no stack.
enum ScopeKindFlag : uint64_t {
  SF_Layer = 1ull << 36,
  /// Context: the innermost node of Python's frames.
  SF_Operator = 2ull << 36,
  SF_Range = 3ull << 36, ///< as an operator
  /// A node of autograd. Stack, Context: low and high half of the number of the
  /// operator that it is of; 0: not known.
  SF_Backward = 4ull << 36,
  /// A range of NVTX. Context: its color as ARGB; 0: none.
  SF_Nvtx = 5ull << 36,
  SF_KindMask = 15ull << 36,
  /// Of a layer: its text, no other scope's, stands for a name that may follow.
  SF_Unnamed = 1ull << 40,
};
enum class MarkWhat : uint8_t {
  User = 0,
  Step = 1,
  On = 2,
  Off = 3,
  // Stack, Context: low and high half of the number of a range that one thread
  // may begin and another end.
  RangeBegin = 4,
  RangeEnd = 5,
};

/// What becomes of the segments that PyTorch's allocator holds of a device. One
/// that expands is a range of addresses of which parts are mapped.
enum class SegmentChange : uint32_t {
  Allocate = 0,
  Free = 1, ///< Address 0: of all segments no more will be told
  Map = 2,
  Unmap = 3,
  First = 4, ///< one that was there before: of either kind
};

/// What the program called; the recorder makes it the stack's leaf frame.
enum class AllocFunction : uint8_t {
  None = 0,
  Malloc,
  Calloc,
  Realloc,
  ReallocArray,
  PosixMemalign,
  AlignedAlloc,
  Memalign,
  Valloc,
  Pvalloc,
  New,
  NewArray,
  NewAligned,
  NewArrayAligned,
  Mmap,
  Mremap,
  Mprotect,
  Brk,
  Sbrk,
  PthreadCreate,
  PyMemMalloc, ///< the first that makes objects
  PyMemCalloc,
  PyMemRealloc,
  PyObjectMalloc,
  PyObjectCalloc,
  PyObjectRealloc,
};
inline constexpr uint8_t NumAllocFunctions = 26;
inline constexpr bool makesObjects(uint8_t Function) {
  return Function >= uint8_t(AllocFunction::PyMemMalloc) &&
         Function < NumAllocFunctions;
}

/// Times rise within a ring, but for the records of signal handlers, which may
/// be a little before the one ahead of them.
struct Record {
  uint64_t Tsc;
  uint64_t Address;
  uint64_t SizeKindFunction; ///< bits 0-47 size, 48-55 kind, 56-63 function
  uint32_t Stack;            ///< node, 0: none
  uint32_t Context;          ///< 0: none

  static constexpr uint64_t MaxSize = (1ull << 48) - 1;
  static constexpr uint64_t pack(uint64_t Size, RecordKind K,
                                 AllocFunction F = AllocFunction::None) {
    return (Size > MaxSize ? MaxSize : Size) | uint64_t(K) << 48 |
           uint64_t(F) << 56;
  }
  uint64_t size() const { return SizeKindFunction & MaxSize; }
  uint8_t kind() const { return uint8_t(SizeKindFunction >> 48); }
  uint8_t function() const { return uint8_t(SizeKindFunction >> 56); }
};
static_assert(sizeof(Record) == 32);

//===----------------------------------------------------------------------===//
// Rings: one writer (the thread that owns it), one reader (the recorder)
//===----------------------------------------------------------------------===//

inline constexpr uint32_t RingRecords = 8192; ///< 256 KiB
inline constexpr uint64_t RingBytes = uint64_t(RingRecords) * sizeof(Record);

enum class RingState : uint32_t {
  Free = 0,     ///< a thread may claim it by compare-and-swap to Owned
  Owned = 1,    ///< its thread writes
  Released = 2, ///< P: its thread has ended; R makes it Free once drained
};

/// Positions count records from the memfd's start and never wrap; a
/// record's place is position % RingRecords. They go on over owners.
struct alignas(64) RingHeader {
  // The writer's line.
  std::atomic<uint64_t> Head; ///< P: records published; store-release
  std::atomic<uint32_t> State;
  std::atomic<uint32_t> Tid;  ///< P: owner
  std::atomic<uint64_t> Lost; ///< P: records dropped, the ring being full
  uint64_t Pad0[5];
  // The reader's line.
  std::atomic<uint64_t> Tail; ///< R: records consumed; store-release
  uint64_t Pad1[7];
};
static_assert(sizeof(RingHeader) == 128);

} // namespace memkit::wire

#endif // MEMKIT_WIRE_RECORDS_H
