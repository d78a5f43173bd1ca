// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tables for programs.

#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Export/ArrowFile.h"
#include "Export/Parquet.h"
#include "Jobs.h"
#include "Tables/EventsTable.h"
#include "Tables/Questions.h"

using namespace llvm;
using namespace memkit;

/// The number of points of --table=series.
static constexpr unsigned SeriesPoints = 1000;

static TableAnswer statsBy(const Trace &T, Selection Sel, GroupBy By) {
  Expected<SelectedStats> S = SelectedStats::create(T, std::move(Sel));
  if (!S)
    return S.takeError();
  return statsTable(*S, By);
}

static TableAnswer ofStats(const Trace &T, Selection Sel,
                           function_ref<TableAnswer(const SelectedStats &)> F) {
  Expected<SelectedStats> S = SelectedStats::create(T, std::move(Sel));
  if (!S)
    return S.takeError();
  return F(*S);
}

static TableAnswer tableOf(std::shared_ptr<SharedTrace> Of, Selection Sel) {
  const Trace &T = *Of->T;
  switch (WhatTable) {
  case DumpTable::Events:
    return eventsTable(Of, std::move(Sel), eventColumnNames());
  case DumpTable::Stats:
    return statsBy(T, std::move(Sel), GroupBy::Stack);
  case DumpTable::Lines:
    return statsBy(T, std::move(Sel), GroupBy::Line);
  case DumpTable::Stacks:
    return framesTable(Of, 0);
  case DumpTable::Intervals:
    return ofStats(T, std::move(Sel), intervalsTable);
  case DumpTable::Steps:
    return stepsTable(T, Sel);
  case DumpTable::Layers:
    return layersTable(T, Sel);
  case DumpTable::Operators:
    return operatorsTable(T, Sel);
  case DumpTable::Programs:
    return ofStats(T, std::move(Sel), programsTable);
  case DumpTable::Arrays:
    return ofStats(T, std::move(Sel), arraysTable);
  case DumpTable::Scopes:
    return scopesTable(T);
  case DumpTable::Heaps:
    return heapsTable(T);
  case DumpTable::Processes:
    return processesTable(T);
  case DumpTable::Ranks:
    return ranksTable(T);
  case DumpTable::Threads:
    return threadsTable(T, Sel);
  case DumpTable::Leaks:
    return ofStats(T, std::move(Sel), leaksTable);
  case DumpTable::Series:
    return ofStats(T, std::move(Sel), [](const SelectedStats &S) {
      return seriesTable(S, SeriesPoints);
    });
  }
  llvm_unreachable("all tables are listed");
}

/// What the file says of itself.
static std::vector<std::pair<std::string, std::string>>
factsOf(const Trace &T) {
  const Header &H = T.header();
  return {{"memkit.trace", T.name().str()},
          {"memkit.host", H.Host},
          {"memkit.start_unix_ns", std::to_string(H.Start.RealtimeNs)}};
}

Error memkit::printTable(OutputFile &Out, const SelectionSpec &Spec) {
  Expected<std::unique_ptr<Trace>> Opened =
      Trace::open(Input, TP_All | TP_Intervals, showProgress());
  if (!Opened)
    return Opened.takeError();
  auto Of = std::make_shared<SharedTrace>();
  Of->T = std::move(*Opened);
  Trace &T = *Of->T;
  for (const std::string &Warning : T.warnings())
    warn(Warning);
  T.applyRules(Spec.Names, !Spec.AllFrames);
  Expected<Selection> Sel = Selection::create(T, Spec);
  if (!Sel)
    return Sel.takeError();
  TableAnswer Rows = tableOf(Of, std::move(*Sel));
  if (!Rows)
    return Rows.takeError();
  const Header &H = T.header();
  uint32_t Process = T.processes().empty() ? H.Pid : T.processes()[0].Pid;
  TableRef All = withOrigin(*Rows, H.Host, H.Rank, Process);
  auto *Write =
      OutputFormat == DumpFormat::Arrow ? writeArrowFile : writeParquet;
  return Write(Out.os(), *All, factsOf(T), [&] { return Out.failed(); });
}
