// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers to the page's questions about one trace.
//
// A question is a name and a query, as in `profile?space=0&at=1200000000`; an
// answer is JSON. docs/Page.md lists questions, parameters and answers. Times
// are ns since the start of the trace, sizes bytes.

#ifndef MEMKIT_LIB_VIEW_TRACEVIEW_H
#define MEMKIT_LIB_VIEW_TRACEVIEW_H

#include "Analysis/OwnTree.h"
#include "Graph.h"
#include "Job.h"
#include "Report/FirstScreen.h"
#include "memkit/Model/LiveBlocks.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// Values of a profile by key, for one graph.
struct KeyedValues {
  Profile Of;
  std::vector<uint64_t> Blocks; ///< live blocks by key; empty: not known
  std::string Title;            ///< `live at 9.8 s, step 59`
  std::string Note;             ///< a sentence about the values; empty: none
  std::string Command;          ///< the tool call with the same answer
  bool IsExact = true;
};

/// `train.py:46 Block.forward`: a frame in a line.
std::string frameLine(const ShownFrame &F);
/// Title, total and notes of values.
void writeHead(llvm::json::OStream &J, const KeyedValues &V);

/// What values the page asked for.
struct AskedValues {
  std::string What;  ///< `peak`, `live`, `retained`, `allocated`, ...
  uint64_t AtNs = 0; ///< of `live`
  uint64_t BeginNs = 0, EndNs = 0; ///< of a range
};
/// The command line that gives the same values; empty: there is none. A library
/// does not know the options of tools, so the tool gives this function.
using CommandWriter = std::function<std::string(const AskedValues &)>;

/// Live bytes of a group over time.
struct GroupCurve {
  uint32_t Id = 0; ///< a heap, library or place
  std::string Name;
  CodeOwner Owner = CodeOwner::Other;
  std::vector<SeriesPoint> Points;
};
struct GroupColumns {
  std::string Name;
  CodeOwner Owner = CodeOwner::Other;
  std::vector<uint64_t> Values; ///< by column
};
/// The curves of a memory space by a grouping.
struct DrawnCurves {
  uint32_t Space = 0;
  std::string By;
  std::vector<SeriesPoint> Total;
  std::vector<GroupCurve> Groups;
};

/// A tick on the timeline; a range has a later end.
struct ShownMark {
  uint64_t TimeNs = 0, EndNs = 0;
  llvm::StringRef Kind; ///< `user`, `range`, `oom`, ...
  std::string Text;
};

/// A part of the run, from the page's parameters.
struct ViewRange {
  uint64_t BeginNs = 0, EndNs = 0;
};

/// One trace, kept open. Belongs to one thread. Keeps what several questions
/// need: trees, live blocks of the last time point, curves.
class TraceView {
public:
  /// Spec: the options that say how stacks are shown; nothing may be selected.
  static llvm::Expected<std::unique_ptr<TraceView>>
  open(llvm::StringRef Path, SelectionSpec Spec, ProgressCallback OnProgress,
       CommandWriter Commands);
  ~TraceView();

  /// The answer as JSON. Errors: a RequestError for a wrong question, else a
  /// TraceError.
  llvm::Expected<std::string> answer(llvm::StringRef Question,
                                     llvm::StringRef Query);
  /// Whether the last answer is progress of long work, to be asked again.
  bool isWaiting() const { return Waits; }
  /// Whether long work runs.
  bool isWorking() const;
  /// From now on, answers wait for long work: for a page that is a file.
  void waitForWork() { WaitsForWork = true; }
  /// The answers of a page that is a file, as one JSON object by request: the
  /// first answers of each view, and moments as far as MaxBytes allow.
  llvm::Expected<std::string> fileAnswers(uint64_t MaxBytes);
  const SelectedStats &stats() const { return *In.S; }
  /// The trace is the one at index Which of several, which the page compares.
  void setCompared(std::vector<std::string> Names, size_t Which) {
    Compared = std::move(Names);
    WhichOfCompared = Which;
  }

private:
  TraceView() = default;
  llvm::Error readOverview();
  PageInput input() const { return {trace(), Run, *Over, In.S->selection()}; }
  const Trace &trace() const { return *In.T; }
  uint64_t endNs() const { return In.T->endNs(); }

