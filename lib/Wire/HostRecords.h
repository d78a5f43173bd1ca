// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of malloc, mappings, threads and processes.
//
// Sizes and addresses in bytes. Stack: a node of the stack table, 0 for none.
// The record of an allocation follows the call; the record of a free precedes
// the call, so that the address cannot come from another thread first.

#ifndef MEMKIT_LIB_WIRE_HOSTRECORDS_H
#define MEMKIT_LIB_WIRE_HOSTRECORDS_H

#include "Record.h"

namespace memkit::wire {

/// The function that the program called; the recorder makes it the stack's leaf
/// frame.
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
  Mallocx, ///< jemalloc's
  Rallocx,
  PyMemMalloc, ///< the first for objects
  PyMemCalloc,
  PyMemRealloc,
  PyObjectMalloc,
  PyObjectCalloc,
  PyObjectRealloc,
};
inline constexpr uint8_t NumAllocFunctions = 28;
inline constexpr bool makesObjects(uint8_t Function) {
  return Function >= uint8_t(AllocFunction::PyMemMalloc) &&
         Function < NumAllocFunctions;
}

/// The address of a reallocated block that is not recorded.
inline constexpr uint64_t Unrecorded = 1;

//===----------------------------------------------------------------------===//
// malloc
//===----------------------------------------------------------------------===//

struct AllocateRecord {
  using Layout = RecordLayout<RecordKind::Allocate, InAddress, InSize,
                              InFunction, InStack>;
  uint64_t Address;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
};

struct FreeRecord {
  using Layout = RecordLayout<RecordKind::Free, InAddress>;
  uint64_t Address;
};

/// The block is about to be reallocated. Only this thread may use it until the
/// ReallocEndRecord that follows in the ring.
struct ReallocBeginRecord {
  using Layout = RecordLayout<RecordKind::ReallocBegin, InAddress>;
  uint64_t Address;
};

/// Address: the new block's; 0: the call failed, the old block lives on;
/// Unrecorded: the old block is gone, and the new block is not recorded.
struct ReallocEndRecord {
  using Layout = RecordLayout<RecordKind::ReallocEnd, InAddress, InSize,
                              InFunction, InStack>;
  uint64_t Address;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
};

/// A function of malloc's or mmap's family found no memory.
struct HostOomRecord {
  using Layout = RecordLayout<RecordKind::HostOom, InSize, InFunction, InStack>;
  uint64_t Requested;
  AllocFunction Function;
  uint32_t Stack;
};

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

/// The use of pages.
enum class MapClass : uint8_t {
  Used = 0,     ///< anonymous and accessible
  Reserved = 1, ///< anonymous; inaccessible or MAP_NORESERVE
  File = 2,
  Device = 3,
  Stack = 4, ///< of a thread
};
inline constexpr uint8_t NumMapClasses = 5;
/// The low bits of a page's address, free for other values.
inline constexpr uint64_t PageFlagsMask = 4095;
using InPage = AddressBits<~PageFlagsMask>;
using InPageFlags = AddressBits<PageFlagsMask>;

/// Pages were mapped; earlier mappings there are gone. Published after the
/// call, like all records of mappings except UnmapRecord and RemapBeginRecord.
struct MapRecord {
  using Layout = RecordLayout<RecordKind::Map, InPage, InPageFlags, InSize,
                              InFunction, InStack>;
  uint64_t Page;
  MapClass Class;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
};

struct UnmapRecord {
  using Layout = RecordLayout<RecordKind::Unmap, InAddress, InSize>;
  uint64_t Address;
  uint64_t Size;
};

/// Pages became accessible (Class Used) or inaccessible (Reserved).
struct ProtectRecord {
  using Layout = RecordLayout<RecordKind::Protect, InPage, InPageFlags, InSize,
                              InFunction, InStack>;
  uint64_t Page;
  MapClass Class;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
};

/// The old pages; the RemapEndRecord follows in the same ring.
struct RemapBeginRecord {
  using Layout = RecordLayout<RecordKind::RemapBegin, InAddress, InSize>;
  uint64_t Address;
  uint64_t Size;
};

/// The new pages. Page 0: the call failed.
struct RemapEndRecord {
  using Layout = RecordLayout<RecordKind::RemapEnd, InPage, InPageFlags, InSize,
                              InFunction, InStack>;
  uint64_t Page;
  bool OldStays; ///< the old pages are mapped as before
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
};

/// The program moved its break up by Size bytes from Address.
struct BreakRecord {
  using Layout =
      RecordLayout<RecordKind::Break, InAddress, InSize, InFunction, InStack>;
  uint64_t Address;
  uint64_t Size;
  AllocFunction Function;
  uint32_t Stack;
};

//===----------------------------------------------------------------------===//
// Threads and processes
//===----------------------------------------------------------------------===//

/// The first record of a ring's owner.
struct ThreadStartRecord {
  using Layout = RecordLayout<RecordKind::ThreadStart, InAddress, InSize>;
  uint64_t Tid;
  /// 0, or the number + 1 of the ring with the thread's ThreadEndRecord: the
  /// thread's last destructors write to this ring.
  uint64_t EndedRing;
};

/// Begin, Size: of the thread's stack, a block of MapClass::Stack; 0: none.
struct ThreadEndRecord {
  using Layout = RecordLayout<RecordKind::ThreadEnd, InAddress, InSize>;
  uint64_t Begin;
  uint64_t Size;
};

/// A process is about to run another program.
struct ExecRecord {
  using Layout = RecordLayout<RecordKind::Exec, InAddress, InSize>;
  uint64_t Slot; ///< index of the ExecSlot with the path
  uint64_t Pid;  ///< the caller's, as its namespace has it
};

struct ExecFailedRecord {
  using Layout = RecordLayout<RecordKind::ExecFailed, InAddress, InSize>;
  uint64_t Slot, Pid; ///< as ExecRecord
};

/// posix_spawn() made a process.
struct SpawnedRecord {
  using Layout = RecordLayout<RecordKind::Spawned, InAddress, InSize>;
  uint64_t Pid;  ///< the new process's, as the caller's namespace has it
  uint64_t Slot; ///< as ExecRecord
};

using HostRecords =
    RecordList<AllocateRecord, FreeRecord, ReallocBeginRecord, ReallocEndRecord,
               HostOomRecord, MapRecord, UnmapRecord, ProtectRecord,
               RemapBeginRecord, RemapEndRecord, BreakRecord, ThreadStartRecord,
               ThreadEndRecord, ExecRecord, ExecFailedRecord, SpawnedRecord>;

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_HOSTRECORDS_H
