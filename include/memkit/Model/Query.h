// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace.
//
// One function for each question, with a plain struct as the answer, for tools
// and other programs alike. Tools print answers.
// Analysis/Query.h has the questions that need an analysis.
//
// Names in answers live as long as the trace. Sizes are bytes, times
// nanoseconds since the recording started. A null selection chooses everything.
// Each question names the parts of the trace (TraceParts) to read before.

#ifndef MEMKIT_MODEL_QUERY_H
#define MEMKIT_MODEL_QUERY_H

#include "memkit/Model/Selection.h"
#include "memkit/Model/Trace.h"
#include "memkit/Trace/Sampling.h"
#include "memkit/Trace/SummaryStats.h"
#include <optional>

namespace memkit {

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// A memory space: `host`, or a device's.
struct SpaceReport {
  uint32_t Id = 0; ///< as TotalStats::Id
  llvm::StringRef Name;
  TotalStats Stats;
  bool IsEstimate = false;   ///< a heap in Stats is sampled
  SampleVariances Variances; ///< of Stats; zeros for exact stats
};

struct HeapReport {
  uint32_t Id = 0;
  llvm::StringRef Name;
  uint32_t Space = 0; ///< a memory space
  llvm::StringRef SpaceName;
  llvm::StringRef Parent;   ///< the enclosing heap; empty: none
  bool InTotals = true;     ///< counts in the stats of its memory space
  uint64_t SampleBytes = 0; ///< one byte in SampleBytes is recorded; 0: all
  bool IsEstimate = false;  ///< Stats are made from samples
  HeapStats Stats;
  SampleVariances Variances;
};

struct ProcessReport {
  uint32_t Id = 0;
  uint32_t Pid = 0;
  uint32_t Parent = 0; ///< process id; 0: none
  std::vector<llvm::StringRef> Command;
  llvm::StringRef Exe;
  llvm::StringRef Role; ///< `train.py`; empty: none
  JobPlace Place;
  llvm::StringRef Job;  ///< the launcher's name of the job; empty: none
  llvm::StringRef Host; ///< the machine's name; empty: not known
  llvm::StringRef Name; ///< as Trace::processName()
  bool IsRecorded = true;
  llvm::StringRef WhyNot; ///< of a process that is not recorded
  /// The process ended before RunReport::Program began, and is small beside it:
  /// a version manager's shim, `env`, a shell before its `exec`.
  bool OnlyLaunched = false;
  std::optional<ProcessStats> Stats;
};

/// A recording and its counts, over all processes. Plain data.
struct RunReport {
  Header Run;
  uint64_t EndNs = 0;
  bool IsComplete = false; ///< the trace ends with its index
  uint64_t Allocations = 0, Frees = 0;
  /// Part of Allocations: blocks that lived before memrec attached.
  uint64_t OldBlocks = 0;
  uint64_t InheritedFrees = 0; ///< of a parent's blocks
  uint64_t Marks = 0;
  UnknownValues Unknown; ///< of a newer memkit, in the sections read so far
  uint64_t Lost = 0;     ///< as Trace::lostEvents()
  std::vector<uint64_t> Losses; ///< by lossIndex()
  uint64_t Stacks = 0, Nodes = 0, Threads = 0;
  uint64_t Steps = 0, Layers = 0;       ///< of layers, by name and direction
  uint64_t Ooms = 0;                    ///< recorded out-of-memory events
  uint64_t OomFailures = 0;             ///< with events left out of the trace
  uint64_t MaxRss = 0, MaxPss = 0;      ///< of one process; 0: not sampled
  std::vector<SpaceReport> Spaces;      ///< by id
  std::vector<HeapReport> Heaps;        ///< by id - 1
  std::vector<ProcessReport> Processes; ///< by id - 1
  /// What the first process became by exec: its last program; 0: no processes.
  uint32_t Program = 0;
  size_t NumLaunchers = 0; ///< processes with OnlyLaunched
};
/// Reads TP_Totals.
RunReport queryRun(const Trace &T);
/// The name of the program: of the process with the highest peak, because the
/// first process often only starts that process; else the command's first word;
/// empty: not known. Of: its processes alone; null: all. Reads TP_Totals and
/// TP_Names.
std::string queryProgram(const Trace &T, const Selection *Of = nullptr);

//===----------------------------------------------------------------------===//
// Steps, layers, operators, scopes, threads, tensors, failures
//===----------------------------------------------------------------------===//

struct StepReport : StepStats {
  /// The last step of a process, ended by the process's end: the step includes
  /// everything up to that end.
  bool IsOpen = false;
};
/// By process and start. Reads TP_Totals.
std::vector<StepReport> querySteps(const Trace &T,
                                   const Selection *Sel = nullptr);
/// The number of the step that ran at TimeNs, of any process.
std::optional<uint64_t> stepAt(const Trace &T, uint64_t TimeNs);

/// Layers, one row for each name and direction, summed over processes; a peak
/// is the highest of any process. The highest peaks first. Reads TP_Totals.
std::vector<LayerStats> queryLayers(const Trace &T,
                                    const Selection *Sel = nullptr);
/// Operators, one row for each name, or name and shapes, summed over processes;
/// a peak is the highest of any process. The longest self time first. Reads
/// TP_Totals.
std::vector<LayerStats> queryOperators(const Trace &T,
                                       const Selection *Sel = nullptr,
                                       OperatorsBy By = OperatorsBy::Name);
/// The program's own scopes, then ranges, each in the order of their first end.
/// Reads TP_Totals.
std::vector<LayerStats> queryScopes(const Trace &T);

/// Threads of the selected processes, the most bytes first; AllocatedBytes
/// without nested bytes. Reads TP_Totals, with a selection TP_Names.
std::vector<ThreadStats> queryThreads(const Trace &T,
                                      const Selection *Sel = nullptr);

/// Tensors at their heap's peak by heap and category, the largest first; none
/// in an incomplete trace. Reads TP_Totals.
std::vector<CategorySum> queryCategories(const Trace &T,
                                         const Selection *Sel = nullptr);

/// An out-of-memory event, and the tensors live at this event.
struct OomReport {
  OomRecord What;
  std::vector<OomHeap> Heaps;
  std::vector<CategoryStats> Tensors; ///< the largest first
};
/// Reads TP_Totals.
std::vector<OomReport> queryOoms(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_QUERY_H
