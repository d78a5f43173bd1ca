// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace sums up.

#include "Cli/Progress.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Input.h"
#include "Jobs.h"
#include "Support/Table.h"
#include "TraceText/TraceSummary.h"
#include "memkit/Model/Check.h"
#include "memkit/Model/Complete.h"
#include "memkit/Support/Format.h"

using namespace llvm;
using namespace memkit;

namespace {
/// What one of the jobs prints of a summary, in each format; null: not in it.
struct TotalsPrinter {
  StringRef Name; ///< `layers are`
  void (*Text)(raw_ostream &, const TraceSummary &, unsigned Width);
  void (*Json)(json::OStream &, const TraceSummary &);
  void (*Csv)(raw_ostream &, const TraceSummary &);
};
} // namespace

static TotalsPrinter totalsPrinter() {
  switch (What) {
  case Job::Layers:
    return {"layers are", printLayers, writeLayersJson, printLayersCsv};
  case Job::Scopes:
    return {"scopes are", printScopes, writeScopesJson, printScopesCsv};
  case Job::Steps:
    return {"steps are", printSteps, writeStepsJson, printStepsCsv};
  case Job::Processes:
    return {"processes are", printProcesses, writeProcessesJson, nullptr};
  case Job::Categories:
    return {"categories are", printCategories,
            [](json::OStream &J, const TraceSummary &S) {
              writeCategoriesJson(J, S, /*WithLayers=*/true);
            },
            printCategoriesCsv};
  default:
    return {"a summary is",
            [](raw_ostream &OS, const TraceSummary &S, unsigned Width) {
              printSummary(OS, S, Width,
                           "; memdump --oom shows what lived then");
            },
            writeSummaryJson, nullptr};
  }
}

Error memkit::printTotals(OutputFile &Out) {
  TotalsPrinter P = totalsPrinter();
  if (OutputFormat == Format::Asm || (OutputFormat == Format::Csv && !P.Csv))
    return makeUsageError(P.Name + " printed as text" +
                          (P.Csv ? ", json or csv" : " or json"));
  auto Reader = openReader();
  if (!Reader)
    return Reader.takeError();
  bool IsMade = false;
  std::optional<uint64_t> PartialNs;
  auto S = readTraceSummary(**Reader, [&] {
    IsMade = true;
    return summarize(**Reader, {}, showProgress(), &PartialNs);
  });
  if (!S)
    return S.takeError();
  warnUnknown(**Reader);
  // Events have no times of layers and no categories of tensors: an empty table
  // would say that there were none.
  if (PartialNs)
    warn((*Reader)->name() +
         ": no summary; the sums are those of its events; those of layers, "
         "scopes, categories and ooms end at " +
         formatTime(*PartialNs));
  else if (IsMade && What != Job::Summary)
    return makeError((*Reader)->name() + ": no summary, as the recording has " +
                     "not ended: its " + P.Name.split(' ').first +
                     " are not known");
  if (OutputFormat == Format::Csv) {
    P.Csv(Out.os(), *S);
    return Error::success();
  }
  if (OutputFormat == Format::Text) {
    P.Text(Out.os(), *S, outputWidth());
    return Error::success();
  }
  json::OStream J(Out.os(), 2);
  J.object([&] { P.Json(J, *S); });
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
  OS << '\n';
  if (UnknownValues Unknown = (*Reader)->unknownValues(); Unknown.any())
    OS << "not compared: " << Unknown.list() << ", written by a newer memkit\n";
  OS.flush();
  if (R->agrees())
    return ExitOk;
  reportError(
      makeError((*Reader)->name() + ": its sums are not those of its events"));
  return ExitError;
}
