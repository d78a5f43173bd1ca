// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for growth: Growth.cpp reads, GrowthJudge.cpp judges places, and
// GrowthWords.cpp finds the word for each finding.

#ifndef MEMKIT_LIB_ANALYSIS_GROWTHFINDER_H
#define MEMKIT_LIB_ANALYSIS_GROWTHFINDER_H

#include "Analysis/Series/LevelCourse.h"
#include "GrowthRanges.h"
#include "GrowthTree.h"
#include "Model/Query/ArenaStacks.h"
#include "Model/Query/CensusStacks.h"
#include "memkit/Analysis/GrowthReport.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <algorithm>
#include <map>

namespace memkit {

/// The data of a node or stack, without the data of findings below it.
struct GrowthPlace {
  SurvivalData Data;
  uint64_t Stacks = 0;
  double Bytes = 0, Blocks = 0, Survive = 0, Repeated = 0, AtExit = 0;
  uint32_t TopStack = 0;
  double Top = -1;

  bool empty() const { return Data.Bytes.empty(); }
  void add(const GrowthPlace &P);
};

/// The values of a row, to be added to a place.
struct GrowthRowValues {
  RowSurvival Data;
  double Bytes = 0, Blocks = 0, Survive = 0, AtExit = 0;
  bool IsRepeated = false; ///< survivors in several bins
  uint32_t Stack = 0;

  /// P has the bins of the row's memory space.
  void addTo(GrowthPlace &P) const;
};

/// The live bytes of a place or of arenas, as SurvivalData has them.
struct GrowthLevel {
  const RangeBins *Of = nullptr;
  double Before = 0;
  std::vector<double> Bytes, Blocks;

  explicit GrowthLevel(const RangeBins &B)
      : Of(&B), Bytes(B.bins().size()), Blocks(B.bins().size()) {}
};

/// The sums of a heap of a process, or of a memory space.
struct GrowthTotals {
  double Before = 0;             ///< live bytes at the begin of the span
  std::vector<double> Live;      ///< at the end of each bin
  std::vector<double> Allocated; ///< in each bin

  double highest() const {
    double High = Before;
    for (double V : Live)
      High = std::max(High, V);
    return High;
  }
  /// The larger of both at each time.
  void takeLarger(const GrowthTotals &Other);
  void add(const GrowthTotals &Other);
};

/// A place that may become a finding.
struct GrowthCandidate {
  Growth G;
  double Alpha = 0;
  uint32_t Group = 0;
  uint32_t Place = GrowthNode::None; ///< index in GrowthNodes::Nodes
  bool IsDropped = false;
  /// The place survives as a leak does; else its live bytes rise.
  bool Survives = false;
  /// Not certain, and no reason to leave the place out at its callers.
  bool IsWeak = false;
  /// A part of the blocks was freed at ages of a large part of the span.
  bool DropsOld = false;
  LevelRise Course;
  std::vector<double> Kept, Level; ///< as SurvivalData::Bytes and Level
};

/// A rise that ended is worth a word if it has this part of the highest live
/// bytes of its memory space, and took this time.
inline constexpr double MinEnded = 0.1, MinEndedSeconds = 2;
inline constexpr double MinEndedPart = 0.15; ///< or this part of the span

class GrowthFinder {
public:
  GrowthFinder(IntervalSeries &Intervals, const SelectedStats &S,
               const GrowthOptions &Options)
      : Intervals(Intervals), S(S), T(S.trace()), Options(Options), Old(T),
        Own(T) {}
  llvm::Error readRanges();
  bool hasRanges() const { return !Spans.empty(); }
  void take(size_t Process, size_t Interval,
            llvm::ArrayRef<IntervalChange> Changes);
  llvm::Expected<GrowthReport> finish();

private:
  /// There may be millions of rows, so a row has no data of its own: the data
  /// is read once more for the rows of chosen nodes.
  struct JudgedRow {
    uint64_t AtCut = 0, BlocksAtCut = 0, AtEnd = 0;
    uint64_t AtBegin = 0, Highest = 0; ///< Highest: in the span
    uint32_t AfterBin = 0;             ///< 1 + the bin of the last change
  };
  /// A change of a row before the end of its span.
  struct KeptChange {
    uint32_t Row;
    int32_t Blocks;
    double Bytes;
  };
  /// A finding, and the data from which it was judged.
  struct JudgedGrowth {
    uint32_t Found; ///< in Candidates
    GrowthPlace Of;
  };
  /// What the children of a node passed to it.
  struct FromBelow {
    GrowthPlace Rest;  ///< explained by no finding
    GrowthPlace Alone; ///< judged alone: only its live bytes count
    std::vector<JudgedGrowth> Findings;
  };

  // Growth.cpp
  static void addAllocated(const IntervalChange &C, size_t Bin, JudgedRow &I,
                           GrowthTotals &To);
  void keep(const IntervalChange &C, double Bytes);
  llvm::Error readSurvivors();
  std::optional<uint32_t> judgedRow(size_t Process, uint32_t Heap,
                                    uint32_t Stack) const;
  void readLifetimes(size_t Process, const RowLifetimes &R, uint32_t Row,
                     GrowthRowValues &Out) const;
  void addLifetimes(size_t Process, const SectionLifetimes &L,
                    ArenaStacks &ArenasOf);
  void addFreedRows();
  void partOwnRows();
  void readNodes();
  void dropEnclosing();
  void sumSpaces();
  GrowthTotals sumOf(size_t Process, uint32_t Heap) const;
  std::vector<GrowthLevel> makeLevels();
  llvm::Error readLevels(llvm::MutableArrayRef<GrowthLevel> Levels);
  void setLevels(llvm::MutableArrayRef<GrowthLevel> Levels);
  llvm::Error readSwitches();
  uint64_t lifeEnd(const ProcessIntervals &I, const RangeBins &Span) const;

