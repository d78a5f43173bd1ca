// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to record, and what came of a recording.

#ifndef MEMKIT_LIB_RECORD_SESSION_RECORDOPTIONS_H
#define MEMKIT_LIB_RECORD_SESSION_RECORDOPTIONS_H

#include "Record/Attach/Attacher.h"
#include "Record/Census/Census.h"
#include "Record/Output/TraceOutput.h"
#include "Record/Session/AlertAction.h"
#include "Record/Session/AlertRules.h"
#include "Wire/Layout.h"
#include "llvm/ADT/Twine.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memkit {

/// When recording starts or stops by itself.
struct RecordTimePoint {
  enum TimePointWhen {
    None,
    Never, ///< only by a signal or by the program
    After, ///< Value: ns after the recording started
    Step,  ///< when step Value starts in a process
  } Kind = None;
  uint64_t Value = 0;
};

/// The events to write to the trace. Stats, intervals and marks cover all
/// events.
enum class RecordEvents { All, None, Last };

/// How a recording goes.
struct RecordProgress {
  uint64_t TimeNs = 0; ///< since the start
  uint64_t Bytes = 0;  ///< of the file
  struct SpaceProgress {
    std::string Name; ///< of the memory space, the host first
    uint64_t LiveBytes = 0, PeakBytes = 0;
  };
  std::vector<SpaceProgress> Spaces;
};

/// The text of the program's own source that the trace keeps: none, the lines
/// that allocate, or their functions.
enum class KeptSources : uint8_t { None, Lines, Functions };

/// What to record and how. Plain data.
struct RecordOptions {
  std::vector<std::string> Command; ///< the program and its arguments
  /// Not 0: attach to this process, which runs already, in place of starting
  /// Command; Command is then the process's.
  pid_t Attach = 0;
  /// With Attach: do not attach, only look at what lives.
  bool CensusOnly = false;
  bool CensusStops = false;    ///< stop the process for the census
  bool CountsBefore = false;   ///< when attached, find what lived before
  uint64_t AttachForNs = 0;    ///< detach after this time; 0: never
  bool AttachChildren = false; ///< and to the processes that descend from it
  std::string Output; ///< name pattern, `-`, or empty: trace.fb, trace.%r.fb
  OutputPolicy OnOldFile;
  /// Wait for room in a full ring; else drop records.
  bool WaitOnFull = true;
  uint32_t WaitMs = 10000;
  uint32_t MaxDepth = 1024;
  /// StackBits: kinds of frames.
  uint32_t Stacks = wire::SB_Mixed;
  bool PythonObjects = false; ///< record objects of Python interpreters
  /// Record the blocks of allocators that are built into binaries.
  bool PrivateAllocators = true;
  uint32_t Torch = wire::TB_All; ///< TorchBits
  wire::CudaMode Cuda = wire::CudaMode::Cupti;
  /// Ranges with a name that matches this regular expression end the steps;
  /// empty: the program's own steps, or those of its first optimizer.
  std::string StepRange;
  uint64_t MinSize = 0; ///< smaller blocks are not recorded
  /// Sample one byte in so many of malloc; 0: record all.
  uint64_t SampleBytes = 0;
  uint64_t SampleSeed = 0;        ///< for tests; 0: from the clock
  std::vector<std::string> Heaps; ///< globs of heaps to record; none: all
  /// Time between two samples of a process's RSS; 0: no samples.
  uint64_t SampleIntervalNs = 100000000;
  /// Of the used memory of devices; 0: none.
  uint64_t DeviceIntervalNs = 100000000;
  /// Also samples of the parts of resident memory: when these steps start, by
  /// rising number; when a process exits, however long the sample takes.
  std::vector<uint64_t> ResidentSteps;
  bool ResidentAtEnd = false;
  /// Ask the allocators of the programs at their normal exit what they hold.
  bool MallocInfo = false;
  RecordTimePoint Start; ///< None: at once
  RecordTimePoint Stop;  ///< None: never
  RecordEvents Events = RecordEvents::All;
  /// With All: target size of the file, near which events end; 0: no limit.
  /// With Last: the bytes of events to keep.
  uint64_t BoundBytes = 0;
  bool Follow = true; ///< record child processes, too
  /// Wait until all descendants have ended.
  bool WaitForAll = true;
  bool Symbols = true; ///< resolve addresses while recording
  KeptSources Sources = KeptSources::Lines; ///< with Symbols
  std::string Library;                      ///< the capture library
  /// The library for CUDA's driver; empty: none.
  std::string CudaLibrary;
  /// The folder of the Python package, for programs without the package; empty:
  /// none.
  std::string PythonFolder;
  std::vector<std::string> Options; ///< name=value, for the header
  std::vector<AlertRule> Alerts;
  std::vector<AlertAction> OnAlert;
  uint32_t Holders = 0; ///< HolderBits: when Python's names are looked for
  /// Called for each alert, one line each; empty: not wanted.
  std::function<void(const llvm::Twine &)> Alert;
  /// Called for each warning to the user, one line each.
  std::function<void(const llvm::Twine &)> Warn = [](const llvm::Twine &) {};
  /// As Warn, for messages without a problem.
  std::function<void(const llvm::Twine &)> Note = [](const llvm::Twine &) {};
  /// Called with the output's name (`-`: standard output) when the program
  /// starts; empty: not wanted.
  std::function<void(llvm::StringRef Output)> Started;
  /// Called with what lived in a process when its recording began; empty: not
  /// wanted.
  std::function<void(const Census &, pid_t)> Counted;
  /// Called when the program is attached to; empty: not wanted.
  std::function<void(const AttachResult &, llvm::StringRef Output)> Attached;
  /// Called after about 5 s, 10 s, 20 s, ...; empty: not wanted.
  std::function<void(const RecordProgress &)> Progress;
};

