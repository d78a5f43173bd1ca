// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints parts of the summary.

#include "Cli/Progress.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Support/Table.h"
#include "TraceText/ReportPrinters.h"
#include "memkit/Model/Check.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

namespace {
/// The functions of one job for each format; null if the job lacks the format.
struct TotalsPrinter {
  StringRef Name; ///< `layers`, as the option
  void (*Text)(raw_ostream &, const Trace &, unsigned Width);
  void (*Json)(json::OStream &, const Trace &);
  void (*Csv)(raw_ostream &, const Trace &);
};
} // namespace

/// Makes the printer for the question Ask.
template <auto Ask, auto Text, auto Json, auto Csv>
static TotalsPrinter printerOf(StringRef Name) {
  return {Name,
          [](raw_ostream &OS, const Trace &T, unsigned Width) {
            Text(OS, T, Ask(T), Width);
          },
          [](json::OStream &J, const Trace &T) { Json(J, T, Ask(T)); },
          [](raw_ostream &OS, const Trace &T) { Csv(OS, T, Ask(T)); }};
}

static void writeCategories(json::OStream &J, const Trace &T,
                            ArrayRef<CategorySum> Categories) {
  writeCategoriesJson(J, T, Categories, /*WithLayers=*/true);
}

static TotalsPrinter totalsPrinter() {
  switch (What) {
  case DumpJob::Layers:
    return printerOf<[](const Trace &T) { return queryLayers(T); }, printLayers,
                     writeLayersJson, printLayersCsv>("layers");
  case DumpJob::Operators:
    return printerOf<[](const Trace &T) {
      return queryOperators(T, nullptr, OperatorsBy::Shapes);
    },
                     printOperators, writeOperatorsJson, printOperatorsCsv>(
        "operators");
  case DumpJob::Scopes:
    return printerOf<[](const Trace &T) { return queryScopes(T); }, printScopes,
                     writeScopesJson, printScopesCsv>("scopes");
  case DumpJob::Steps:
    return printerOf<[](const Trace &T) { return querySteps(T); }, printSteps,
                     writeStepsJson, printStepsCsv>("steps");
  case DumpJob::Categories:
    return printerOf<[](const Trace &T) { return queryCategories(T); },
                     printCategories, writeCategories, printCategoriesCsv>(
        "categories");
  case DumpJob::Processes:
    return {"processes",
            [](raw_ostream &OS, const Trace &T, unsigned Width) {
              printProcesses(OS, queryRun(T), T, Width);
            },
            [](json::OStream &J, const Trace &T) {
              writeProcessesJson(J, queryRun(T), T);
            },
            nullptr};
  default:
    return {"summary",
            [](raw_ostream &OS, const Trace &T, unsigned Width) {
              RunReport R = queryRun(T);
              printRun(OS, R, T, queryCategories(T), Width,
                       R.OomFailures == 1 ? "; memdump --oom shows it"
                                          : "; memdump --oom shows them");
            },
            [](json::OStream &J, const Trace &T) {
              writeRunJson(J, queryRun(T), T, queryCategories(T));
            },
            nullptr};
  }
}

Error memkit::printTotals(OutputFile &Out) {
  TotalsPrinter P = totalsPrinter();
  if (OutputFormat == DumpFormat::Asm ||
      (OutputFormat == DumpFormat::Csv && !P.Csv))
    return makeUsageError("--" + P.Name + " supports only --format=text" +
                          (P.Csv ? ", json and csv" : " and json"));
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
    return makeError((*T)->name() + ": the recording did not end: " + P.Name +
                     " unknown");
  if (OutputFormat == DumpFormat::Csv) {
    P.Csv(Out.os(), **T);
    return Error::success();
  }
  if (OutputFormat == DumpFormat::Text) {
    P.Text(Out.os(), **T, outputWidth());
    return Error::success();
  }
  json::OStream J(Out.os(), 2);
  J.object([&] { P.Json(J, **T); });
  Out.os() << '\n';
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