  // Params.cpp
  llvm::Expected<uint64_t> number(llvm::StringRef Query, llvm::StringRef Key,
                                  uint64_t Usual, uint64_t Max) const;
  /// The result of long work; while the work runs, its progress.
  llvm::Expected<std::string> await(const std::string &Name, Job::Work Do);
  llvm::Expected<ViewRange> range(llvm::StringRef Query) const;
  llvm::Expected<Graph *> graph(llvm::StringRef Query);

  // StartAnswer.cpp
  llvm::Expected<std::string> start(llvm::ArrayRef<uint64_t> Moments = {});
  // MarkAnswer.cpp
  llvm::Error readMarks();
  void writeMarks(llvm::json::OStream &J) const;
  // CurveAnswer.cpp
  llvm::Expected<std::string> curves(llvm::StringRef Query);
  llvm::Error readCurves(uint32_t Space, llvm::StringRef By);
  llvm::Error readLines();
  void addPeak(DrawnCurves &To);
  void writeLines(llvm::json::OStream &J, uint32_t Space, ViewRange R,
                  size_t Count);
  // GrowthAnswer.cpp
  llvm::Expected<std::string> growth();
  llvm::Error readGrowthCurves();
  // MapAnswer.cpp
  llvm::Expected<std::string> map(llvm::StringRef Query);
  // LayerAnswer.cpp
  llvm::Expected<std::string> layers(llvm::StringRef Query);
  // Values.cpp
  llvm::Expected<KeyedValues> values(llvm::StringRef Query, Graph &G);
  llvm::Expected<KeyedValues> livePart(Graph &G, uint32_t Space, uint64_t AtNs,
                                       uint64_t SinceNs);
  llvm::Expected<KeyedValues> summaryPart(Graph &G, uint32_t Space, Metric M);
  llvm::Expected<KeyedValues> rangePart(Graph &G, uint32_t Space,
                                        llvm::StringRef What, ViewRange R);
  llvm::Error readLive(uint64_t AtNs);
  std::string atText(uint64_t Ns) const;
  // ProfileAnswer.cpp
  llvm::Expected<std::string> profile(llvm::StringRef Query);
  llvm::Expected<std::string> table(llvm::StringRef Query);

  SelectionSpec Spec;
  /// The same trace with all frames; opened when needed.
  std::unique_ptr<TraceView> Unfolded;
  SelectedTrace In;
  std::string Path;
  std::vector<std::string> Compared; ///< names of traces; empty: only this one
  size_t WhichOfCompared = 0;
  CommandWriter CommandOf;
  RunReport Run;
  std::optional<Overview> Over;
  std::vector<std::unique_ptr<Graph>> Graphs;
  std::map<std::string, std::unique_ptr<Job>> Jobs; ///< by name
  bool Waits = false, WaitsForWork = false;
  std::optional<SelectedStats> ByScope;
  std::unique_ptr<IntervalSeries> Intervals;
  std::optional<OwnTree> Calls; ///< made when needed
  std::vector<ShownMark> Shown;
  bool MarksRead = false;
  std::optional<DrawnCurves> Drawn;  ///< the last
  std::optional<Libraries> Grouping; ///< made when needed
  /// By index in Overview::Growing.
  std::optional<std::vector<std::vector<SeriesPoint>>> GrowthCurves;
  std::optional<MarkSeries> Measured;
  std::vector<SeriesPoint> Resident; ///< of all processes
  /// The live blocks at LiveNs, of all memory spaces.
  std::vector<LivePart> Live;
  std::optional<uint64_t> LiveNs;
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_TRACEVIEW_H
