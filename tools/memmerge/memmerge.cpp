// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the traces of a job into one.

#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Merge/Merge.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace memkit;

static cl::list<std::string> Inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("<trace | folder>..."),
                                    cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::init("-"), cl::value_desc("file"),
                                   cl::desc("Write the trace to this file"),
                                   cl::cat(toolCategory()));
static cl::opt<bool> SummaryOnly(
    "summary-only", cl::cat(toolCategory()),
    cl::desc("Merge the summaries alone, without events, intervals and marks, "
             "and with small stacks folded: an archive"));
static cl::opt<std::string>
    Fold("fold", cl::init("0.1%"), cl::value_desc("n%"),
         cl::desc("With --summary-only: fold the stacks with less than this "
                  "share of their process and heap into one (default 0.1%); 0: "
                  "keep all"),
         cl::cat(toolCategory()));

static Expected<double> foldShare() {
  if (Fold == "0")
    return 0;
  Expected<Threshold> Share = parseThreshold(Fold);
  if (!Share)
    return makeUsageError("--fold: " + toString(Share.takeError()));
  if (!Share->IsFraction || Share->Fraction > 0.5)
    return makeUsageError("--fold: '" + Fold +
                          "' is not a percentage from 0% to 50%");
  return Share->Fraction;
}

/// Beside the output there is room for it; a pipe has no folder.
static std::string folderOfOutput() {
  Expected<OutputPlace> Place = OutputPlace::find(Output);
  if (Output == "-" || !Place || !Place->isFile()) {
    consumeError(Place.takeError()); // of the output, when that is opened
    return temporaryFolder();
  }
  StringRef Folder = sys::path::parent_path(Output);
  return Folder.empty() ? "." : Folder.str();
}

/// A job that was killed has as many as ranks.
static void warnOfCuts(ArrayRef<std::string> Cut) {
  constexpr size_t Most = 8;
  for (const std::string &Text : Cut.take_front(Most))
    warn(Text);
  if (Cut.size() > Most)
    warn(formatCount(Cut.size() - Most) + " more traces were cut off");
}

static Expected<int> run() {
  if (Fold.getNumOccurrences() && !SummaryOnly)
    return makeUsageError("--fold needs --summary-only");
  MergeOptions Options;
  Options.Kind = SummaryOnly ? MergeKind::Summary : MergeKind::Whole;
  Options.TemporaryFolder = folderOfOutput();
  if (Error E = foldShare().moveInto(Options.FoldShare))
    return E;
  Options.OnProgress = showProgress();
  std::vector<std::string> Given(Inputs.begin(), Inputs.end());
  if (Error E = checkNoStdin(Given))
    return E;
  Expected<std::vector<std::string>> Paths = expandFolders(Given);
  if (!Paths)
    return Paths.takeError();
  if (Error E = checkNoInput(Output, *Paths))
    return std::move(E);
  auto Out = OutputFile::open(Output, OutputFile::Content::Trace);
  if (!Out)
    return Out.takeError();
  FdSink Sink((*Out)->fd(), (*Out)->name().str());
  Expected<MergeResult> Result = mergeTraces(*Paths, Sink, Options);
  if (!Result)
    return Result.takeError();
  for (const std::string &Problem : Result->Unread)
    warn(Problem + "; left out");
  warnOfCuts(Result->Cut);
  if (!Result->NoEvents.empty())
    warn(Result->NoEvents +
         ": has no events, so the merged trace has none, and "
         "its peaks are sums of the traces' peaks: upper "
         "bounds");
  if (Error E = (*Out)->keep())
    return std::move(E);
  return ExitOk;
}

int main(int Argc, char **Argv) {
  return runTool(Argc, Argv,
                 {"memmerge", "Merges the traces of a job into one trace.",
                  "memmerge run/ -o job.fb\n"
                  "memmerge node1.fb node2.fb -o job.fb && memstat job.fb",
                  "[trace | folder]..."},
                 run);
}
