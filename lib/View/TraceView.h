// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers to the page's questions about one trace.
//
// A question is a name and a query, as in `profile?space=0&at=1200000000`; an
// answer is JSON. docs/Page.md lists questions, parameters and answers. Times
// are ns since the start of the trace, sizes bytes.

#ifndef MEMKIT_LIB_VIEW_TRACEVIEW_H
#define MEMKIT_LIB_VIEW_TRACEVIEW_H

#include "Analysis/Places/OwnTree.h"
#include "Graph.h"
#include "HeldNames.h"
#include "Job.h"
#include "KeySums.h"
#include "Question.h"
#include "Report/FirstScreen.h"
#include "TracePart.h"
#include "memkit/Model/LiveBlocks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

namespace memkit {

/// Values of a profile by key, for one graph.
struct KeyedValues {
  Profile Of;
  /// Live blocks by key, of which a key may have several; empty: not known.
  std::vector<KeyValue> Blocks;
  std::string Title;   ///< `live at 9.8 s, step 59`
  std::string Note;    ///< a sentence about the values; empty: none
  std::string Command; ///< the tool call with the same answer
  bool IsExact = true;
};

/// Adds the values that are not 0 from Sums, by key.
void takeSums(llvm::ArrayRef<uint64_t> Sums, Profile &P);
/// `train.py:46 Block.forward`: a frame in a line.
std::string frameLine(const ShownFrame &F);
/// Title, total and notes of values.
void writeHead(llvm::json::OStream &J, const KeyedValues &V);

class GraphNames;

/// What values the page asked for.
struct AskedValues {
  std::string What;  ///< `peak`, `live`, `retained`, `allocated`, ...
  uint64_t AtNs = 0; ///< of `live`
  uint64_t BeginNs = 0, EndNs = 0; ///< of a range
  std::string Heap = {};           ///< empty: all
  uint32_t Process = 0;            ///< 0: all
};
/// The command line that gives the same values; empty: there is none. A library
/// does not know the options of tools, so the tool gives this function.
using CommandWriter = std::function<std::string(const AskedValues &)>;

/// Live bytes of a group over time.
struct GroupCurve {
  uint32_t Id = 0; ///< a heap, library, process or place
  std::string Name;
  CodeOwner Owner = CodeOwner::Other;
  std::vector<SeriesPoint> Points;
};
struct GroupColumns {
  uint32_t Id = 0; ///< as GroupCurve::Id; 0 for the other groups
  std::string Name;
  CodeOwner Owner = CodeOwner::Other;
  std::vector<uint64_t> Values; ///< by column
};
/// The curves of a memory space by a grouping.
struct DrawnCurves {
  PartFilter Of;
  uint32_t Space = 0;
  std::string By;
  uint64_t EveryNs = 0; ///< the distance of points; 0: as the intervals
  std::vector<SeriesPoint> Total;
  std::vector<GroupCurve> Groups;
};

/// A tick on the timeline; a range has a later end.
struct ShownMark {
  uint64_t TimeNs = 0, EndNs = 0;
  llvm::StringRef Kind; ///< `user`, `range`, `oom`, ...
  std::string Text;
};

/// The peak of a memory space, or of the chosen heap.
struct PeakTotals {
  uint64_t Bytes = 0, TimeNs = 0;
};

/// A part of the run, from the page's parameters.
struct ViewRange {
  uint64_t BeginNs = 0, EndNs = 0;
};

/// Which file a path names, and its last change.
struct FileState {
  uint64_t Device = 0, Inode = 0, Bytes = 0, ChangedNs = 0;
  bool operator==(const FileState &) const = default;
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
  llvm::Expected<std::string> answer(const Question &Q);
  /// Whether the last answer is progress of long work, to be asked again.
  bool isWaiting() const { return Waits; }
  /// Whether long work runs.
  bool isWorking() const;
  /// Whether the trace is that of a program that runs (`live:PID`).
  bool isLive() const;
  /// Whether the file of this name is no longer the file that was opened, or
  /// has changed since.
  bool hasChanged() const;
  /// From now on, answers wait for long work: for a page that is a file.
  void waitForWork() { WaitsForWork = true; }
  /// From now on, answers that need long work are errors.
  void refuseWork() { RefusesWork = true; }
  /// From now on, graphs lack their names: To gets them. May be null.
  void shareNames(GraphNames *To) { SharedNames = To; }
  /// Keeps up to Count trees of graphs; one may take 100 MB.
  void keepGraphs(size_t Count) { MaxGraphs = Count; }
  /// Reads the live blocks at rising times in one replay, and calls Do for each
  /// time: answers about the time are fast then.
  llvm::Error atMoments(llvm::ArrayRef<uint64_t> TimesNs,
                        llvm::function_ref<llvm::Error(uint64_t TimeNs)> Do);
  /// The events of the trace.
  uint64_t numEvents() const { return Run.Allocations + Run.Frees; }
  const SelectedStats &stats() const { return *In.S; }
  /// Folds frames as the trace was opened; false: they are folded so. After
  /// true, what refers to frames of stats() must be made again.
  bool showUsualFrames() {
    bool Changes = ShowsAll != Spec.AllFrames;
    showFrames(Spec.AllFrames);
    foldFrames();
    return Changes;
  }
  /// The trace is the one at index Which of several, which the page compares.
  void setCompared(std::vector<std::string> Names, size_t Which) {
    Compared = std::move(Names);
    WhichOfCompared = Which;
  }

private:
  TraceView() = default;
  llvm::Error readOverview();
  void showFrames(bool All);
  void foldFrames();
  PageInput input() const { return {trace(), Run, *Over, In.S->selection()}; }
  const Trace &trace() const { return *In.T; }
  uint64_t endNs() const { return In.T->endNs(); }

