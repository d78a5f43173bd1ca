// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace says, ready to be asked.
//
// The one model of a trace: its names (TraceNames.h), its stacks
// (TraceStacks.h) and the stats of its last complete summary, each read when it
// is asked for. Events are read by the questions that need them, never kept.
//
// A trace is opened from a file, or grows while a stream is read; both answer
// the same questions. Every id in it was checked against the dictionary when it
// was read, so that accessors need no errors. Not copyable; reading it from
// several threads is fine while nobody calls read(), add() or foldFrames().

#ifndef MEMKIT_MODEL_TRACE_H
#define MEMKIT_MODEL_TRACE_H

#include "memkit/Model/PackedRows.h"
#include "memkit/Model/TraceStacks.h"
#include "memkit/Trace/Sections.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace memkit {

struct LastSummary;
class SummaryParts;

/// What is read of a trace. Heaps, processes and devices always are.
enum TraceParts : unsigned {
  /// The stats of the last complete summary without its rows; of strings, those
  /// that the stats name. Where a heap is sampled its rows are read, too: they
  /// have the errors of estimates.
  TP_Totals = 1,
  TP_Rows = 2,   ///< its rows of stacks and scope paths
  TP_Names = 4,  ///< all names but those of frames
  TP_Stacks = 8, ///< frames, stacks and what is shown of them; with all names
  /// Where there is no summary that counts, its stats are made from the events.
  TP_Replay = 16,
  TP_All = 31,
};

class Trace : public TraceStacks {
public:
  /// Opens the trace Path (`-`: standard input) and reads Parts of it. A trace
  /// that was cut off has its summary computed from its events; warnings() says
  /// so. Errors: TraceError.
  static llvm::Expected<std::unique_ptr<Trace>> open(llvm::StringRef Path,
                                                     unsigned Parts = TP_All);
  static llvm::Expected<std::unique_ptr<Trace>>
  create(std::unique_ptr<TraceReader> Reader, unsigned Parts = TP_All);
  /// A trace without a file, to which add() gives the sections. Name: as errors
  /// give it.
  static std::unique_ptr<Trace> createGrowing(llvm::StringRef Name);
  ~Trace();

  /// Reads what of Parts is not there yet. Of a growing trace all that came is
  /// there. Errors: TraceError; what was there before stays.
  llvm::Error read(unsigned Parts);
  bool has(unsigned Parts) const { return (Has & Parts) == Parts; }

  /// Adds the next section of a stream, in the order of the file. Of events and
  /// all else that is not kept, only that they came counts. Errors: a
  /// TraceError for ids that are not there; nothing of the section is taken.
  llvm::Error add(const SectionInfo &Info, const AnySection &Section);
  llvm::Error add(const SectionInfo &Info, Dictionary D);
  llvm::Error add(const SectionInfo &Info, Summary Part);

  llvm::StringRef name() const { return Name; }
  const Header &header() const { return Reader ? Reader->header() : Head; }
  /// Whether the trace ends with its index.
  bool isComplete() const { return Reader ? Reader->complete() : HasIndex; }
  /// Whether it has a file, in which all sections can be read again.
  bool hasReader() const { return Reader != nullptr; }
  TraceReader &reader() const { return *Reader; }
  /// Fails where there is no file. Needs: who asks, `--x needs`.
  llvm::Error requireReader(llvm::StringRef Needs) const;
  /// What the user ought to know about what was read, each without a prefix.
  llvm::ArrayRef<std::string> warnings() const { return Warnings; }

  //===--------------------------------------------------------------------===//
  // Stats
  //===--------------------------------------------------------------------===//

  /// The last complete summary, its parts joined, without the rows of stacks
  /// and scope paths; empty where hasSummary() is false.
  const Summary &summary() const { return Totals; }
  bool hasSummary() const { return HasSummary; }
  /// Its rows of stacks, in order.
  llvm::ArrayRef<PackedRows> stackRows() const { return StackRows; }
  /// Its rows of scope paths. What has no scope path is in none.
  llvm::ArrayRef<PackedRows> scopeRows() const { return ScopeRows; }
  uint64_t endNs() const { return Totals.EndNs; }
  /// Whether the trace had no summary, being cut off, so that its events were
  /// replayed for it.
  bool isReplayed() const { return Replayed; }
  /// Of a heap, all zeros when nothing was recorded of it.
  const HeapStats &heapStats(uint32_t Heap) const {
    return HeapStatsOf[Heap - 1];
  }
  /// Of a memory space (0: `host`, else a device), likewise.
  const TotalStats &spaceStats(uint32_t Space) const {
    return SpaceStatsOf[Space];
  }
  const TotalStats &hostStats() const { return SpaceStatsOf[0]; }
  /// Of a process; null where the summary has none.
  const ProcessStats *processStats(uint32_t Process) const;
  /// Events that the recording missed: all losses but what was left out on
  /// request and stacks that were only cut short.
  uint64_t lostEvents() const;
  /// Events that were left out of the trace on request; its sums have them.
  uint64_t eventsLeftOut() const;
  /// The counts of losses by kind, over all processes.
  std::vector<uint64_t> losses() const;
  /// True for a process that exec replaced by another one; what lived in it
  /// then was given back by the kernel, and is no leak.
  bool wasReplaced(uint32_t Process) const { return Replaced[Process]; }

private:
  Trace(std::unique_ptr<TraceReader> R, llvm::StringRef Name);
  static llvm::Expected<std::unique_ptr<Trace>>
  make(std::unique_ptr<TraceReader> Reader, std::unique_ptr<TraceReader> Second,
       unsigned Parts);
  llvm::Error readParts(unsigned Parts, TraceReader *Second);
  llvm::Error readNames(unsigned Parts);
  llvm::Error readStacks();
  llvm::Error readOutline(bool WithNames);
  llvm::Error readWantedStrings();
  llvm::Error replaySummary();
  void setSummary(LastSummary S);
  void prepareStats();
  bool hasSamples() const;

  std::unique_ptr<TraceReader> Reader; ///< none of a trace that grows
  std::string Name;
  Header Head; ///< of a trace that grows
  bool HasIndex = false, HasOutline = false;
  unsigned Has = 0; ///< TraceParts
  std::vector<std::string> Warnings;
  Summary Totals;
  std::vector<PackedRows> StackRows, ScopeRows;
  std::vector<HeapStats> HeapStatsOf;     ///< by heap - 1
  std::vector<TotalStats> SpaceStatsOf;   ///< by memory space
  std::vector<uint32_t> ProcessStatsOf;   ///< by process, place in Totals + 1
  std::vector<bool> Replaced;             ///< by process
  std::unique_ptr<SummaryParts> Gathered; ///< of a summary that still comes
  bool HasSummary = false, Replayed = false;
};

} // namespace memkit

#endif // MEMKIT_MODEL_TRACE_H
