//===- Layout.h - Shared memory between program and recorder ----*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one definition of what a recorded program (lib/Capture) and the recorder
// (lib/Record) share: a sealed memfd for each process image, and the greeting
// on the recorder's socket by which the image gets it. Plain structs; no libc,
// no LLVM. docs/Capture.md explains the protocol.
//
// Who writes what stands at each field: P the program, R the recorder. Neither
// side trusts the other: the recorder copies, checks, then uses; the program
// reads only Settings, Tail, Heartbeat and RecorderLock, and none of them can
// make it fault.
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_WIRE_LAYOUT_H
#define MEMKIT_WIRE_LAYOUT_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace memkit::wire {

inline constexpr uint64_t Magic = 0x31657269576b6d4dull; // "MmkWire1"
inline constexpr uint32_t Version = 11;

/// Environment variables that memrec sets and the exec hooks put back.
inline constexpr char SocketVar[] = "MEMREC_SOCKET";   ///< path of the socket
inline constexpr char PreloadVar[] = "MEMREC_PRELOAD"; ///< path of libmemrec.so
/// NVTX's own, set to libmemrec.so unless the user has set it.
inline constexpr char NvtxVar[] = "NVTX_INJECTION64_PATH";
/// CUDA's driver's own, set to libmemrec-cuda.so unless the user has set it.
inline constexpr char CudaVar[] = "CUDA_INJECTION64_PATH";

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

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
  /// its number, one for each in the image and rising; Stack: where.
  ScopeBegin = 16,
  /// The scope Size ends, in whatever thread; one that another image began is
  /// none.
  ScopeEnd = 17,
  Mark = 18, ///< Address: text or 0; Size: MarkWhat
  /// The program waits for an answer in a slot. Address: scope; 0: the
  /// thread's innermost one, or the image; Size: slot | ticket << 8.
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
  // Of heaps that the program has told of (NVTX), by numbers up to MostPools.
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
inline constexpr uint32_t MostPools = 255;
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

/// Positions count records from the memfd's birth and never wrap; a record's
/// place is position % RingRecords. They go on over owners.
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

//===----------------------------------------------------------------------===//
// Stacks: nodes (parent + code), code (address + module), modules
//===----------------------------------------------------------------------===//

/// Node ids are dense from 1 (0: the root). A node is written before any record
/// that names it is published; Parent is less than its own id.
///
/// Three kinds of path stand in the one tree: native frames; Python frames
/// alone (codes of the kinds Python and PythonEntry, from the root); and a
/// *pair*, a leaf that says: the native path Parent (0: none is known), in
/// whose evaluator frames the Python path PairBit ^ Code runs. Both are less
/// than the pair's own id; a pair has no children.
struct Node {
  std::atomic<uint32_t> Parent;
  std::atomic<uint32_t> Code; ///< 0: not written yet
};
static_assert(sizeof(Node) == 8);
inline constexpr uint32_t PairBit = 1u << 31;

enum class CodeKind : uint32_t {
  None = 0,
  Native = 1, ///< Address: a return address less 1, or the caller's pc
  Gap = 2,    ///< frames left out here (--max-depth)
  NoCfi = 3,  ///< the unwinder could not go on from its child
  /// A line of a Python function. Address: the line, 0: not known; Module: the
  /// id of the PythonFunction.
  Python = 4,
  /// The same, for a frame with which a run of the evaluator begins: it and the
  /// Python frames inside it, up to the next entry, are run by one native frame
  /// of the kind Evaluator. The n-th entry of a thread's stack, from the root,
  /// belongs to its n-th evaluator frame.
  PythonEntry = 5,
  /// As Native, within the interpreter's evaluator.
  Evaluator = 6,
};
inline constexpr uint32_t NumCodeKinds = 7;

/// Code ids are dense from 1. One id for each (address, module): after a module
/// is unmapped its ids are not used again.
struct Code {
  std::atomic<uint64_t> Address;
  std::atomic<uint32_t> Module; ///< id, 0: no module owns the address
  std::atomic<uint32_t> Kind;   ///< CodeKind, written last
};
static_assert(sizeof(Code) == 16);

enum class ModuleState : uint32_t { None = 0, Mapped = 1, Unmapped = 2 };