  /// The names of the results that are the edges of a range begin with it.
  static constexpr llvm::StringLiteral EdgesPrefix = "edges";
  // Params.cpp
  /// The result of the work Name, which starts with the first call. Until the
  /// work is done: null, isWaiting(), and the answer is progress(). Waits for
  /// the work for at most WaitMs. New work forgets the edges of ranges.
  llvm::Expected<const JobResult *> result(const std::string &Name,
                                           Job::Work Do, unsigned WaitMs = 0);
  const JobResult *wait(double Share, const std::string &What);
  std::string progress() const { return Progress; }
  llvm::Expected<ViewRange> range(const Question &Q) const;
  llvm::Expected<Graph *> graph(const Question &Q);
  /// The part that `heap=` and `process=` choose.
  llvm::Expected<TracePart *> part(const Question &Q);
  TracePart &whole() { return *Parts.front(); }
  PeakTotals peakOf(const TracePart &P, uint32_t Space) const;

  // StartAnswer.cpp
  bool hasEvents() const;
  bool hasLayers() const;
  std::vector<llvm::StringRef> curveGroupings() const;
  llvm::Expected<std::string> start();
  // MarkAnswer.cpp
  llvm::Error readMarks();
  void writeMarks(llvm::json::OStream &J) const;
  // CurveAnswer.cpp
  llvm::Expected<std::string> curves(const Question &Q);
  // Curves.cpp
  struct StackGrouping;
  StackGrouping groupingOf(llvm::StringRef By);
  llvm::Expected<bool> readCurves(TracePart &P, uint32_t Space,
                                  llvm::StringRef By);
  llvm::Error readIntervalCurves(TracePart &P, DrawnCurves &To);
  void readResidentCurves(const TracePart &P, DrawnCurves &To) const;
  // EventCurves.cpp
  llvm::Expected<bool> readEventCurves(const TracePart &P, DrawnCurves &To);
  llvm::Error readLines();
  void keepLastValues(DrawnCurves &To) const;
  void addPeak(const TracePart &P, const PeakTotals &Peak, DrawnCurves &To);
  llvm::StringSet<> leakingLines() const;
  void writeLines(llvm::json::OStream &J, PartFilter Of, uint32_t Space,
                  ViewRange R, size_t Count);
  // GrowthAnswer.cpp
  llvm::Expected<std::string> growth();
  llvm::Error readGrowthCurves();
  // MapAnswer.cpp
  llvm::Expected<std::string> map(const Question &Q);
  // LayerAnswer.cpp
  uint32_t spaceOfTensors() const;
  llvm::Expected<std::string> layers(const Question &Q);
  // SourceAnswer.cpp
  llvm::Expected<std::string> source(const Question &Q);
  std::string operators();
  std::string programs();
  // Values.cpp
  /// While isWaiting(), the values are empty.
  llvm::Expected<KeyedValues> values(const Question &Q, Graph &G);
  llvm::Expected<KeyedValues> liveValues(const TracePart &P, Graph &G,
                                         uint32_t Space, const TimePoint &At,
                                         uint64_t SinceNs);
  TimePoint timePoint(uint64_t AtNs) const;
  llvm::Expected<TimePoint> peakPoint(const TracePart &P, uint32_t Space) const;
  llvm::Expected<KeyedValues> peakValues(TracePart &P, Graph &G,
                                         uint32_t Space);
  llvm::Expected<KeyedValues> summaryValues(TracePart &P, Graph &G,
                                            uint32_t Space, Metric M);
  // RangeValues.cpp
  llvm::Expected<KeyedValues> rangeValues(TracePart &P, Graph &G,
                                          uint32_t Space, llvm::StringRef What,
                                          ViewRange R, bool IsExact);
  llvm::Error readLive(const TracePart &P, const TimePoint &At);
  std::string atText(uint64_t Ns) const;
  // ProfileAnswer.cpp
  llvm::Expected<std::string> profile(const Question &Q);
  llvm::Expected<std::string> table(const Question &Q);

  SelectionSpec Spec;
  bool ShowsAll = false; ///< also the frames that the rules fold
  bool IsFolded = false; ///< the frames of the trace
  SelectedTrace In;
  std::string Path;
  std::vector<std::string> Compared; ///< names of traces; empty: only this one
  size_t WhichOfCompared = 0;
  FileState Opened;
  CommandWriter CommandOf;
  RunReport Run;
  std::optional<Overview> Over;
  std::optional<HeldNames> Held; ///< with Over
  std::vector<std::unique_ptr<Graph>> Graphs;
  std::vector<std::pair<std::string, std::unique_ptr<Job>>> Jobs; ///< by name
  bool Waits = false, WaitsForWork = false, RefusesWork = false;
  GraphNames *SharedNames = nullptr; ///< null: each graph has its own
  size_t MaxGraphs = 3;
  std::string Progress;
  /// The whole trace, then the part that was asked for last.
  std::vector<std::unique_ptr<TracePart>> Parts;
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
  uint32_t LiveHeap = 0; ///< a heap outside the totals, alone
  KeySums LiveSums;      ///< of a question, while it is answered
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_TRACEVIEW_H