/// What came of a recording. Plain data.
struct RecordResult {
  /// Exit status of the program: 128+n when killed; 126, 127.
  int Status = 0;
  int Signal = 0; ///< signal that killed the program, or 0
  /// Number of processes that the kernel killed for lack of memory during the
  /// recording, in the control group of this process, or on the machine if
  /// there is no group.
  uint64_t OomKills = 0;
  /// Limit of the group in bytes; 0: unknown.
  uint64_t OomGroupLimit = 0;
  bool OomOnMachine = false;
  /// Why the program could not run (126, 127).
  std::string NotRun;
  std::string Output;      ///< the file's name, `-` for standard output
  bool Lost = false;       ///< the output failed; see Why
  bool ReaderGone = false; ///< the reader of a pipe has closed it
  std::string Why;
  uint64_t Bytes = 0;
  uint64_t EventBytes = 0; ///< of Bytes: sections of events and snapshots
  /// Time from which on the trace has no events; none: events to the end.
  std::optional<uint64_t> EventsEndNs;
  uint64_t Events = 0;  ///< as `memdump --check` counts them
  bool Sampled = false; ///< stats are estimates
  uint64_t LostEvents = 0;
  /// As LossKind::DeviceWork and LossKind::DeviceSpans.
  uint64_t LostDeviceWork = 0, CutDeviceSpans = 0;
  uint64_t PeakBytes = 0; ///< of the memory space host
  /// Name and peak of each device with allocations.
  std::vector<std::pair<std::string, uint64_t>> DevicePeaks;
  uint64_t LiveBytes = 0, LiveBlocks = 0;
  unsigned Recorded = 0; ///< number of recorded processes
  uint64_t CpuNs = 0;    ///< of the recorder's own threads that take and write
  /// Longest time between two reads of the rings.
  uint64_t LongestPauseNs = 0;
  bool Detached = false; ///< the program still runs
  bool WentOn = false;   ///< Status is that of a program that ended later
  std::optional<AttachResult> DetachResult; ///< hooks were taken out
  /// The path of a binary without symbols that most stacks pass through, or
  /// empty.
  std::string Nameless;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_RECORDOPTIONS_H
