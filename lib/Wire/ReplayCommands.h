// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memsim and memkit-replay say to each other.
//
// memsim starts memkit-replay with an allocator preloaded, and the two share
// one end each of a stream socket. memsim sends a ReplayStart, then
// ReplayCommands up to End. memkit-replay answers with one ReplayOutcome, and
// ends; the answer may come before End. Plain structs; both programs are of one
// build.

#ifndef MEMKIT_LIB_WIRE_REPLAYCOMMANDS_H
#define MEMKIT_LIB_WIRE_REPLAYCOMMANDS_H

#include <cstdint>

namespace memkit::wire {

/// The descriptor of the socket in memkit-replay.
inline constexpr int ReplaySocket = 3;
/// Intervals of the recorded time at most.
inline constexpr uint32_t MaxReplayPoints = 72;
inline constexpr uint64_t ReplayMagic = 0x3279616c7065526bull; // "kReplay2"
/// A trace has no alignments. PyTorch, numpy and vector code take cache lines.
inline constexpr uint64_t ReplayAlignment = 64, ReplayPageAlignment = 4096;

enum class ReplayOp : uint8_t {
  Allocate, ///< Slot gets a block of Bytes
  Zeroed,   ///< as Allocate, by calloc
  Aligned,  ///< as Allocate, at a multiple of ReplayAlignment
  PageAligned,
  Resize,    ///< the block of Slot has Bytes
  Free,      ///< the block of Slot
  EndThread, ///< of a thread but 0; the thread has no later command
  NotePeak,  ///< most bytes live now
  NotePoint, ///< an interval of the recorded time is over
  End,       ///< of thread 0
};

struct ReplayCommand {
  static constexpr uint32_t OpBits = 4;
  static constexpr uint32_t MaxThreads = 1u << 20;

  uint64_t Bytes = 0;
  uint32_t Slot = 0; ///< below ReplayStart::NumSlots
  uint32_t ThreadAndOp = 0;

  static ReplayCommand make(ReplayOp Op, uint32_t Thread, uint32_t Slot = 0,
                            uint64_t Bytes = 0) {
    return {Bytes, Slot, Thread << OpBits | uint32_t(Op)};
  }
  ReplayOp op() const { return ReplayOp(ThreadAndOp & ((1u << OpBits) - 1)); }
  /// 0: the main thread.
  uint32_t thread() const { return ThreadAndOp >> OpBits; }
};
static_assert(sizeof(ReplayCommand) == 16);

struct ReplayStart {
  uint64_t Magic = ReplayMagic;
  uint32_t NumSlots = 0;
  uint32_t NumThreads = 1; ///< with the main thread
  /// The replay ends when its blocks take more resident memory.
  uint64_t MaxResidentBytes = 0;
  uint64_t AddressBytes = 0; ///< the limit of the address space
  /// Resident memory is read each time so many bytes were touched.
  uint64_t SampleBytes = 0;
  /// malloc must not be that of libc.
  uint32_t NeedsLibrary = 0;
  uint32_t Unused = 0;
};

enum class ReplayState : uint32_t {
  Done,
  NoLibrary, ///< malloc is that of libc although a library was preloaded
  TooLarge,  ///< more than ReplayStart::MaxResidentBytes
  NoMemory,  ///< memkit-replay's own tables do not fit
  NoThread,  ///< a thread could not be started
  Malformed, ///< a command is wrong, or the stream ended early
};

/// Bytes are private resident memory, less what memkit-replay had before its
/// first command.
struct ReplayOutcome {
  uint64_t Magic = ReplayMagic;
  ReplayState State = ReplayState::Done;
  uint32_t NumThreads = 1;    ///< most at a time
  uint64_t PeakBytes = 0;     ///< the highest
  uint64_t LivePeakBytes = 0; ///< when most bytes were live
  uint64_t EndBytes = 0;
  uint64_t AllocatorNs = 0; ///< inside malloc, realloc and free
  uint64_t NumCalls = 0;    ///< of these
  uint64_t NumFailed = 0;   ///< calls that returned no memory
  /// The highest of each interval that is over.
  uint64_t PointBytes[MaxReplayPoints] = {};
  uint32_t NumPoints = 0;
  uint32_t Unused = 0;
  char Library[256] = {}; ///< the file that malloc is of
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_REPLAYCOMMANDS_H
