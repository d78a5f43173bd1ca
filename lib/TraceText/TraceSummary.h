// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace holds, in short.
//
// The answer of `memdump --summary`: what a trace holds, from its header, its
// names and the totals of its last summary. No event is read.

#ifndef MEMKIT_LIB_TRACETEXT_TRACESUMMARY_H
#define MEMKIT_LIB_TRACETEXT_TRACESUMMARY_H

#include "CategorySums.h"
#include "memkit/Trace/Sampling.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

struct TraceSummary {
  memkit::Header Header;
  bool Complete = false; ///< the trace ends with its index
  /// Those that are named below, by id.
  llvm::DenseMap<uint32_t, std::string> Strings;
  // Of the dictionary, by id - 1.
  std::vector<Heap> Heaps;
  std::vector<ProcessRecord> Processes;
  std::vector<Device> Devices;
  uint64_t NumStacks = 0;
  uint64_t NumNodes = 0; ///< of the tree of stacks
  uint64_t NumThreads = 0;
  /// The last summary, its parts joined, without its rows of stacks and
  /// scope paths.
  Summary Stats;

  /// What this version does not know of the sections that were read.
  UnknownValues Unknown;
  /// By heap, 0 unused; empty when no heap is sampled.
  std::vector<SampleVariances> Variances;

  bool isSampled(uint32_t Heap) const {
    return Heaps[Heap - 1].estimateBytes() != 0;
  }
  /// Whether sums of a memory space are estimates.
  bool isSpaceSampled(uint32_t Space) const;
  /// Of the totals of a heap, all zeros when it is not sampled; of a memory
  /// space.
  SampleVariances heapVariances(uint32_t Heap) const;
  SampleVariances spaceVariances(uint32_t Space) const;

  /// Empty for 0.
  llvm::StringRef string(uint32_t Id) const;
  /// `host` for 0.
  llvm::StringRef space(uint32_t Id) const;
  /// Of a heap or memory space; all zeros when there is nothing of it.
  HeapStats heapStats(uint32_t Heap) const;
  TotalStats spaceStats(uint32_t Space) const;
  const ProcessStats *processStats(uint32_t Process) const;
  /// Events that the recording missed: all losses but what was left out on
  /// request and stacks that were only cut short.
  uint64_t lost() const;
  /// The layers, one for each name and direction, summed over processes, the
  /// peak the highest of any; those with the highest peaks first.
  std::vector<LayerStats> layers() const;
  /// Likewise the scopes that the program named itself, in the order in which
  /// they first ended.
  std::vector<LayerStats> scopes() const;
  /// The tensors at the peaks of their heaps, by heap and category; empty when
  /// the trace was not completed.
  std::vector<CategorySum> categories() const;
};

/// Makes the summary from the events, for a trace that has none.
using SummaryMaker = llvm::function_ref<llvm::Expected<Summary>()>;

/// Reads the summary of R. Make is called when the trace ends with no whole
/// one. Every id in the result lies within its tables. Errors: TraceError.
llvm::Expected<TraceSummary> readTraceSummary(TraceReader &R,
                                              SummaryMaker Make);

/// For people. OomHint follows the number of times that memory could not be
/// had.
void printSummary(llvm::raw_ostream &OS, const TraceSummary &S, unsigned Width,
                  llvm::StringRef OomHint);

/// The attributes of `memdump --summary --format=json` as docs/CommandGuide/
/// memdump.md defines them, into the object that J has open.
void writeSummaryJson(llvm::json::OStream &J, const TraceSummary &S);

/// `{"layers": [...]}`: the layers as an attribute into the object that J has
/// open; for people; and as lines of CSV below a header.
void writeLayersJson(llvm::json::OStream &J, const TraceSummary &S);
void printLayers(llvm::raw_ostream &OS, const TraceSummary &S, unsigned Width);
void printLayersCsv(llvm::raw_ostream &OS, const TraceSummary &S);

/// What has shares of memory spaces: which fields of them it has.
enum ShareOf : unsigned {
  SO_Step = 1,
  SO_Process = 2, ///< live bytes and peak alone
  SO_Layer = 4,
  SO_Scope = 8,
};
/// The attribute `spaces`.
void writeSpaces(llvm::json::OStream &J, const TraceSummary &S,
                 llvm::ArrayRef<SpaceShare> Shares, ShareOf Of);
/// `5 GiB cuda:0, 1 GiB cuda:1`; empty: the process had nothing on devices.
std::string devicePeaks(const TraceSummary &S, const ProcessStats *Stats);

/// The steps, a row for each memory space of which one had anything.
void writeStepsJson(llvm::json::OStream &J, const TraceSummary &S);
void printSteps(llvm::raw_ostream &OS, const TraceSummary &S, unsigned Width);
void printStepsCsv(llvm::raw_ostream &OS, const TraceSummary &S);

/// The processes, as in the summary.
void writeProcessesJson(llvm::json::OStream &J, const TraceSummary &S);
void printProcesses(llvm::raw_ostream &OS, const TraceSummary &S,
                    unsigned Width);

/// The same of the scopes, `{"scopes": [...]}`.
void writeScopesJson(llvm::json::OStream &J, const TraceSummary &S);
void printScopes(llvm::raw_ostream &OS, const TraceSummary &S, unsigned Width);
void printScopesCsv(llvm::raw_ostream &OS, const TraceSummary &S);

/// The same of the categories of tensors, `{"categories": [...]}`.
void writeCategoriesJson(llvm::json::OStream &J, const TraceSummary &S,
                         bool WithLayers);
void printCategories(llvm::raw_ostream &OS, const TraceSummary &S,
                     unsigned Width);
void printCategoriesCsv(llvm::raw_ostream &OS, const TraceSummary &S);
/// A line for each heap of tensors, and how often memory could not be had.
void printCategoryLines(llvm::raw_ostream &OS, const TraceSummary &S,
                        llvm::StringRef OomHint);

} // namespace memkit

#endif // MEMKIT_LIB_TRACETEXT_TRACESUMMARY_H
