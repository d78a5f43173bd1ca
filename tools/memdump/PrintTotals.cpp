// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints parts of the summary.

#include "Cli/Progress.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Report/RunPrinters.h"
#include "Reports.h"
#include "memkit/Model/Check.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

/// Whether the report of a job has CSV.
static bool hasCsv() {
  return What != DumpJob::Processes && What != DumpJob::Summary;
}

/// The option of the job: `layers`.
static StringRef jobName() {
  const cl::generic_parser_base &Jobs = What.getParser();
  cl::OptionValue<DumpJob> Chosen(What.getValue());
  unsigned At = 0;
  while (!Jobs.getOptionValue(At).compare(Chosen))
    ++At;
  return Jobs.getOption(At);
}

static void writeSummary(raw_ostream &OS, const Trace &T) {
  RunReport R = queryRun(T);
  if (OutputFormat == DumpFormat::Text)
    return printRun(OS, R, T, queryCategories(T), outputWidth(),
                    R.OomFailures == 1 ? "; memdump --oom shows it"
                                       : "; memdump --oom shows them");
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] { writeRunJson(J, R, T, queryCategories(T)); });
  OS << '\n';
}

static void writeTotals(raw_ostream &OS, const Trace &T) {
  switch (What) {
  case DumpJob::Layers:
    return writeReport(OS, layerReport(T, queryLayers(T)));
  case DumpJob::Operators:
    return writeReport(
        OS, operatorReport(T, queryOperators(T, nullptr, OperatorsBy::Shapes)));
  case DumpJob::Scopes:
    return writeReport(OS, scopeReport(T, queryScopes(T)));
  case DumpJob::Steps:
    return writeReport(OS, stepReport(T, querySteps(T)));
  case DumpJob::Categories:
    return writeReport(OS, categoryReport(T, queryCategories(T)));
  case DumpJob::Processes:
    return writeReport(OS, processReport(T, queryRun(T)));
  default:
    return writeSummary(OS, T);
  }
}

Error memkit::printTotals(OutputFile &Out) {
  if (OutputFormat == DumpFormat::Asm ||
      (OutputFormat == DumpFormat::Csv && !hasCsv()))
    return makeUsageError("--" + jobName() + " supports only --format=text" +
                          (hasCsv() ? ", json and csv" : " and json"));
  auto Reader = openReader();
  if (!Reader)
    return Reader.takeError();
  auto T =
      Trace::create(std::move(*Reader), TP_Totals | TP_Replay, showProgress());
  if (!T)
    return T.takeError();
  warnUnknown((*T)->reader());
  // Events hold neither the times of layers nor, without categories of blocks,
  // the categories of tensors. An empty table would claim that the trace has
  // none.
  for (const std::string &Warning : (*T)->warnings())
    warn(Warning);
  if (!(*T)->partialNs() && (*T)->isReplayed() && What != DumpJob::Summary &&
      What != DumpJob::Steps &&
      !(What == DumpJob::Categories && !(*T)->summary().Categories.empty()))
    return makeError((*T)->name() +
                     ": the recording did not end: " + jobName() + " unknown");
  writeTotals(Out.os(), **T);
  return Error::success();
}

Expected<int> memkit::checkSums(OutputFile &Out) {
  auto Reader = openReader();
  if (!Reader)
    return Reader.takeError();
  Expected<CheckResult> R = checkTrace(**Reader);
  if (!R)
    return R.takeError();
  for (const std::string &Note : R->Notes)
    warn((*Reader)->name() + ": " + Note);
  warnUnknown(**Reader);
  raw_ostream &OS = Out.os();
  for (const std::string &Difference : R->Differences)
    OS << Difference << '\n';
  if (R->MoreDifferences)
    OS << "and " << formatCount(R->MoreDifferences) << " more\n";
  OS << formatCount(R->Events)
     << " events replayed; compared: " << formatCount(R->SummaryRows)
     << " rows of the summary, " << formatCount(R->Intervals) << " intervals, "
     << formatCount(R->Snapshots) << " snapshots";
  if (R->Lifetimes)
    OS << ", " << formatCount(R->Lifetimes) << " rows of lifetimes";
  if (R->Categories)
    OS << ", " << formatCount(R->Categories) << " categories of blocks";
  OS << '\n';
  if (UnknownValues Unknown = (*Reader)->unknownValues(); Unknown.any())
    OS << "not compared: " << Unknown.list() << ", written by a newer memkit\n";
  OS.flush();
  if (R->agrees())
    return ExitOk;
  reportError(makeError((*Reader)->name() +
                        ": the stats differ from a replay of the events"));
  return ExitError;
}
