// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of a trace.
//
// Names (TraceNames.h), stacks (TraceStacks.h) and the stats of the last
// complete summary, each read on demand. Questions that need events read events
// and keep none.
//
// A trace comes from a file, or grows while a stream is read; both answer the
// same questions. The model checks every id against the dictionary before an
// accessor gives the id out, so accessors have no errors. Not copyable. Several
// threads may read a trace while no thread calls read(), add() or foldFrames().

#ifndef MEMKIT_MODEL_TRACE_H
#define MEMKIT_MODEL_TRACE_H

#include "memkit/Model/PackedRows.h"
#include "memkit/Model/TraceStacks.h"
#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/PartialRows.h"
#include "memkit/Trace/Sampling.h"
#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace memkit {

class Replay;
class ReplayProgress;
struct LastSummary;
class SummaryParts;

/// The parts of a trace. Heaps, processes and devices are read with any part.
enum TraceParts : unsigned {
  /// The stats of the last complete summary without rows, and the strings of
  /// those stats. With a sampled heap the rows, too: the errors of estimates
  /// come from rows.
  TP_Totals = 1,
  TP_Rows = 2,   ///< the summary's rows of stacks and scope paths
  TP_Names = 4,  ///< all names but those of frames
  TP_Stacks = 8, ///< frames and stacks, with all names
  /// Without a complete summary: stats made from the events.
  TP_Replay = 16,
  TP_All = 31,
  /// Where TP_Replay makes stats: also intervals and lifetimes, in the same
  /// replay, for IntervalSeries.
  TP_Intervals = 32,
  /// TP_Stacks without what TraceStacks::shown() and unfolded() give, for
  /// readers that copy frames: saves a third of the time.
  TP_Unshown = 64,
};

/// Many functions in one class: most are accessors of one line.
class Trace : public TraceStacks {
public:
  /// Opens the trace Path (`-`: standard input) and reads Parts. With TP_Replay
  /// a trace without a summary gets stats from its events, and a warning.
  /// Errors: TraceError. OnProgress is kept, and called while the events of the
  /// trace are replayed, here and later.
  static llvm::Expected<std::unique_ptr<Trace>>
  open(llvm::StringRef Path, unsigned Parts = TP_All,
       ProgressCallback OnProgress = {});
  static llvm::Expected<std::unique_ptr<Trace>>
  create(std::unique_ptr<TraceReader> Reader, unsigned Parts = TP_All,
         ProgressCallback OnProgress = {});
  /// A trace without a file; add() gives the sections. Name: for errors.
  static std::unique_ptr<Trace> createGrowing(llvm::StringRef Name);
  ~Trace();

  /// Reads missing Parts; a growing trace has all parts. Errors: TraceError;
  /// the parts read before stay.
  llvm::Error read(unsigned Parts);
  bool has(unsigned Parts) const { return (Has & Parts) == Parts; }

  /// Adds the next section of a stream, in the order of the file. Events end
  /// the stats of a summary before them; then, and before the first summary,
  /// the stats are those of the Partial sections. Marks, intervals, lifetimes
  /// and snapshots are dropped: questions about them need a file. Errors: a
  /// TraceError for an unknown id; the section is dropped.
  llvm::Error add(const SectionInfo &Info, const AnySection &Section);
  llvm::Error add(const SectionInfo &Info, Dictionary D);
  llvm::Error add(const SectionInfo &Info, Summary Part);
  llvm::Error add(const SectionInfo &Info, Partial P);

  llvm::StringRef name() const { return Name; }
  /// Its texts are harmless, as those of TraceNames.
  const Header &header() const { return Head; }
  /// Whether the trace ends with an index.
  bool isComplete() const {
    return !Grows && (Reader ? Reader->complete() : HasIndex);
  }
  /// Whether a recorder wrote the file when the trace was opened.
  bool isBeingRecorded() const { return Grows; }
  /// Whether a file is there to read sections from.
  bool hasReader() const { return Reader != nullptr; }
  TraceReader &reader() const { return *Reader; }
  const ProgressCallback &onProgress() const { return OnProgress; }
  /// Fails without a file. Needs: `a mark needs`, for the
  /// error.
  llvm::Error requireReader(llvm::StringRef Needs) const;
  /// Calls Do for each mark, in file order. Needs hasReader(). The ids of a
  /// mark are within limits(); a section where they are not is an error.
  llvm::Error forEachMark(llvm::function_ref<void(const Mark &)> Do) const;
  /// Warnings for the user, without a prefix.
  llvm::ArrayRef<std::string> warnings() const { return Warnings; }

