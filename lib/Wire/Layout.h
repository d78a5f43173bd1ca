// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory between program and recorder.
//
// The one definition of the memory that a recorded program (lib/Capture) and
// the recorder (lib/Record) share: a sealed memfd for each process, and the
// greeting on the recorder's socket that hands the memfd to the process. Plain
// structs; no libc, no LLVM. docs/Capture.md explains the protocol.
//
// Each field names its writer: P the program, R the recorder. Neither side
// trusts the other. The recorder copies a value, checks it, then uses it. While
// recording, the program reads Settings, Tail, Heartbeat, RecorderLock,
// Detached, PythonFolder, EndWaitUs, AllocatorWanted and Replies, and no value
// in these can make it fault.

#ifndef MEMKIT_LIB_WIRE_LAYOUT_H
#define MEMKIT_LIB_WIRE_LAYOUT_H

#include "Allocator.h"
#include "Answers.h"
#include "Cuda.h"
#include "Detours.h"
#include "FindingSources.h"
#include "Frameworks.h"
#include "Records.h"
#include "Rings.h"
#include "Stacks.h"
#include <atomic>
#include <cstdint>

namespace memkit::wire {

inline constexpr uint64_t Magic = 0x31657269576b6d4dull; // "MmkWire1"
inline constexpr uint32_t Version = 32;

/// Environment variables that memrec sets and the exec hooks restore.
inline constexpr char SocketVar[] = "MEMREC_SOCKET";   ///< path of the socket
inline constexpr char PreloadVar[] = "MEMREC_PRELOAD"; ///< path of libmemrec.so
/// Variable of NVTX, set to libmemrec.so unless the user has set it.
inline constexpr char NvtxVar[] = "NVTX_INJECTION64_PATH";
/// Variable of CUDA's driver, set to libmemrec-cuda.so unless the user has set
/// it.
inline constexpr char CudaVar[] = "CUDA_INJECTION64_PATH";

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// The program that a process is about to execute, for programs that cannot
/// greet. Slots are used in turn; a later exec overwrites the slot of the 16th
/// exec before it.
struct ExecSlot {
  std::atomic<uint32_t> Sequence; ///< odd: being written
  uint32_t Pid;
  char Path[504];
};
inline constexpr uint32_t NumExecSlots = 16;

/// Devices whose tensors a process reports.
inline constexpr uint32_t MaxTensorDevices = 64;

/// A device of tensors in one word: bits 0-7 the type and 8-15 the index as in
/// c10, 16 set, 17-19 the framework.
struct TensorDeviceWord {
  static constexpr uint32_t pack(TensorFramework F, uint16_t Device) {
    return Device | 1u << 16 | uint32_t(F) << 17;
  }
  /// The types of JAX devices that c10 does not number.
  static constexpr uint8_t Tpu = 64, OtherPlugin = 65;
  /// Host memory that PyTorch's allocator pins for CUDA.
  static constexpr uint8_t Pinned = 66;
  static constexpr uint16_t device(uint32_t Word) { return uint16_t(Word); }
  /// As the program wrote it: may be an unknown value.
  static constexpr uint32_t framework(uint32_t Word) { return Word >> 17 & 7; }
};

enum class OnFull : uint32_t { Drop = 0, Wait = 1 };

/// The type of the devices of a platform of PJRT, by the platform's name.
constexpr uint8_t jaxDevice(const char *Name, size_t Size) {
  auto Is = [&](const char *Known) {
    size_t I = 0;
    while (I != Size && Known[I] && Name[I] == Known[I])
      ++I;
    return I == Size && !Known[I] && Size;
  };
  constexpr uint8_t Cuda = 1, Hip = 6; // of c10
  return Is("cuda") || Is("gpu") ? Cuda
         : Is("rocm")            ? Hip
         : Is("tpu")             ? TensorDeviceWord::Tpu
                                 : TensorDeviceWord::OtherPlugin;
}

/// Groups of heaps that the program can leave out.
enum HeapBits : uint32_t {
  HB_Malloc = 1,
  HB_Maps = 2,   ///< mappings of mmap, mremap, mprotect, brk
  HB_Stacks = 4, ///< of threads
  HB_All = ~0u,
};

/// The recorded parts of PyTorch.
enum TorchBits : uint32_t {
  TB_None = 0,
  TB_Heaps = 1,    ///< tensors
  TB_Contexts = 2, ///< operators, layers, ranges, steps
  TB_Shapes = 4,   ///< of operators' inputs, with TB_Contexts
  TB_All = TB_Heaps | TB_Contexts,
  TB_AllAndShapes = TB_All | TB_Shapes,
};

/// The kinds of frames in a stack.
enum StackBits : uint32_t {
  SB_None = 0,
  SB_Native = 1,
  SB_Python = 2,
  SB_Mixed = SB_Native | SB_Python,
};

/// The parts that hooks record.
enum RecordingBits : uint32_t {
  RB_On = 1,          ///< allocations; without it, frees and marks alone
  RB_SomeUnknown = 2, ///< the recorder does not know all live blocks
  RB_Scopes = 4,      ///< scopes of PyTorch also while nothing is recorded
  RB_Holders = 8,     ///< a request to find the names that hold memory
};

/// When a process is to find the names of Python that hold memory.
enum HolderBits : uint32_t {
  HW_End = 1,   ///< when the interpreter ends
  HW_Oom = 2,   ///< when memory has been refused
  HW_Asked = 4, ///< when RB_Holders is set
};

/// The settings for recording a process. R writes them before handing over the
/// memfd. Later only Recording changes, by R and by P (P also writes a Mark).
struct Settings {
  std::atomic<uint32_t> Recording; ///< RecordingBits
  uint32_t OnFullMode;
  uint32_t WaitMs;   ///< maximum wait for a full ring
  uint32_t MaxDepth; ///< frames of a stack
  uint32_t Follow;   ///< 0: exec hooks remove the variables
  uint32_t Heaps;    ///< HeapBits: recorded heaps
  uint64_t MinSize;  ///< smaller blocks are not recorded
  /// The mean number of bytes between two samples of malloc's blocks; 0: all
  /// blocks are recorded.
  uint64_t SampleBytes;
  uint64_t SampleSeed; ///< for tests: equal seeds give equal samples; 0: from
                       ///< the clock
  uint32_t Stacks;     ///< StackBits
  uint32_t PythonObjects;    ///< 1: objects of the interpreter's allocators too
  uint32_t Torch;            ///< TorchBits
  uint32_t Cuda;             ///< CudaMode
  uint32_t Private;          ///< 1: blocks of private allocators, by detours
  uint32_t DeviceIntervalMs; ///< between samples of a device; 0: none
};
static_assert(sizeof(Settings) == 72);

/// The offsets of the regions in the memfd. Written by R before the handover.
struct Regions {
  uint64_t Size;
  uint64_t RingHeaders, Rings;
  uint32_t MaxRings, Pad0;
  uint64_t Nodes; ///< entry 0 is unused, as in the other tables
  uint64_t Codes;
  uint64_t Binaries;
  uint32_t MaxNodes, MaxCodes, MaxBinaries, MaxFunctions;
  uint64_t Functions;
  uint64_t Texts, TextBytes;
};

/// Both sides map tables in pieces of these sizes, as the tables fill. Regions
/// begin at multiples of PieceBytes; the control region and the ring headers
/// are mapped at once.
inline constexpr uint64_t PieceBytes = 1ull << 20;
inline constexpr uint64_t ControlBytes = 96ull << 10;

/// An alert that the program has asked for. R writes; Count last.
struct AlertSlot {
  std::atomic<uint64_t> Value; ///< when the condition last began to hold
  std::atomic<uint64_t> Bound;
  std::atomic<uint64_t> Count; ///< how often the condition began to hold
};
inline constexpr uint32_t MaxAlerts = 32;

/// Memory that the library has mapped for itself. P writes; Begin 0: the place
/// is free; Bytes 0: not valid.
struct OwnRange {
  std::atomic<uint64_t> Begin;
  std::atomic<uint64_t> Bytes;
};
inline constexpr uint32_t MaxOwnRanges = 1024;

/// The first ControlBytes of the memfd. Plain data.
struct Control {
  uint64_t MagicValue;
  uint32_t VersionValue;
  uint32_t Process; ///< R: the process's id in the trace
  wire::Regions Regions;
  wire::Settings Settings;

