// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace whose answers are tables.

#include "Questions.h"
#include "Support/CommandText.h"
#include "TableMaker.h"
#include "TraceText/EnumNames.h"
#include "memkit/Analysis/Programs.h"
#include "memkit/Analysis/Query.h"
#include "memkit/Model/Places.h"
#include "memkit/Model/Query.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

using MaybeNumber = std::optional<uint64_t>;

static MaybeNumber ifAny(uint64_t Value) {
  return Value ? MaybeNumber(Value) : std::nullopt;
}
static MaybeNumber ifKnown(bool IsKnown, uint64_t Value) {
  return IsKnown ? MaybeNumber(Value) : std::nullopt;
}
static MaybeNumber rankOf(int32_t Rank) {
  return ifKnown(Rank >= 0, uint64_t(std::max(Rank, 0)));
}
static uint32_t pidOf(const Trace &T, uint32_t Process) {
  return Process ? T.processes()[Process - 1].Pid : 0;
}
static MaybeNumber rankOfProcess(const Trace &T, uint32_t Process) {
  return Process ? rankOf(T.processes()[Process - 1].Place.Rank) : std::nullopt;
}

/// The columns of TotalStats, of rows with a member Stats. What processes had
/// when each ended may be more than ever lived at a time.
template <class RowT> static void addTotals(TableMaker<RowT> &To) {
  To.number("allocations", [](const RowT &R) { return R.Stats.Allocations; })
      .number("frees", [](const RowT &R) { return R.Stats.Frees; })
      .number("temporaries", [](const RowT &R) { return R.Stats.Temporaries; })
      .number("allocated_bytes",
              [](const RowT &R) { return R.Stats.AllocatedBytes; })
      .number("freed_bytes", [](const RowT &R) { return R.Stats.FreedBytes; })
      .number("live_blocks", [](const RowT &R) { return R.Stats.LiveBlocks; })
      .maybe("live_bytes",
             [](const RowT &R) {
               return ifKnown(R.Stats.LiveBytes <= R.Stats.PeakBytes,
                              R.Stats.LiveBytes);
             })
      .number("live_at_exits_bytes",
              [](const RowT &R) { return R.Stats.LiveBytes; })
      .number("peak_blocks", [](const RowT &R) { return R.Stats.PeakBlocks; })
      .number("peak_bytes", [](const RowT &R) { return R.Stats.PeakBytes; })
      .number("peak_time_ns", [](const RowT &R) { return R.Stats.PeakTimeNs; })
      .flag("is_estimate", [](const RowT &R) { return R.IsEstimate; });
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

TableAnswer runTable(const Trace &T) {
  const RunReport Run = queryRun(T);
  TableMaker<RunReport> M;
  M.text("program", [&](const RunReport &) { return queryProgram(T); })
      .text("command",
            [](const RunReport &R) {
              return R.Processes.empty() ? std::string()
                                         : join(R.Processes[0].Command, " ");
            })
      .text("host", [](const RunReport &R) { return R.Run.Host; })
      .maybe("rank", [](const RunReport &R) { return rankOf(R.Run.Rank); })
      .number("start_unix_ns",
              [](const RunReport &R) { return R.Run.Start.RealtimeNs; })
      .number("duration_ns", [](const RunReport &R) { return R.EndNs; })
      .flag("complete", [](const RunReport &R) { return R.IsComplete; })
      .number("allocations", [](const RunReport &R) { return R.Allocations; })
      .number("frees", [](const RunReport &R) { return R.Frees; })
      .number("lost", [](const RunReport &R) { return R.Lost; })
      .number("stacks", [](const RunReport &R) { return R.Stacks; })
      .number("threads", [](const RunReport &R) { return R.Threads; })
      .number("steps", [](const RunReport &R) { return R.Steps; })
      .number("layers", [](const RunReport &R) { return R.Layers; })
      .number("ooms", [](const RunReport &R) { return R.Ooms; })
      .maybe("rss_peak_bytes",
             [](const RunReport &R) { return ifAny(R.MaxRss); })
      .maybe("pss_peak_bytes",
             [](const RunReport &R) { return ifAny(R.MaxPss); });
  return M.make(Run);
}

TableAnswer processesTable(const Trace &T) {
  auto Stat = [](uint64_t ProcessStats::*Field) {
    return [Field](const auto &R) {
      return R.Stats ? MaybeNumber((*R.Stats).*Field) : std::nullopt;
    };
  };
  TableMaker<ProcessReport> M;
  M.id("process", [](const auto &R) { return R.Pid; })
      .maybe("parent", [&](const auto &R) { return ifAny(pidOf(T, R.Parent)); })
      .text("name", [](const auto &R) { return R.Name.str(); })
      .text("command", [](const auto &R) { return join(R.Command, " "); })
      .maybe("rank", [](const auto &R) { return rankOf(R.Place.Rank); })
      .flag("recorded", [](const auto &R) { return R.IsRecorded; })
      .text("why_not", [](const auto &R) { return R.WhyNot.str(); })
      .maybe("end_ns", Stat(&ProcessStats::EndNs))
      .maybe("exit_status",
             [](const auto &R) {
               int32_t Status =
                   R.Stats && R.Stats->Ended ? R.Stats->ExitStatus : -1;
               return ifKnown(Status >= 0, uint64_t(std::max(Status, 0)));
             })
      .maybe("allocations", Stat(&ProcessStats::Allocations))
      .maybe("frees", Stat(&ProcessStats::Frees))
      .maybe("lost", Stat(&ProcessStats::Lost))
      .maybe("live_bytes", Stat(&ProcessStats::LiveBytes))
      .maybe("peak_bytes", Stat(&ProcessStats::PeakBytes))
      .maybe("rss_peak_bytes", Stat(&ProcessStats::RssPeakBytes))
      .maybe("pss_peak_bytes", Stat(&ProcessStats::PssPeakBytes));
  return M.make(queryRun(T).Processes);
}

TableAnswer spacesTable(const Trace &T) {
  TableMaker<SpaceReport> M;
  M.choice("space", [](const SpaceReport &R) { return R.Name; });
  addTotals(M);
  return M.make(queryRun(T).Spaces);
}

TableAnswer heapsTable(const Trace &T) {
  auto Reserved = [](uint64_t HeapStats::*Field) {
    return [Field](const auto &R) {
      return ifKnown(R.Stats.ReservedKnown, R.Stats.*Field);
    };
  };
  TableMaker<HeapReport> M;
  M.choice("heap", [](const auto &R) { return R.Name; })
      .choice("space", [](const auto &R) { return R.SpaceName; })
      .choice("parent", [](const auto &R) { return R.Parent; })
      .flag("in_totals", [](const auto &R) { return R.InTotals; });
  addTotals(M);
  M.maybe("reserved_bytes", Reserved(&HeapStats::ReservedBytes))
      .maybe("reserved_peak_bytes", Reserved(&HeapStats::ReservedPeakBytes))
      .maybe("sample_bytes",
             [](const auto &R) { return ifAny(R.SampleBytes); });
  return M.make(queryRun(T).Heaps);
}

TableAnswer threadsTable(const Trace &T, const Selection &Sel) {
  auto Of = [&](const auto &R) -> const memkit::Thread & {
    return T.threads()[R.Thread - 1];
  };
  TableMaker<ThreadStats> M;
  M.id("thread", [=](const auto &R) { return Of(R).Tid; })
      .text("name",
            [=, &T](const auto &R) { return T.string(Of(R).Name).str(); })
      .id("process", [=, &T](const auto &R) { return pidOf(T, Of(R).Process); })
      .number("allocations", [](const auto &R) { return R.Allocations; })
      .number("allocated_bytes",
              [](const auto &R) { return R.AllocatedBytes; });
  return M.make(queryThreads(T, &Sel));
}

//===----------------------------------------------------------------------===//
// Steps, layers, operators, scopes, tensors, failures
//===----------------------------------------------------------------------===//

namespace {
struct StepRow {
  const StepReport *Of;
  SpaceShare Share;
};
} // namespace

TableAnswer stepsTable(const Trace &T, const Selection &Sel) {
  const std::vector<StepReport> Steps = querySteps(T, &Sel);
  std::vector<StepRow> Rows;
  for (const StepReport &S : Steps) {
    SpaceShares Shares = allShares(S);
    if (Shares.empty())
      Shares.emplace_back();
    for (const SpaceShare &Share : Shares)
      Rows.push_back({&S, Share});
  }
  TableMaker<StepRow> M;
  M.id("process", [&](const auto &R) { return pidOf(T, R.Of->Process); })
      .maybe("rank",
             [&](const auto &R) { return rankOfProcess(T, R.Of->Process); })
      .number("step", [](const auto &R) { return R.Of->Step; })
      .number("begin_ns", [](const auto &R) { return R.Of->BeginNs; })
      .number("end_ns", [](const auto &R) { return R.Of->EndNs; })
      .flag("until_process_end", [](const auto &R) { return R.Of->IsOpen; })
      .choice("space",
              [&](const auto &R) { return T.spaceName(R.Share.Space); })
      .number("allocations", [](const auto &R) { return R.Share.Allocations; })
      .number("frees", [](const auto &R) { return R.Share.Frees; })
      .number("allocated_bytes",
              [](const auto &R) { return R.Share.AllocatedBytes; })
      .number("freed_bytes", [](const auto &R) { return R.Share.FreedBytes; })
      .number("live_bytes", [](const auto &R) { return R.Share.LiveBytes; })
      .number("peak_bytes", [](const auto &R) { return R.Share.PeakBytes; });
  return M.make(Rows);
}

/// Rows of layers or scopes, each in one memory space.
static std::vector<LayerStats> bySpace(ArrayRef<LayerStats> All) {
  std::vector<LayerStats> Rows;
  for (const LayerStats &L : All)
    append_range(Rows, rowsOfSpaces(L));
  return Rows;
}

static StringRef spaceOf(const Trace &T, const LayerStats &R) {
  return T.spaceName(R.Shares.empty() ? 0 : R.Shares.front().Space);
}

static TableAnswer layerRows(const Trace &T, ArrayRef<LayerStats> All,
                             bool OfLayers) {
  TableMaker<LayerStats> M;
  M.text(OfLayers ? "layer" : "name",
         [&](const auto &R) { return T.string(R.Name).str(); });
  if (OfLayers)
    M.flag("backward", [](const auto &R) { return R.Backward; });
  else
    M.choice("kind", [](const auto &R) { return enumName(R.Kind); });
  M.choice("space", [&](const auto &R) { return spaceOf(T, R); })
      .number("calls", [](const auto &R) { return R.Calls; })
      .number("duration_ns", [](const auto &R) { return R.DurationNs; });
  if (OfLayers)
    M.number("self_ns", [](const auto &R) { return R.SelfNs; });
  M.number("allocations", [](const auto &R) { return R.Allocations; })
      .number("frees", [](const auto &R) { return R.Frees; })
      .number("allocated_bytes", [](const auto &R) { return R.AllocatedBytes; })
      .number("peak_bytes", [](const auto &R) { return R.PeakBytes; })
      .maybe("reserved_peak_bytes",
             [](const auto &R) { return ifAny(R.ReservedPeakBytes); });
  if (OfLayers)
    M.maybe("flops", [](const auto &R) { return ifAny(R.Flops); });
  else
    M.number("rise_bytes", [](const auto &R) { return R.RiseBytes; });
  return M.make(bySpace(All));
}

TableAnswer layersTable(const Trace &T, const Selection &Sel) {
  return layerRows(T, queryLayers(T, &Sel), true);
}

TableAnswer operatorsTable(const Trace &T, const Selection &Sel) {
  auto Freed = [](const LayerStats &R) {
    return R.Shares.empty() ? 0 : R.Shares.front().FreedBytes;
  };
  TableMaker<LayerStats> M;
  M.text("operator", [&](const auto &R) { return T.string(R.Name).str(); })
      .choice("kind",
              [](const auto &R) -> StringRef {
                return R.Backward ? "node" : "operator";
              })
      .choice("space", [&](const auto &R) { return spaceOf(T, R); })
      .number("calls", [](const auto &R) { return R.Calls; })
      .number("self_ns", [](const auto &R) { return R.SelfNs; })
      .number("duration_ns", [](const auto &R) { return R.DurationNs; })
      .number("allocations", [](const auto &R) { return R.Allocations; })
      .number("frees", [](const auto &R) { return R.Frees; })
      .number("allocated_bytes", [](const auto &R) { return R.AllocatedBytes; })
      .number("freed_bytes", Freed)
      .number("rise_bytes", [](const auto &R) { return R.RiseBytes; })
      .number("peak_bytes", [](const auto &R) { return R.PeakBytes; })
      .text("shapes", [&](const auto &R) { return T.string(R.Shapes).str(); })
      .maybe("flops", [](const auto &R) { return ifAny(R.Flops); });
  return M.make(bySpace(queryOperators(T, &Sel, OperatorsBy::Shapes)));
}

TableAnswer programsTable(const SelectedStats &S) {
  static constexpr const char *PlanNames[NumProgramValues] = {
      "plan_argument_bytes",  "plan_output_bytes",  "plan_aliased_bytes",
      "plan_temporary_bytes", "plan_code_bytes",    "plan_peak_bytes",
      "plan_flops",           "plan_accessed_bytes"};
  Expected<ProgramReport> Report = queryPrograms(S);
  if (!Report)
    return Report.takeError();
  TableMaker<CompiledProgram> M;
  M.text("program", [](const auto &R) { return R.Name.str(); })
      .number("at_peak_bytes", [](const auto &R) { return R.AtPeakBytes; })
      .number("live_bytes", [](const auto &R) { return R.LiveBytes; })
      .number("allocated_bytes", [](const auto &R) { return R.AllocatedBytes; })
      .number("allocations", [](const auto &R) { return R.Allocations; })
      .number("plans", [](const auto &R) { return R.Plans.size(); });
  for (size_t I = 0; I != NumProgramValues; ++I)
    M.maybe(PlanNames[I], [I](const auto &R) {
      const ProgramPlan *P = R.largestPlan();
      return P ? P->of(ProgramValue(I)) : std::nullopt;
    });
  return M.make(Report->Programs);
}

namespace {
struct ArrayRow {
  const ArraysAtMark *At;
  ArraysAtMark::Shape Of;
};
} // namespace

TableAnswer arraysTable(const SelectedStats &S) {
  Expected<ProgramReport> Report = queryPrograms(S);
  if (!Report)
    return Report.takeError();
  std::vector<ArrayRow> Rows;
  for (const ArraysAtMark &A : Report->Arrays)
    for (const ArraysAtMark::Shape &Of : A.Shapes)
      Rows.push_back({&A, Of});
  TableMaker<ArrayRow> M;
  M.number("time_ns", [](const auto &R) { return R.At->TimeNs; })
      .id("process",
          [&](const auto &R) { return pidOf(S.trace(), R.At->Process); })
      .choice("mark", [](const auto &R) { return R.At->Mark; })
      .choice("name", [](const auto &R) { return R.Of.Name; })
      .number("arrays", [](const auto &R) { return R.Of.Count; })
      .number("bytes", [](const auto &R) { return R.Of.Bytes; });
  return M.make(Rows);
}

TableAnswer scopesTable(const Trace &T) {
  return layerRows(T, queryScopes(T), false);
}

TableAnswer categoriesTable(const Trace &T, const Selection &Sel) {
  TableMaker<CategorySum> M;
  M.choice("heap", [&](const auto &R) { return T.heapName(R.Heap); })
      .choice("category", [](const auto &R) { return enumName(R.Category); })
      .number("blocks", [](const auto &R) { return R.Blocks; })
      .number("bytes", [](const auto &R) { return R.Bytes; });
  return M.make(queryCategories(T, &Sel));
}

TableAnswer oomsTable(const Trace &T) {
  std::vector<OomRecord> Rows;
  for (const OomReport &O : queryOoms(T))
    Rows.push_back(O.What);
  TableMaker<OomRecord> M;
  M.number("time_ns", [](const auto &R) { return R.TimeNs; })
      .id("process", [&](const auto &R) { return pidOf(T, R.Process); })
      .id("thread", [&](const auto &R) { return T.tid(R.Thread); })
      .choice("kind", [](const auto &R) { return enumName(R.Kind); })
      .choice("heap", [&](const auto &R) { return T.heapName(R.Heap); })
      .maybe("requested_bytes",
             [](const auto &R) { return ifAny(R.Requested); })
      .choice("limit", [](const auto &R) { return enumName(R.Limit); })
      .maybe("limit_bytes", [](const auto &R) { return ifAny(R.LimitBytes); })
      .maybe("free_bytes",
             [](const auto &R) { return ifKnown(R.FreeKnown, R.FreeBytes); })
      .id("stack", [](const auto &R) { return R.Stack; });
  return M.make(Rows);
}

//===----------------------------------------------------------------------===//
// Stats
//===----------------------------------------------------------------------===//

Expected<GroupBy> parseStatsGroup(StringRef Word) {
  static constexpr GroupBy Known[] = {
      GroupBy::Stack, GroupBy::Line,   GroupBy::Function,
      GroupBy::File,  GroupBy::Binary, GroupBy::Library,
      GroupBy::Heap,  GroupBy::Layer,  GroupBy::Scope};
  std::optional<GroupBy> By = groupOf(Word, Known);
  if (!By)
    return makeRequestError("cannot group by '" + Word +
                            "'; possible: " + groupWords(Known));
  // The rows of a table have whole paths.
  return *By == GroupBy::Scope ? GroupBy::ScopePath : *By;
}

TableAnswer statsTable(const SelectedStats &S, GroupBy By) {
  const Trace &T = S.trace();
  TableMaker<GroupedStats> M;
  M.choice("heap", [&](const auto &R) {
     return T.heapName(R.Heap);
   }).text("name", [](const auto &R) { return R.Name; });
  if (By == GroupBy::Stack)
    M.id("stack", [](const auto &R) { return R.Key; });
  M.number("allocations", [](const auto &R) { return R.Allocations; })
      .number("frees", [](const auto &R) { return R.Frees; })
      .number("temporaries", [](const auto &R) { return R.Temporaries; })
      .number("allocated_bytes", [](const auto &R) { return R.AllocatedBytes; })
      .number("freed_bytes", [](const auto &R) { return R.FreedBytes; })
      .number("live_blocks", [](const auto &R) { return R.LiveBlocks; })
      .number("live_bytes", [](const auto &R) { return R.LiveBytes; })
      .number("at_peak_blocks", [](const auto &R) { return R.SpacePeakBlocks; })
      .number("at_peak_bytes", [](const auto &R) { return R.SpacePeakBytes; });
  std::vector<GroupedStats> Rows =
      By == GroupBy::Line ? groupStats(S, Places(S)) : groupStats(S, By);
  // As in memstat: a chosen heap, and one outside the totals, has a peak of its
  // own; else a row is a part of the peak of the memory space.
  for (GroupedStats &R : Rows)
    if (S.selection().isOuterView() ||
        T.heap(R.Heap).Flags & HF_OutsideTotals) {
      R.SpacePeakBlocks = R.HeapPeakBlocks;
      R.SpacePeakBytes = R.HeapPeakBytes;
    }
  bool HasPeaks =
      any_of(Rows, [](const GroupedStats &R) { return R.SpacePeakBytes != 0; });
  stable_sort(Rows, [&](const GroupedStats &A, const GroupedStats &B) {
    // Address space is no memory of the program's.
    bool OutA = T.heap(A.Heap).Flags & HF_OutsideTotals,
         OutB = T.heap(B.Heap).Flags & HF_OutsideTotals;
    uint64_t OfA = HasPeaks ? A.SpacePeakBytes : A.LiveBytes,
             OfB = HasPeaks ? B.SpacePeakBytes : B.LiveBytes;
    return std::tie(OutA, OfB) < std::tie(OutB, OfA);
  });
  return M.make(Rows);
}

//===----------------------------------------------------------------------===//
// Over time
//===----------------------------------------------------------------------===//

namespace {
struct SeriesRow {
  uint64_t TimeNs = 0;
  StringRef Metric;
  std::string Of; ///< a heap, a process or a device
  uint64_t Value = 0;
};
} // namespace

/// The highest values of each heap, at the begin of each column.
static void addCurves(const Trace &T, const HeapCurves &C, unsigned Columns,
                      std::vector<SeriesRow> &To) {
  for (uint32_t Heap = 1; Heap < C.Highest.size(); ++Heap)
    for (size_t At = 0; At != C.Highest[Heap].size(); ++At)
      To.push_back({uint64_t(double(T.endNs()) * At / Columns), "live",
                    T.heapName(Heap).str(), C.Highest[Heap][At]});
}

TableAnswer seriesTable(const SelectedStats &S, unsigned Columns) {
  const Trace &T = S.trace();
  Expected<SeriesReport> R = querySeries(S, Columns);
  if (!R)
    return R.takeError();
  std::vector<SeriesRow> Rows;
  addCurves(T, R->Live, Columns, Rows);
  for (uint32_t P = 1; P < R->Rss.size(); ++P)
    for (const SeriesPoint &Point : R->Rss[P])
      Rows.push_back(
          {Point.TimeNs, "rss", std::to_string(pidOf(T, P)), Point.Value});
  for (uint32_t Heap = 1; Heap < R->Reserved.size(); ++Heap)
    for (const ReservedPoint &Point : R->Reserved[Heap])
      Rows.push_back(
          {Point.TimeNs, "reserved", T.heapName(Heap).str(), Point.Reserved});
  for (uint32_t Device = 1; Device < R->Used.size(); ++Device)
    for (const UsedPoint &Point : R->Used[Device])
      Rows.push_back(
          {Point.TimeNs, "used", T.spaceName(Device).str(), Point.Used});
  TableMaker<SeriesRow> M;
  M.number("time_ns", [](const auto &R) { return R.TimeNs; })
      .choice("metric", [](const auto &R) { return R.Metric; })
      .choice("of", [](const auto &R) { return StringRef(R.Of); })
      .number("bytes", [](const auto &R) { return R.Value; });
  return M.make(Rows);
}

namespace {
struct IntervalTableRow {
  uint32_t Process = 0;
  const IntervalHead *Head = nullptr;
  IntervalChange Change;
};
} // namespace

TableAnswer intervalsTable(const SelectedStats &S) {
  const Trace &T = S.trace();
  auto Series = IntervalSeries::create(S, /*NeedsLifetimes=*/false);
  if (!Series)
    return Series.takeError();
  std::vector<IntervalTableRow> Rows;
  Error Failed = (*Series)->forEach(
      [&](size_t Process, size_t Interval, ArrayRef<IntervalChange> Changes) {
        const ProcessIntervals &P = (*Series)->processes()[Process];
        for (const IntervalChange &C : Changes)
          Rows.push_back({P.Process, &P.Heads[Interval], C});
        return Error::success();
      });
  if (Failed)
    return std::move(Failed);
  auto Step = [](uint64_t IntervalHead::*Field) {
    return [Field](const IntervalTableRow &R) { return ifAny(R.Head->*Field); };
  };
  TableMaker<IntervalTableRow> M;
  M.id("process", [&](const auto &R) { return pidOf(T, R.Process); })
      .maybe("rank", [&](const auto &R) { return rankOfProcess(T, R.Process); })
      .number("begin_ns", [](const auto &R) { return R.Head->BeginNs; })
      .number("end_ns", [](const auto &R) { return R.Head->EndNs; })
      .maybe("first_step", Step(&IntervalHead::FirstStep))
      .maybe("last_step", Step(&IntervalHead::LastStep))
      .choice("heap", [&](const auto &R) { return T.heapName(R.Change.Heap); })
      .id("stack", [](const auto &R) { return R.Change.Stack; })
      .number("live_blocks", [](const auto &R) { return R.Change.Blocks; })
      .number("live_bytes", [](const auto &R) { return R.Change.Bytes; })
      .number("allocations", [](const auto &R) { return R.Change.Allocations; })
      .number("allocated_bytes",
              [](const auto &R) { return R.Change.AllocatedBytes; });
  return M.make(Rows);
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// Before, after and change of a metric.
static void addChange(TableMaker<PlaceChange> &M, const std::string &Name,
                      Metric By) {
  M.number((Name + "_before").c_str(),
           [By](const auto &R) { return R.before(By); })
      .number((Name + "_after").c_str(),
              [By](const auto &R) { return R.after(By); })
      .integer((Name + "_change").c_str(),
               [By](const auto &R) { return R.change(By); });
}

TableAnswer differencesTable(const SelectedStats &Before,
                             const SelectedStats &After) {
  const SelectedStats *A = &Before, *B = &After;
  Renames None;
  DiffRuns Runs(A, B,
                Before.selection().hasAllBlocks() &&
                    After.selection().hasAllBlocks(),
                None);
  DiffPlaces Of = diffPlaces(Runs);
  stable_sort(Of.All, [](const PlaceChange &X, const PlaceChange &Y) {
    auto Weight = [](const PlaceChange &C) {
      return std::abs(double(C.change(Metric::Peak)));
    };
    return Weight(X) > Weight(Y);
  });
  TableMaker<PlaceChange> M;
  M.choice("space", [](const auto &R) { return StringRef(R.Space); })
      .choice("kind",
              [&](const auto &R) { return placeKindName(Of.place(R).Kind); })
      .text("line", [&](const auto &R) { return Of.text(R); });
  addChange(M, "at_peak_bytes", Metric::Peak);
  addChange(M, "live_bytes", Metric::Live);
  addChange(M, "allocated_bytes", Metric::Allocated);
  addChange(M, "allocations", Metric::Count);
  return M.make(Of.All);
}

} // namespace memkit