/// Module ids are dense from 1. State is written last.
struct Module {
  uint64_t Start; ///< of its lowest mapping
  uint64_t End;
  uint64_t Bias; ///< load-time address - address in the file's headers
  std::atomic<uint32_t> State;
  uint32_t BuildIdSize; ///< 0: none found
  uint8_t BuildId[32];
  char Path[960]; ///< ends with NUL; as the loader names it
};
static_assert(sizeof(Module) == 1024);

/// A Python function (a code object). Ids are dense from 1. One id for each
/// code object; when its memory is used for another, that has an id of its own.
struct PythonFunction {
  uint32_t File; ///< text
  uint32_t Name; ///< text: its qualified name, where the version has it
  uint32_t FirstLine;
  std::atomic<uint32_t> State; ///< 1: written; last
};
static_assert(sizeof(PythonFunction) == 16);

/// Texts stand in a region of bytes one after another, each at a multiple of
/// TextAlign: its size in bytes as a uint32_t, then as many bytes of UTF-8 (a
/// lone surrogate as `\udcXX`), without a NUL. A text's number is its offset /
/// TextAlign + 1; 0: no text. It is written before what names it, and lies
/// within one piece of PieceBytes.
inline constexpr uint64_t TextAlign = 8;
inline constexpr uint32_t MaxTextBytes = 4096; ///< longer ones are cut

/// What the interpreter in an image is, and why it is not walked.
enum class PythonState : uint32_t {
  None = 0,   ///< no interpreter has been seen
  Walked = 1, ///< its frames are recorded
  UnknownVersion = 2,
  DebugBuild = 3,
  FreeThreaded = 4,
  /// Its structures are not those of its version.
  OtherLayout = 5,
  NoSymbols = 6, ///< what must be looked up is not there
  PyPy = 7,      ///< another implementation
};

/// What of PyTorch's contexts is recorded.
enum class TorchState : uint32_t {
  None = 0,       ///< PyTorch has not been seen
  Observed = 1,   ///< all
  NoSequence = 2, ///< what autograd runs cannot be told to be of a layer
  NoObserver = 3, ///< nothing: what must be looked up is not there
};

/// What PyTorch's allocator of CUDA devices tells, beside the sizes of blocks.
enum class CudaState : uint32_t {
  None = 0,           ///< no such device has been seen
  Tracked = 1,        ///< requests, streams, segments
  NoTracker = 2,      ///< nothing: it has no trace tracker (before 2.2)
  UnknownVersion = 3, ///< nothing: where the tracker is attached is not known
  OtherLayout = 4,    ///< nothing: it is not what its version has
  OtherAllocator = 5, ///< nothing: another one stands in its place
  Pool = 6,           ///< cudaMallocAsync's: blocks are those of its calls
};

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

/// Whether the interpreter's objects are recorded.
enum class ObjectState : uint32_t {
  None = 0,      ///< not yet, or nobody wants them
  Recorded = 1,  ///< from some time on
  NoSymbols = 2, ///< what must be looked up is not there
};

//===----------------------------------------------------------------------===//
// Answers: what a program asks of the recorder
//===----------------------------------------------------------------------===//

/// A heap of the image in a span of time, as memkit.h has it.
struct HeapReply {
  char Name[40]; ///< ends with NUL
  uint64_t Allocations, Frees, AllocatedBytes, FreedBytes;
  uint64_t Before, Peak, After; ///< live bytes
};
static_assert(sizeof(HeapReply) == 96);
inline constexpr uint32_t MaxReplyHeaps = 24;

/// What a heap's allocator reserves, in the same span.
struct ReservedReply {
  uint64_t IsKnown; ///< 0: nothing else here says anything
  uint64_t Reserved, Peak, Active;
};

struct Reply {
  uint64_t DurationNs;
  uint32_t NumHeaps; ///< more than MaxReplyHeaps: there is no such scope
  uint32_t Pad;
  HeapReply Total; ///< of the domain `host`
  HeapReply Heaps[MaxReplyHeaps];
  ReservedReply Reserved[MaxReplyHeaps]; ///< as Heaps
};