  //===--------------------------------------------------------------------===//
  // Stats
  //===--------------------------------------------------------------------===//

  /// The last complete summary, parts joined, without the rows of stacks and
  /// scope paths; empty without hasSummary().
  const Summary &summary() const { return Totals; }
  bool hasSummary() const { return HasSummary; }
  /// The summary's rows of stacks, in order.
  llvm::ArrayRef<PackedRows> stackRows() const { return StackRows; }
  /// The summary's rows of scope paths. Blocks without a scope path are in no
  /// row.
  llvm::ArrayRef<PackedRows> scopeRows() const { return ScopeRows; }
  uint64_t endNs() const { return Totals.EndNs; }
  /// A trace with intervals and lifetimes alone, made for TP_Intervals; empty:
  /// none were made.
  llvm::StringRef madeIntervals() const { return MadeIntervals; }
  /// Whether the stats were made from the events.
  bool isReplayed() const { return Replayed; }
  /// The end of the Partial sections, if they are part of the stats: the time
  /// up to which layers, categories and failures are known, in a growing trace
  /// also processes. None: all of the run, or nothing (isReplayed()).
  std::optional<uint64_t> partialNs() const { return PartialNs; }
  /// Of a heap; all zeros for a heap without events.
  const HeapStats &heapStats(uint32_t Heap) const {
    return HeapStatsOf[Heap - 1];
  }
  /// The errors of a heap's estimates; false for exact values.
  const SampledHeap &sampled(uint32_t Heap) const { return Sampled[Heap - 1]; }
  /// Of a memory space (0: `host`, else a device), likewise.
  const TotalStats &spaceStats(uint32_t Space) const {
    return SpaceStatsOf[Space];
  }
  const TotalStats &hostStats() const { return SpaceStatsOf[0]; }
  /// Of a process; null without a row in the summary.
  const ProcessStats *processStats(uint32_t Process) const;
  /// Events that the recording missed: all losses but events left out on
  /// request and stacks cut short.
  uint64_t lostEvents() const;
  /// Events left out of the trace on request; the stats count them.
  uint64_t eventsLeftOut() const;
  /// The counts of losses by lossIndex(), over all processes.
  std::vector<uint64_t> losses() const;
  /// True for a process that exec replaced by another process: the kernel took
  /// the memory back, so live blocks are no leaks.
  bool wasReplaced(uint32_t Process) const { return Replaced[Process]; }

private:
  Trace(std::unique_ptr<TraceReader> R, llvm::StringRef Name);
  static llvm::Expected<std::unique_ptr<Trace>>
  make(std::unique_ptr<TraceReader> Reader, std::unique_ptr<TraceReader> Second,
       unsigned Parts, ProgressCallback OnProgress);
  llvm::Error readParts(unsigned Parts, TraceReader *Second);
  void warnOfCuts();
  llvm::Error readNames(unsigned Parts);
  llvm::Error readStacks(bool Shown);
  llvm::Error readOutline(bool WithNames);
  llvm::Error readWantedStrings();
  llvm::Error replaySummary(bool WithIntervals);
  llvm::Expected<std::unique_ptr<Replay>> replayIntervals(ReplayProgress &Bar);
  llvm::Expected<std::unique_ptr<Replay>> replayAll(ReplayProgress &Bar);
  void setSummary(LastSummary S);
  void setPartialStats();
  void prepareStats();
  bool hasSamples() const;

  std::unique_ptr<TraceReader> Reader; ///< null in a growing trace
  ProgressCallback OnProgress;
  std::string Name;
  Header Head;
  bool HasIndex = false, HasOutline = false;
  bool Grows = false; ///< a recorder writes the file
  unsigned Has = 0;   ///< TraceParts
  std::vector<std::string> Warnings;
  Summary Totals;
  std::vector<PackedRows> StackRows, ScopeRows;
  std::vector<HeapStats> HeapStatsOf;     ///< by heap - 1
  std::vector<SampledHeap> Sampled;       ///< likewise
  std::vector<TotalStats> SpaceStatsOf;   ///< by memory space
  std::vector<uint32_t> ProcessStatsOf;   ///< by process, place in Totals + 1
  std::vector<bool> Replaced;             ///< by process
  std::unique_ptr<SummaryParts> Gathered; ///< of an unfinished summary
  PartialRows Partials;                   ///< of a growing trace
  std::optional<uint64_t> PartialNs;
  std::string MadeIntervals;
  bool HasSummary = false, Replayed = false;
};

} // namespace memkit

#endif // MEMKIT_MODEL_TRACE_H
