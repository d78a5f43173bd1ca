// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace.
//
// One function for each question, with a plain struct as the answer: the same
// for every tool and for whoever links the libraries. Text and JSON are printed
// from the answers elsewhere (TraceText, the tools). Analysis/Query.h has the
// questions that need an analysis.
//
// Names in answers live as long as the trace. Ids are the trace's. Sizes are
// bytes, times nanoseconds since the recording began. A selection that is null
// chooses everything. Each question says what has to be read of the trace
// (TraceParts); without it the answer lacks what was not read.

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
  bool IsEstimate = false;   ///< a heap that counts in Stats is sampled
  SampleVariances Variances; ///< of Stats; zeros where they are exact
};

struct HeapReport {
  uint32_t Id = 0;
  llvm::StringRef Name;
  uint32_t Space = 0; ///< a memory space
  llvm::StringRef SpaceName;
  llvm::StringRef Parent;   ///< the heap around it, empty: none
  bool InTotals = true;     ///< counts in the stats of its memory space
  uint64_t SampleBytes = 0; ///< one byte in so many is sampled; 0: all are
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
  llvm::StringRef Name; ///< as Trace::processName()
  bool IsRecorded = true;
  llvm::StringRef WhyNot; ///< where it is not recorded
  std::optional<ProcessStats> Stats;
};

/// What a recording is and what it counted, over all processes.
struct RunReport {
  Header Run;
  uint64_t EndNs = 0;
  bool IsComplete = false; ///< the trace ends with its index
  uint64_t Allocations = 0, Frees = 0;
  uint64_t InheritedFrees = 0; ///< of blocks that a parent allocated
  uint64_t Marks = 0;
  uint64_t Lost = 0;            ///< as Trace::lostEvents()
  std::vector<uint64_t> Losses; ///< by LossKind
  uint64_t Stacks = 0, Nodes = 0, Threads = 0;
  uint64_t Steps = 0, Layers = 0;       ///< of layers, by name and direction
  uint64_t Ooms = 0;                    ///< records of memory that ran out
  uint64_t OomFailures = 0;             ///< how often memory ran out
  uint64_t MaxRss = 0, MaxPss = 0;      ///< of one process; 0: not sampled
  std::vector<SpaceReport> Spaces;      ///< by id
  std::vector<HeapReport> Heaps;        ///< by id - 1
  std::vector<ProcessReport> Processes; ///< by id - 1
};
/// Reads TP_Totals.
RunReport queryRun(const Trace &T);

//===----------------------------------------------------------------------===//
// Steps, layers, scopes, threads, tensors, failures
//===----------------------------------------------------------------------===//

struct StepReport : StepStats {
  /// The last step of its process, which no other step ended: it has what the
  /// process did behind its steps, too.
  bool IsOpen = false;
};
/// By process and begin. Reads TP_Totals.
std::vector<StepReport> querySteps(const Trace &T,
                                   const Selection *Sel = nullptr);
/// The number of the step that ran at TimeNs, of any process.
std::optional<uint64_t> stepAt(const Trace &T, uint64_t TimeNs);

/// The layers, one row for each name and direction, over processes, a peak the
/// highest of any; the highest peaks first. Reads TP_Totals.
std::vector<LayerStats> queryLayers(const Trace &T,
                                    const Selection *Sel = nullptr);
/// The scopes that the program named itself, then its ranges, in the order in
/// which they first ended. Reads TP_Totals.
std::vector<LayerStats> queryScopes(const Trace &T);

/// The threads of the selected processes, the most bytes first; AllocatedBytes
/// without the nested ones. Reads TP_Totals, and TP_Names with a selection.
std::vector<ThreadStats> queryThreads(const Trace &T,
                                      const Selection *Sel = nullptr);

/// The tensors at the peaks of their heaps by heap and category, the largest
/// first; none where the trace was not completed. Reads TP_Totals.
std::vector<CategorySum> queryCategories(const Trace &T,
                                         const Selection *Sel = nullptr);

/// Memory that ran out, and what lived then.
struct OomReport {
  OomRecord What;
  std::vector<OomHeap> Heaps;
  std::vector<CategoryStats> Tensors; ///< the largest first
};
/// Reads TP_Totals.
std::vector<OomReport> queryOoms(const Trace &T);

} // namespace memkit

#endif // MEMKIT_MODEL_QUERY_H
