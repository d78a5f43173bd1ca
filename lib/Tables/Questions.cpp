// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions to a trace whose answers are tables.

#include "Questions.h"
#include "Columns.h"
#include "Support/CommandText.h"
#include "TableMaker.h"
#include "TraceText/EnumNames.h"
#include "Values.h"
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
      .maybe("rank", [](const RunReport &R) { return numberOf(R.Run.Rank); })
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
  return processColumns(T)
      .pick("process, parent, name, command, rank, recorded, why_not, end_ns, "
            "exit_status_if_ended as exit_status, allocations, frees, lost, "
            "live_bytes, peak_bytes, rss_peak_bytes, pss_peak_bytes")
      .make(queryRun(T).Processes);
}

TableAnswer spacesTable(const Trace &T) {
  return spaceColumns(T)
      .pick("space, allocations, frees, temporaries, allocated_bytes, "
            "freed_bytes, live_blocks, live_bytes, live_at_exits_bytes, "
            "peak_blocks, peak_bytes, peak_time_ns, is_estimate, mean_bytes")
      .make(queryRun(T).Spaces);
}

TableAnswer heapsTable(const Trace &T) {
  return heapColumns()
      .pick("heap, space, parent, in_totals, allocations, frees, temporaries, "
            "allocated_bytes, freed_bytes, live_blocks, live_bytes, "
            "live_at_exits_bytes, peak_blocks, peak_bytes, peak_time_ns, "
            "is_estimate, reserved_bytes, reserved_peak_bytes, sample_bytes, "
            "mean_bytes, largest_bytes")
      .make(queryRun(T).Heaps);
}

TableAnswer threadsTable(const Trace &T, const Selection &Sel) {
  return threadColumns(T)
      .pick("thread, name, process, allocations, allocated_bytes")
      .make(queryThreads(T, &Sel));
}

//===----------------------------------------------------------------------===//
// Steps, layers, operators, scopes, tensors, failures
//===----------------------------------------------------------------------===//

TableAnswer stepsTable(const Trace &T, const Selection &Sel) {
  const std::vector<StepReport> Steps = querySteps(T, &Sel);
  return stepColumns(T)
      .pick("process, rank, step, begin_ns, end_ns, until_process_end, space, "
            "allocations, frees, allocated_bytes, freed_bytes, live_bytes, "
            "peak_bytes")
      .make(stepsBySpace(Steps));
}

static TableAnswer scopeRows(const Trace &T, ArrayRef<LayerStats> All,
                             ArrayRef<ColumnPick> Picks) {
  return scopeColumns(T, All).pick(Picks).make(rowsOfSpaces(All));
}

TableAnswer layersTable(const Trace &T, const Selection &Sel) {
  return scopeRows(
      T, queryLayers(T, &Sel),
      picksOf("name_if_any as layer, backward, space, calls, duration_ns, "
              "self_ns, allocations, frees, allocated_bytes, peak_bytes, "
              "reserved_peak_bytes, flops, mean_bytes, device_ns, "
              "device_self_ns"));
}

TableAnswer operatorsTable(const Trace &T, const Selection &Sel) {
  return scopeRows(
      T, queryOperators(T, &Sel, OperatorsBy::Shapes),
      picksOf("name_if_any as operator, kind, space, calls, self_ns, "
              "duration_ns, allocations, frees, allocated_bytes, freed_bytes, "
              "rise_bytes, peak_bytes, shapes, flops, mean_bytes, "
              "device_self_ns, device_ns"));
}

TableAnswer scopesTable(const Trace &T) {
  return scopeRows(
      T, queryScopes(T),
      picksOf("name_if_any as name, scope_kind as kind, space, calls, "
              "duration_ns, allocations, frees, allocated_bytes, peak_bytes, "
              "reserved_peak_bytes, rise_bytes, mean_bytes, device_ns"));
}

TableAnswer kernelsTable(const SelectedStats &S) {
  return workColumns(S.trace())
      .pick("name as kernel, kind, device, stream, graph, process, operator, "
            "layer, line, scope_path, stack, calls, duration_ns, longest_ns, "
            "bytes, begin_ns, end_ns, untied")
      .make(queryDeviceWork(S, WorkBy::Each));
}

TableAnswer programsTable(const SelectedStats &S) {
  Expected<ProgramReport> Report = queryPrograms(S);
  if (!Report)
    return Report.takeError();
  return programColumns()
      .pick(programPicks({"name_if_any", "", "program"}))
      .make(Report->Programs);
}

TableAnswer arraysTable(const SelectedStats &S) {
  Expected<ProgramReport> Report = queryPrograms(S);
  if (!Report)
    return Report.takeError();
  return arrayColumns(S.trace())
      .pick("time_ns, process, mark_if_any as mark, name_if_any as name, "
            "arrays, bytes")
      .make(arraysByShape(Report->Arrays));
}

TableAnswer categoriesTable(const Trace &T, const Selection &Sel) {
  const std::vector<CategorySum> Sums = queryCategories(T, &Sel);
  return categoryColumns(T)
      .pick("heap, category, blocks, bytes")
      .make(categoryRows(Sums, /*Whole=*/0));
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
  using G = GroupedStats;
  M.field("allocations", &G::Allocations)
      .field("frees", &G::Frees)
      .field("temporaries", &G::Temporaries)
      .field("allocated_bytes", &G::AllocatedBytes)
      .field("freed_bytes", &G::FreedBytes)
      .field("live_blocks", &G::LiveBlocks)
      .field("live_bytes", &G::LiveBytes)
      .field("at_peak_blocks", &G::SpacePeakBlocks)
      .field("at_peak_bytes", &G::SpacePeakBytes)
      .maybe("mean_bytes", [](const G &R) {
        return meanBytes(R.AllocatedBytes, R.Allocations);
      });
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
  for (const RecorderPoint &Point : R->Recorder)
    Rows.push_back({Point.TimeNs, "rss", "memrec", Point.Resident});
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
  M.number(Name + "_before", [By](const auto &R) { return R.before(By); })
      .number(Name + "_after", [By](const auto &R) { return R.after(By); })
      .integer(Name + "_change", [By](const auto &R) { return R.change(By); });
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
