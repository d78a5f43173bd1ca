// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records a program.

#ifndef MEMKIT_LIB_RECORD_RECORDER_H
#define MEMKIT_LIB_RECORD_RECORDER_H

#include "Wire/Layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memkit {

/// When recording starts or stops by itself.
struct RecordMoment {
  enum MomentKind {
    None,
    Never, ///< by a signal or by the program alone
    After, ///< Value: ns after the recording began
    Step,  ///< when step Value begins in a process
  } Kind = None;
  uint64_t Value = 0;
};

/// Which events the trace has. Its sums, intervals and marks are of all.
enum class RecordEvents { All, None, Last };

struct RecordOptions {
  std::vector<std::string> Command; ///< the program and its arguments
  std::string Output; ///< name pattern, `-`, or empty: trace.fb, trace.%r.fb
  bool Force = false; ///< overwrite what is no trace
  bool WaitOnFull = true; ///< a thread waits for room in its ring, else drops
  uint32_t WaitMs = 10000;
  uint32_t MaxDepth = 1024;
  uint32_t Stacks = wire::SB_Mixed; ///< StackBits: which frames stacks have
  bool PythonObjects = false;    ///< what its interpreters allocate themselves
  uint32_t Torch = wire::TB_All; ///< TorchBits
  wire::CudaMode Cuda = wire::CudaMode::Cupti;
  /// Ranges whose name this regular expression matches end the steps; empty:
  /// the program says so, or its first optimizer.
  std::string StepRange;
  uint64_t MinSize = 0;           ///< smaller blocks are not recorded
  uint64_t SampleBytes = 0;       ///< one byte in so many of malloc's; 0: all
  uint64_t SampleSeed = 0;        ///< for tests; 0: of the clock
  std::vector<std::string> Heaps; ///< globs of heaps to record; none: all
  /// Between two looks at what a process holds resident; 0: none is taken.
  uint64_t SampleIntervalNs = 100000000;
  RecordMoment Start; ///< None: at once
  RecordMoment Stop;  ///< None: never
  RecordEvents Events = RecordEvents::All;
  /// Of All: no more are written when the file nears so many bytes; 0: they all
  /// are. Of Last: so many bytes of them are kept.
  uint64_t BoundBytes = 0;
  bool Follow = true;      ///< record what the program starts, too
  bool WaitForAll = true;  ///< until descendants have ended, too
  bool Symbols = true;     ///< resolve addresses while recording
  std::string Library;     ///< the capture library
  std::string CudaLibrary; ///< that of CUDA's driver; empty: there is none
  /// Holds the Python package for programs that lack it; empty: none does.
  std::string PythonFolder;
  std::vector<std::string> Options; ///< name=value, for the header
  /// Told what a user should know, a line each.
  std::function<void(const llvm::Twine &)> Warn = [](const llvm::Twine &) {};
  /// As Warn, told what is as it should be.
  std::function<void(const llvm::Twine &)> Note = [](const llvm::Twine &) {};
};

struct RecordResult {
  int Status = 0; ///< of the program: 128+n when killed; 126, 127
  int Signal = 0; ///< that killed the program, or 0
  /// Processes that the kernel killed meanwhile for lack of memory, in this
  /// process's control group, or on the machine where it has none.
  uint64_t OomKills = 0;
  uint64_t OomGroupLimit = 0; ///< bytes that the group may have; 0: not known
  bool OomOnMachine = false;
  std::string NotRun;      ///< why it could not be run (126, 127)
  std::string Output;      ///< the file's name, `-` for standard output
  bool Lost = false;       ///< the output was lost; Why says how
  bool ReaderGone = false; ///< the reader of a pipe went away
  std::string Why;
  uint64_t Bytes = 0;
  uint64_t EventBytes = 0; ///< of those, in sections of events and snapshots
  std::optional<uint64_t> EventsEndNs; ///< no events from then on: EventBytes
  uint64_t Events = 0;                 ///< as `memdump --check` counts them
  bool Sampled = false;                ///< sums are estimates
  uint64_t LostEvents = 0;
  uint64_t PeakBytes = 0; ///< of the memory space host
  /// Of the devices on which there was anything: name and peak.
  std::vector<std::pair<std::string, uint64_t>> DevicePeaks;
  uint64_t LiveBytes = 0, LiveBlocks = 0;
  unsigned Recorded = 0;       ///< processes
  uint64_t CpuNs = 0;          ///< of the recorder's own thread
  uint64_t LongestPauseNs = 0; ///< from one look at the rings to the next
  bool Detached = false;       ///< the program runs on
  /// A binary without symbols that most stacks go through, its path, or empty.
  std::string Nameless;
};

/// Runs the program and records it until it has ended. Errors: what kept the
/// program from being started.
llvm::Expected<RecordResult> record(const RecordOptions &O);

/// Says line by line what can be recorded here and why not. Returns whether a
/// program can be recorded at all.
bool checkRecording(const std::string &Library,
                    llvm::function_ref<void(const llvm::Twine &)> Print);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_RECORDER_H
