// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of a trace: points in time with a name and values.
//
// The rows of Marks sections. A part of Sections.h, which has the units.

#ifndef MEMKIT_TRACE_MARKS_H
#define MEMKIT_TRACE_MARKS_H

#include <cstdint>
#include <vector>

namespace memkit {

struct ClockTriple {
  uint64_t Tsc = 0;
  uint64_t MonotonicNs = 0; ///< CLOCK_MONOTONIC
  uint64_t RealtimeNs = 0;  ///< CLOCK_REALTIME, since 1970
  bool operator==(const ClockTriple &) const = default;
};

enum class MarkKind : uint8_t {
  Clock = 0,      ///< Clock
  Step = 1,       ///< Id: number of the step that starts
  User = 2,       ///< Name
  RangeBegin = 3, ///< Name, Id
  RangeEnd = 4,   ///< Id
  Rss = 5, ///< Values: resident, shared part, if known swapped out (bytes)
  /// Id: device; Values: used, total; if the recorder knew, also accounted for;
  /// contexts, modules and other processes, as parts of the remainder; and the
  /// bytes of the recorded processes. UnknownBytes among these four: not
  /// known. Of a device that shares the machine's memory also what the machine
  /// can still give; total is then the machine's.
  DeviceUsed = 6,
  /// Heap; Values: reserved, active, bytes returned by a trim (UnknownBytes: no
  /// trim, and more values follow); in a heap with several pools also reserved
  /// and active of the pool Id alone. Id: the pool's number in blocks; 0: the
  /// device's own pool.
  HeapReserved = 7,
  Oom =
      8, ///< Heap, Stack, ScopePath, Thread; Values: requested, live, reserved
  Alert = 9,       ///< Name: text
  Loss = 10,       ///< Id: LossKind; Values: count
  ProcessEnd = 11, ///< Values: exit status (128+n when killed), signal, if
                   ///< known the highest resident bytes; empty: unknown
  ScopeName = 12,  ///< ScopePath, Name: the full name of a folded scope
  RecordOn = 13,
  RecordOff = 14,
  BlockName = 15, ///< Heap, Name; Id: allocation id of the block
  Pss = 16,       ///< Values: proportional share, private, swapped out (bytes)
  Version = 17,   ///< Name: `torch=2.13.0`, what the process has loaded
  /// What the resident memory consists of. Values: bytes of the first
  /// NumFirstParts of ResidentPart, then of ResidentValue, then of the other
  /// parts. Id: ResidentFlags.
  Resident = 18,
  /// A piece of the resident memory of the Resident mark before. Id:
  /// ResidentPart. MallocFree: an arena of malloc; Heap, Stack: of the live
  /// block at its top; Values: start address, resident bytes, bytes of live
  /// blocks, bytes of pages without a block, pieces of 64 MiB. Other parts:
  /// Heap, Stack; Values: resident bytes, size, mappings.
  ResidentPiece = 19,
  /// A name of Python holds a block. Heap, Stack, Name: the path; Id:
  /// allocation id of the block; Values: bytes, HeldByBits. Without a Name the
  /// walk that found the names before it; Values: objects seen, HeldByBits,
  /// microseconds, blocks named.
  HeldBy = 20,
  /// What the allocator behind malloc said of itself at the exit of the
  /// process. Name: `glibc 2.36`. Id 0: Values: bytes in use, free for later
  /// requests, in mappings of their own, held from the system without these. Id
  /// N: glibc's arena N - 1; Values: in use, free. UnknownBytes: not said.
  Allocator = 21,
  /// The samples of resident memory (Resident) of the recording so far. Values:
  /// their number, the processor time that they took (ns), the time of the
  /// recording (ns).
  SampleCost = 22,
  /// The plan of a compiled program, as the framework's compiler says. Name;
  /// Values: ProgramValue. UnknownBytes: not said.
  Program = 23,
  /// Live arrays of one type and shape at the User mark before. Name:
  /// `float32[1000,1000]`; Values: their number, their bytes.
  Arrays = 24,
  /// What memrec itself takes, without its helper that finds names. Values:
  /// resident bytes, processor time so far (ns).
  Recorder = 25,
};

/// The values of a Program mark: bytes, if not said otherwise.
enum class ProgramValue : uint8_t {
  Arguments = 0,
  Outputs = 1,
  Aliased = 2,   ///< outputs that lie in arguments
  Temporary = 3, ///< memory during a run, beside arguments and outputs
  Code = 4,
  Peak = 5,     ///< the most of all together during a run
  Flops = 6,    ///< floating-point operations of a run
  Accessed = 7, ///< read and written in a run
};
inline constexpr unsigned NumProgramValues = 8;

/// The parts of the resident memory of a process. Their sum is its RSS, as far
/// as a running process can be measured.
enum class ResidentPart : uint8_t {
  Malloc = 0,     ///< live blocks of malloc
  MallocFree = 1, ///< the remainder of malloc's memory
  Object = 2,     ///< live objects of Python
  ObjectFree = 3, ///< the remainder of the arenas that hold objects
  Mapping = 4,    ///< other mappings of the program
  Stack = 5,      ///< of threads
  Module = 6,     ///< code and data of binaries
  File = 7,       ///< mapped files
  Shared = 8,     ///< shared memory
  Device = 9,     ///< mappings of drivers
  Reserved = 10,  ///< of ranges that were mapped with MAP_NORESERVE
  Inherited = 11, ///< of the parent, shared or copied
  Recorder = 12,  ///< of memrec's library
  Other = 13,     ///< none of these
  Pinned = 14,    ///< that CUDA's driver has allocated or registered
};
inline constexpr unsigned NumResidentParts = 15, NumFirstParts = 14;
/// Values of a Resident mark behind the first parts.
enum class ResidentValue : uint8_t {
  Swapped = 0,   ///< bytes that are swapped out
  Untouched = 1, ///< bytes of live blocks and mappings that never had a page;
                 ///< UnknownBytes: not known
  FreePages = 2, ///< bytes of pages without a block in all arenas of malloc
  Arenas = 3,    ///< number of arenas; only the largest have a ResidentPiece
};
inline constexpr unsigned NumResidentValues = 4;
enum ResidentFlags : uint64_t {
  RF_Sampled = 1, ///< Malloc is an estimate of sampled blocks
  RF_Unknown = 2, ///< MallocFree has live blocks that are not recorded
  RF_Alert = 4,   ///< taken because of an alert
  RF_Step = 8,    ///< taken at a step that the user named
  RF_End = 16,    ///< taken while the process exits
};
inline constexpr uint64_t UnknownBytes = ~uint64_t(0);
inline constexpr uint8_t NumMarkKinds = 26;

/// Of a mark HeldBy.
enum HeldByBits : uint8_t {
  HeldByCycle = 1,   ///< only a cycle holds the block; the path begins in it
  HeldByNoName = 2,  ///< no name leads to the block; the path begins at a type
  HeldByStopped = 4, ///< of a walk: the time or the memory ended first
  HeldByAtEnd = 8,   ///< of a walk: at the interpreter's exit
};

struct Mark {
  MarkKind Kind = MarkKind::Clock;
  uint32_t Process = 0;
  uint64_t TimeNs = 0;
  uint32_t Thread = 0;
  uint32_t Name = 0; ///< string
  uint64_t Id = 0;
  uint32_t Heap = 0;
  uint32_t Stack = 0;
  uint32_t ScopePath = 0;
  std::vector<uint64_t> Values;
  ClockTriple Clock;
  bool operator==(const Mark &) const = default;
};

struct Marks {
  std::vector<Mark> Rows;
  uint32_t Unknown = 0; ///< marks of unknown kinds, left out by the reader
  bool operator==(const Marks &) const = default;
};

} // namespace memkit

#endif // MEMKIT_TRACE_MARKS_H