  // GrowthJudge.cpp
  void judge();
  bool judgeOwnRows(uint32_t N, FromBelow &B, GrowthPlace Rest);
  void judgeNode(uint32_t N);
  void merge(uint32_t N, FromBelow &B);
  void joinRises(uint32_t N, FromBelow &B);
  void takeFindings(uint32_t N, FromBelow &B, GrowthPlace All);
  bool haveSameCourse(const GrowthCandidate &A, const GrowthCandidate &B) const;
  double secondsOf(uint32_t Group, const LevelRise &Course) const;
  void dropNested();
  void judgeFreed();
  double keptLate(uint32_t Group, const GrowthPlace &P) const;
  void judgeArenas();
  GrowthCandidate makeCandidate(uint32_t Group, uint32_t Node,
                                const GrowthPlace &P) const;
  bool addSurvivors(uint32_t Group, uint32_t Node, GrowthPlace &P,
                    bool MayBeWeak, double *Cohorts = nullptr);
  bool addRise(uint32_t Group, uint32_t Node, const GrowthPlace &P,
               bool MayHaveEnded);
  void setCourse(GrowthCandidate &C, LevelRise Course) const;
  double materialBytes(uint32_t Group, double Part) const;
  bool isLong(uint32_t Group, const LevelRise &Course) const;
  bool becomesLevel(GrowthCandidate &C) const;
  bool hasStopped(uint32_t Group, const LevelRise &Course) const;
  bool beganLate(uint32_t Group, const LevelRise &Course) const;
  bool hasEnded(uint32_t Group, const LevelRise &Course) const;
  std::vector<uint32_t> findingsOfNodes() const;
  void descend();

  // GrowthWords.cpp
  void setBounded();
  void chooseWords();
  void chooseWord(GrowthCandidate &C, llvm::ArrayRef<double> Growing,
                  llvm::ArrayRef<double> Others);
  void setGrew(GrowthCandidate &C) const;
  llvm::SmallVector<ShownFrame, 3> functionsNear(uint32_t Stack) const;
  bool shareFunction(uint32_t A, uint32_t B) const;
  void followContents();
  bool hasObjects() const;
  void dropOuter();
  llvm::DenseSet<uint32_t> stacksWithoutInner() const;
  void dropDoubles();
  void dropMinor();
  void readParts();
  void report();

  size_t numHeaps() const { return T.heaps().size(); }
  uint32_t groupOf(size_t Process, uint32_t Heap) const {
    return static_cast<uint32_t>(Process * numHeaps()) + Heap - 1;
  }
  uint32_t heapOf(uint32_t Group) const { return Group % numHeaps() + 1; }
  uint32_t processOf(uint32_t Group) const { return Group / numHeaps(); }
  uint32_t spanOf(uint32_t Group) const { return RangeOfGroup[Group]; }
  const RangeBins &binsOf(uint32_t Group) const {
    return *Spans[spanOf(Group)];
  }
  uint32_t spaceOf(uint32_t Heap) const {
    const memkit::Heap &H = T.heaps()[Heap - 1];
    return H.Flags & HF_OutsideTotals ? 0 : H.Space + 1;
  }
  const IntervalHead &head(uint32_t Group, size_t Interval) const {
    return Intervals.processes()[processOf(Group)].Heads[Interval];
  }

  IntervalSeries &Intervals;
  const SelectedStats &S;
  const Trace &T;
  GrowthOptions Options;
  const CensusStacks Old;
  const OwnCode Own;
  std::vector<std::optional<RangeBins>> Spans; ///< by process and memory space
  std::vector<GrowthRange> Ranges;             ///< of Spans
  std::vector<GrowthTotals> SpaceTotals;       ///< of Spans
  llvm::DenseMap<uint32_t, RecordedTime>
      Recorded;                       ///< where not all, by process
  std::vector<uint32_t> RangeOfGroup; ///< UINT32_MAX if the group has no span
  std::vector<GrowthRow> Rows;        ///< by row of IntervalSeries
  std::vector<JudgedRow> Infos;       ///< by row of IntervalSeries
  std::vector<KeptChange> Kept;       ///< empty unless KeepsAll
  /// The intervals of Kept: each with the end of its part of Kept.
  std::vector<std::pair<size_t, size_t>> KeptIntervals;
  bool KeepsAll = true;
  /// Those to judge, then those of OwnRows.
  GrowthNodes Nodes;
  uint32_t NumJudged = 0;
  /// By node to judge where rows end, and rows from below are added: the node
  /// of the former alone, which no node judges.
  llvm::DenseMap<uint32_t, uint32_t> OwnRows;
  std::vector<GrowthPlace> Places; ///< by node
  /// By row: the node, for arenas a number after the nodes, or None.
  std::vector<uint32_t> LevelOfRow;
  std::vector<FromBelow> Below;                         ///< by node
  std::map<uint32_t, GrowthPlace> Arenas;               ///< by group
  std::vector<std::pair<uint32_t, uint32_t>> ArenaRows; ///< rows and groups
  llvm::DenseMap<uint32_t, GrowthTotals> HeapTotals;    ///< by group
  std::vector<GrowthCandidate> Candidates;
  size_t Tests = 0; ///< number of places that could become findings
  GrowthReport Report;
};

/// Sums of values in a file may exceed any memory size.
inline uint64_t toBytes(double V) {
  return static_cast<uint64_t>(std::clamp(V, 0.0, 0x1p63));
}

} // namespace memkit

#endif // MEMKIT_LIB_ANALYSIS_GROWTHFINDER_H