/// A thread takes a free slot by compare-and-swap to Asked, and publishes an
/// Ask record with its ticket. R writes the answer and makes it Answered, by
/// compare-and-swap, and wakes who waits on State (a futex); P makes it free.
/// A thread that gives up makes it Abandoned; then R makes it free.
enum class ReplyPhase : uint32_t {
  Free = 0,
  Asked = 1,
  Answered = 2,
  Abandoned = 3,
};
struct ReplySlot {
  std::atomic<uint32_t> State; ///< ticket << 2 | ReplyPhase; 0: free
  uint32_t Pad;
  Reply Answer;
};
inline constexpr uint32_t NumReplySlots = 8;
inline constexpr uint32_t replyState(uint32_t Ticket, ReplyPhase P) {
  return Ticket << 2 | uint32_t(P);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// What the program is about to execute, for those that cannot greet.
/// Slots are used in turn; a later exec overwrites the slot of one 16 before
/// it.
struct ExecSlot {
  std::atomic<uint32_t> Sequence; ///< odd: being written
  uint32_t Pid;
  char Path[504];
};
inline constexpr uint32_t NumExecSlots = 16;

/// Devices of PyTorch whose tensors an image reports.
inline constexpr uint32_t MaxTensorDevices = 64;

/// A device as CUDA's driver has it in an image; by its ordinal there. State is
/// written last.
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

enum class OnFull : uint32_t { Drop = 0, Wait = 1 };

/// Groups of heaps that the program can leave out.
enum HeapBits : uint32_t {
  HB_Malloc = 1,
  HB_Maps = 2,   ///< all that mmap, mremap, mprotect, brk make
  HB_Stacks = 4, ///< of threads
  HB_All = ~0u,
};

/// What is recorded of PyTorch.
enum TorchBits : uint32_t {
  TB_None = 0,
  TB_Heaps = 1,    ///< tensors
  TB_Contexts = 2, ///< operators, layers, ranges, steps
  TB_All = TB_Heaps | TB_Contexts,
};

/// How CUDA's driver is to be listened to.
enum class CudaMode : uint32_t {
  Off = 0,
  Cupti = 1,     ///< by wrappers, where that cannot be
  Interpose = 2, ///< by wrappers
};

/// Which frames a stack has.
enum StackBits : uint32_t {
  SB_None = 0,
  SB_Native = 1,
  SB_Python = 2,
  SB_Mixed = SB_Native | SB_Python,
};

/// What hooks record.
enum RecordingBits : uint32_t {
  RB_On = 1,          ///< allocations; without it, frees and marks alone
  RB_SomeUnknown = 2, ///< the recorder does not know of all blocks that live
  RB_Scopes = 4,      ///< scopes of PyTorch also while nothing is recorded
};

/// How the image is to record. Written by R before the memfd is handed over,
/// then only Recording changes, by R and by P (which says so with a Mark).
struct Settings {
  std::atomic<uint32_t> Recording; ///< RecordingBits
  uint32_t OnFullMode;
  uint32_t WaitMs;   ///< the longest wait on a full ring
  uint32_t MaxDepth; ///< frames of a stack
  uint32_t Follow;   ///< 0: exec hooks remove the variables
  uint32_t Heaps;    ///< HeapBits: what is recorded
  uint64_t MinSize;  ///< blocks of fewer bytes are not recorded
  /// Of the blocks of malloc one byte in so many, on average, is sampled; 0:
  /// all are recorded.
  uint64_t SampleBytes;
  uint64_t SampleSeed;    ///< for tests: samples come alike; 0: of the clock
  uint32_t Stacks;        ///< StackBits
  uint32_t PythonObjects; ///< 1: objects of the interpreter's allocators too
  uint32_t Torch;         ///< TorchBits
  uint32_t Cuda;          ///< CudaMode
};
static_assert(sizeof(Settings) == 64);

/// Where the regions of the memfd stand. Written by R before it is handed over.
struct Regions {
  uint64_t Size;
  uint64_t RingHeaders, Rings;
  uint32_t MaxRings, Pad0;
  uint64_t Nodes; ///< entry 0 is unused, as in the other tables
  uint64_t Codes;
  uint64_t Modules;
  uint32_t MaxNodes, MaxCodes, MaxModules, MaxFunctions;
  uint64_t Functions;
  uint64_t Texts, TextBytes;
};

/// Both sides map tables in pieces of these sizes, as they fill. Regions begin
/// at multiples of PieceBytes; the control region and the ring headers are
/// mapped at once.
inline constexpr uint64_t PieceBytes = 1ull << 20;
inline constexpr uint64_t ControlBytes = 64ull << 10;

/// The first ControlBytes of the memfd.
struct Control {
  uint64_t MagicValue;
  uint32_t VersionValue;
  uint32_t Image; ///< R: the image's id in the trace
  wire::Regions Regions;
  wire::Settings Settings;

  /// R holds it as a robust, shared pthread mutex for as long as it lives; the
  /// first word is the futex. FUTEX_OWNER_DIED (0x40000000) there: R is dead.
  alignas(64) unsigned char RecorderLock[64];
  /// R: rises with every pass.
  alignas(64) std::atomic<uint64_t> Heartbeat;
  /// R: 1 when it takes no more (it completes the trace); P stops recording.
  std::atomic<uint32_t> Detached;

  /// R: the folder that holds the Python package, for interpreters that lack
  /// it; ends with NUL, empty: there is none.
  char PythonFolder[512];

  // All below is P's.
  alignas(64) std::atomic<uint32_t> Pid;
  std::atomic<uint32_t> NextNode;   ///< first id not given yet; starts at 1
  std::atomic<uint32_t> NextCode;   ///< "
  std::atomic<uint32_t> NextModule; ///< "
  std::atomic<uint32_t>
      RingsUsed; ///< rings with a greater number were never claimed
  std::atomic<uint32_t> HasExitStatus;
  std::atomic<int32_t> ExitStatus;
  std::atomic<uint32_t> ModulesChanged; ///< rises when a module is unmapped
  alignas(
      64) std::atomic<uint64_t> LostTableFull; ///< events given to an ancestor
  std::atomic<uint64_t> LostNoRing;
  std::atomic<uint64_t> LostReentrant; ///< in a signal handler inside a hook
  std::atomic<uint32_t> NextExec;
  /// Heartbeat, plus 1, at which a whole wait for R was in vain: while it has
  /// not moved on, neither this image nor a child of it waits again. 0: none.
  std::atomic<uint64_t> DeadBeat;
  ExecSlot Execs[NumExecSlots];
  std::atomic<uint64_t> ExitTsc;      ///< the clock when ExitStatus was set
  std::atomic<uint32_t> NextFunction; ///< first id not given yet; starts at 1
  std::atomic<uint32_t> NextText; ///< first offset / TextAlign not given yet
  std::atomic<uint32_t> Python;   ///< PythonState
  std::atomic<uint32_t> PythonVersion; ///< as PY_VERSION_HEX; 0: not known
  std::atomic<uint32_t> NextTicket;    ///< of those who ask
  std::atomic<uint32_t> Objects;       ///< ObjectState
  std::atomic<uint32_t> Torch;         ///< TorchState
  std::atomic<uint32_t> TorchCuda;     ///< CudaState
  /// By number; 0: free; else bit 16, and as c10 has it: the device's type in
  /// the low byte, its index above.
  std::atomic<uint32_t> TensorDevices[MaxTensorDevices];
  std::atomic<uint32_t> Cuda; ///< CudaCapture
  uint32_t CuptiResult;       ///< why, of CuptiFailed; written before
  uint32_t CudaWhy;           ///< CudaCapture: why, or how; written before
  uint32_t Pad1;
  CudaDevice CudaDevices[MaxCudaDevices];
  ReplySlot Replies[NumReplySlots]; ///< P and R
};
static_assert(sizeof(Control) <= ControlBytes);

//===----------------------------------------------------------------------===//
// The greeting: SOCK_SEQPACKET, one message each way
//===----------------------------------------------------------------------===//

struct Hello {
  uint64_t MagicValue = Magic;
  uint32_t VersionValue = Version;
  uint32_t Pid = 0;
  uint32_t ParentImage = 0; ///< of a forked child; 0 after exec
  uint32_t Pad = 0;
};

/// Comes with the memfd as SCM_RIGHTS. Image 0: not recorded, no descriptor.
struct Welcome {
  uint64_t MagicValue = Magic;
  uint32_t VersionValue = Version;
  uint32_t Image = 0;
  uint64_t Size = 0;
};

} // namespace memkit::wire

#endif // MEMKIT_WIRE_LAYOUT_H