  /// R holds this robust, shared pthread mutex for as long as it lives; the
  /// first word is the futex. FUTEX_OWNER_DIED (0x40000000) in it: R is dead.
  alignas(64) unsigned char RecorderLock[64];
  /// R: rises with every pass.
  alignas(64) std::atomic<uint64_t> Heartbeat;
  /// R: 1 when R accepts no more records and completes the trace; P stops
  /// recording.
  std::atomic<uint32_t> Detached;
  /// R: 1 when memrec begins to take the hooks out of a program that runs; P
  /// goes on recording, and waits for no answer any more. A thread that waits
  /// may have the loader's lock, so that no thread could be called.
  std::atomic<uint32_t> Leaves;

  /// R: the folder with the Python package, for interpreters that lack the
  /// package; ends with NUL, empty: there is none.
  char PythonFolder[512];
  uint32_t HoldersWanted; ///< R: HolderBits
  /// R: how long an exit waits for a last sample of the resident memory; 0: not
  /// at all.
  std::atomic<uint32_t> EndWaitUs;
  std::atomic<uint32_t> EndSampled; ///< R: 1: the sample has been taken
  /// R: 1: at a normal exit, ask the allocator what it holds.
  uint32_t AllocatorWanted;

  // P writes all fields below.
  alignas(64) std::atomic<uint32_t> Pid;
  std::atomic<uint32_t> NextNode;   ///< first id not given yet; starts at 1
  std::atomic<uint32_t> NextCode;   ///< "
  std::atomic<uint32_t> NextBinary; ///< "
  /// Rings from this index on were never claimed.
  std::atomic<uint32_t> RingsUsed;
  std::atomic<uint32_t> HasExitStatus;
  std::atomic<int32_t> ExitStatus;
  std::atomic<uint32_t> BinariesChanged; ///< rises when a binary is unmapped
  /// Events assigned to an ancestor of their stack.
  alignas(64) std::atomic<uint64_t> LostTableFull;
  std::atomic<uint64_t> LostNoRing;
  std::atomic<uint64_t> LostReentrant; ///< in a signal handler inside a hook
  std::atomic<uint32_t> NextExec;
  /// The Heartbeat, plus 1, at which a full wait for R failed. While Heartbeat
  /// has not risen since, this process and its children do not wait again. 0:
  /// none.
  std::atomic<uint64_t> DeadBeat;
  ExecSlot Execs[NumExecSlots];
  std::atomic<uint64_t> ExitTsc;      ///< the clock when ExitStatus was set
  std::atomic<uint32_t> NextFunction; ///< first id not given yet; starts at 1
  std::atomic<uint32_t> NextText;   ///< first offset / TextAlign not given yet
  std::atomic<uint32_t> NextTicket; ///< of Ask records
  /// By device number: a TensorDeviceWord; 0: free.
  std::atomic<uint32_t> TensorDevices[MaxTensorDevices];
  std::atomic<uint32_t> EndWaits; ///< 1: an exit waits for the last sample
  CudaDevice CudaDevices[MaxCudaDevices];
  ReplySlot Replies[NumReplySlots]; ///< P and R
  std::atomic<uint32_t> NextAlert;  ///< P: the alerts so far
  AlertSlot Alerts[MaxAlerts];      ///< R
  OwnRange Own[MaxOwnRanges];
  AllocatorReport Allocator;
  SourceFinding Findings[NumFindingSources]; ///< by FindingSource
  /// The highest resident memory of the process, in bytes, when it exits; 0:
  /// not known. Written before HasExitStatus.
  std::atomic<uint64_t> HighestResident;
  /// R: the detours that the last AskDetoursRecord asked for.
  DetourReply Detours;
};
static_assert(sizeof(Control) <= ControlBytes);

//===----------------------------------------------------------------------===//
// The greeting: SOCK_SEQPACKET, one message each way
//===----------------------------------------------------------------------===//

struct Hello {
  uint64_t MagicValue = Magic;
  uint32_t VersionValue = Version;
  uint32_t Pid = 0;
  uint32_t ParentProcess = 0; ///< of a forked child; 0 after exec
  uint32_t Pad = 0;
};

/// Comes with the memfd as SCM_RIGHTS. Process 0: not recorded, no descriptor.
struct Welcome {
  uint64_t MagicValue = Magic;
  uint32_t VersionValue = Version;
  uint32_t Process = 0;
  uint64_t Size = 0;
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_LAYOUT_H
