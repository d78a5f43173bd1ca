// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two traces, or two groups of traces.

#include "Cli/HelpText.h"
#include "Cli/OutputFile.h"
#include "Cli/SelectionFlags.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Cli/TraceGroups.h"
#include "Comparison.h"
#include "DiffPrinter.h"
#include "Merge/FolderInput.h"
#include "Support/Failure.h"
#include "memkit/Analysis/DiffTrace.h"
#include "memkit/Model/CutOff.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace memkit;

enum class DiffFormat { Text, Json, Markdown, Trace };

static cl::list<std::string> Inputs(cl::Positional,
                                    cl::desc("<before>... [--] <after>..."),
                                    cl::cat(toolCategory()));
static cl::opt<std::string>
    Output("o",
           cl::desc("Write to this file, a trace unless --format or the "
                    "file's name says another format"),
           cl::value_desc("file"), cl::init("-"), cl::cat(toolCategory()));
static cl::opt<DiffFormat> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(DiffFormat::Text, "text", "for people (default)"),
               clEnumValN(DiffFormat::Json, "json", "for scripts"),
               clEnumValN(DiffFormat::Markdown, "markdown",
                          "a comment for a pull request, in GitHub's Markdown"),
               clEnumValN(DiffFormat::Trace, "trace",
                          "a trace of the differences, which memflame draws "
                          "(default with -o)")),
    cl::init(DiffFormat::Text), cl::cat(toolCategory()));
static cl::opt<Metric>
    By("metric", cl::desc("Values to compare (default: peak and live):"),
       cl::values(clEnumValN(Metric::Peak, "peak", "bytes live at the peak"),
                  clEnumValN(Metric::Live, "live", "bytes live at the end"),
                  clEnumValN(Metric::Allocated, "allocated", "bytes allocated"),
                  clEnumValN(Metric::Count, "count", "allocations"),
                  clEnumValN(Metric::Temporary, "temporary",
                             "allocations freed before their thread's next")),
       cl::cat(toolCategory()));
static cl::opt<std::string>
    Noise("noise",
          cl::desc("Hide changes below this share of the larger peak, or "
                   "below this size (1%)"),
          cl::value_desc("n%|size"), cl::init("1%"), cl::cat(toolCategory()));
static cl::opt<uint64_t>
    Top("top", cl::desc("Show at most n findings; 0: all (text: 10)"),
        cl::value_desc("n"), cl::cat(toolCategory()));
static cl::list<std::string>
    Map("map",
        cl::desc("Match old with new: a heap, binary, source or function"),
        cl::value_desc("old=new"), cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<std::string>
    Sureness("confidence",
             cl::desc("Confidence level of the intervals of groups (95%)"),
             cl::value_desc("n%"), cl::init("95%"),
             cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<bool>
    Uncertain("uncertain",
              cl::desc("Also show changes within the variation of the runs"),
              cl::cat(helpGroup(HelpGroup::Expert)));
static cl::list<std::string>
    SuppressionFiles("suppressions", cl::value_desc("file"),
                     cl::desc("Leave out changes below a frame that matches a "
                              "line change:PATTERN in this file"),
                     cl::cat(helpGroup(HelpGroup::Gates)));
static cl::opt<bool>
    Moves("moves", cl::desc("Also show memory that moved to another place"),
          cl::cat(toolCategory()));
static cl::opt<bool> NoGrowth("no-growth",
                              cl::cat(helpGroup(HelpGroup::Expert)),
                              cl::desc("Do not look for growth"));
static cl::opt<std::string> NameBefore("before-name",
                                       cl::desc("Name of the first group"),
                                       cl::value_desc("text"),
                                       cl::init("before"),
                                       cl::cat(helpGroup(HelpGroup::Expert)));
static cl::opt<std::string> NameAfter("after-name",
                                      cl::desc("Name of the second group"),
                                      cl::value_desc("text"), cl::init("after"),
                                      cl::cat(helpGroup(HelpGroup::Expert)));

/// -o without --format writes a trace: text would go to standard output.
static DiffFormat outputFormat() {
  if (!OutputFormat.getNumOccurrences() && Output.getNumOccurrences())
    return DiffFormat::Trace;
  return OutputFormat;
}

/// The traces to compare: those of the command line, else the last two that
/// memrec wrote here under its usual name.
static std::vector<std::string> tracesToCompare() {
  constexpr StringLiteral Older = "trace.fb.old", Newer = "trace.fb";
  if (!Inputs.empty() || !sys::fs::exists(Older) || !sys::fs::exists(Newer))
    return {Inputs.begin(), Inputs.end()};
  say("comparing the last two recordings, " + Older + " and " + Newer);
  return {Older.str(), Newer.str()};
}

static Error write(const DiffView &V, ArrayRef<std::string> Paths) {
  DiffFormat F = outputFormat();
  auto Content = F == DiffFormat::Trace ? OutputFile::Content::Trace
                                        : OutputFile::Content::Text;
  if (Error E = checkNoInput(Output, Paths))
    return E;
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(Output, Content);
  if (!Out)
    return Out.takeError();
  if (F == DiffFormat::Trace) {
    FdSink Sink((*Out)->fd(), (*Out)->name().str());
    std::vector<std::string> Command(Paths.begin(), Paths.end());
    Command.insert(Command.begin(), "memdiff");
    if (!V.Runs.isPair())
      Command.insert(Command.begin() + 1 + V.Runs.numBefore(), "--");
    if (Error E = writeDiffTrace(Sink, V.Runs, V.Report.Differences, Command))
      return E;
  } else if (F == DiffFormat::Json) {
    writeDiffJson((*Out)->os(), V);
  } else if (F == DiffFormat::Markdown) {
    writeDiffMarkdown((*Out)->os(), V);
  } else if (isVerbose() || V.WithMoves) {
    printDiff((*Out)->os(), V);
  } else {
    printShort((*Out)->os(), V);
  }
  return (*Out)->keep();
}

static Expected<DiffOptions> diffOptions(const SelectionSpec &Spec) {
  DiffOptions Options;
  if (By.getNumOccurrences())
    Options.By = By;
  else if (Spec.At)
    Options.By = Metric::Live;
  Expected<Threshold> Bound = parseThreshold(Noise);
  if (!Bound)
    return makeUsageError("--noise: " + toString(Bound.takeError()));
  Options.Noise = *Bound;
  Expected<Threshold> Sure = parseThreshold(Sureness);
  if (!Sure)
    return makeUsageError("--confidence: " + toString(Sure.takeError()));
  if (!Sure->IsFraction || Sure->Fraction < 0.5 || Sure->Fraction > 0.9999)
    return makeUsageError("--confidence: '" + Sureness +
                          "' is not a percentage from 50% to 99.99%");
  Options.Confidence = Sure->Fraction;
  Options.Uncertain = Uncertain;
  Options.Growth = !NoGrowth && !Spec.At;
  DiffFormat F = outputFormat();
  Options.WantsStacks = F == DiffFormat::Json || F == DiffFormat::Trace;
  Options.KeepAll = F == DiffFormat::Trace;
  return Options;
}

static Expected<Renames> renames() {
  Renames R;
  for (StringRef Text : Map)
    if (Error E = R.add(Text))
      return std::move(E);
  return R;
}

/// Warns of renames without effect, because the user meant another name.
static void warnOfUnused(const Renames &R) {
  for (const std::string &Name : R.unused())
    warn("--map: the first group has no heap, binary, source or function '" +
         Name + "'");
}

static Expected<int> run(SelectionFlags &Flags, FailOn &Fatal,
                         const GroupedArguments &Args) {
  std::vector<std::string> Paths = tracesToCompare();
  Expected<size_t> NumBefore =
      Inputs.empty() && !Paths.empty() ? 1 : Args.numBefore(Inputs);
  if (!NumBefore)
    return NumBefore.takeError();
  if (Error E = Fatal.check())
    return E;
  Flags.addRules({SuppressionFiles.begin(), SuppressionFiles.end()});
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  Expected<DiffOptions> Options = diffOptions(*Spec);
  if (!Options)
    return Options.takeError();
  Expected<Renames> Renamed = renames();
  if (!Renamed)
    return Renamed.takeError();

  Expected<std::vector<SelectedTrace>> Traces = openTraces(Paths, *Spec);
  if (!Traces)
    return Traces.takeError();
  std::vector<const SelectedStats *> All;
  for (const SelectedTrace &T : *Traces)
    All.push_back(&*T.S);
  ArrayRef<const SelectedStats *> Each(All);
  Suppressions Hidden;
  if (Spec->Names)
    Hidden = Suppressions::ofChanges(*Spec->Names);
  DiffRuns Runs(Each.take_front(*NumBefore), Each.drop_front(*NumBefore),
                Spec->empty(), *Renamed, Hidden);
  if (Error E = Fatal.checkNames(namesForGates(Runs)))
    return E;
  warnOfDifferences(Runs);
  Expected<DiffReport> Report = queryDifferences(Runs, *Options);
  if (!Report)
    return Report.takeError();
  warnOfUnused(*Renamed);

  for (const SelectedTrace &T : *Traces)
    Fatal.noteNoAnswer(cannotAnswerText(*T.T));
  std::string Why;
  std::vector<std::string> Failed;
  std::vector<bool> Verdicts; ///< of the conditions, in order
  std::string Unjudged;
  for (const Condition &C : Fatal.conditions()) {
    Expected<bool> Is = holds(C, Runs, *Report, Options->Confidence, Why);
    Verdicts.push_back(Is && *Is);
    if (Verdicts.back())
      Failed.push_back(Why);
    if (!Is)
      Unjudged = toString(Is.takeError());
  }
  uint64_t Max = Top.getNumOccurrences()            ? uint64_t(Top)
                 : OutputFormat == DiffFormat::Json ? 0
                                                    : 10;
  if (Error E = write({Runs, *Report, Options->By.value_or(Metric::Peak),
                       Spec->At.has_value(), Max, Top.getNumOccurrences() != 0,
                       Uncertain, Moves, Options->Confidence, NameBefore,
                       NameAfter, Failed},
                      Paths))
    return E;
  for (const SelectedTrace &T : *Traces)
    for_each(T.T->reader().unknownWarnings(),
             [](const std::string &W) { warn(W); });
  if (!Unjudged.empty())
    return makeError(Unjudged);
  size_t At = 0;
  return Fatal.status(
      [&](const Condition &) { return Expected<bool>(Verdicts[At++]); });
}

int main(int Argc, char **Argv) {
  acceptFolders();
  SelectionFlags Flags(SF_All);
  FailOn Fatal(diffConditions(),
               "Exit with status 3 if a condition holds: differences (above "
               "the noise), lost (events), peak>+5%, live>64MiB (in any memory "
               "space), HEAP:count>+1000 (in a heap or space; HEAP? may be "
               "missing), rss>+5%, used, reserved, unaccounted, ...");
  GroupedArguments Args(Argc, Argv);
  return runTool(Args.count(), Args.data(),
                 {"memdiff",
                  "Shows the changes of memory between two recordings.",
                  "memdiff before.fb after.fb\n"
                  "memdiff before.fb after.fb -o diff.fb && memflame diff.fb\n"
                  "memdiff --fail-on='peak>+5%' a.fb b.fb c.fb -- d.fb e.fb",
                  "before... [--] after..."},
                 [&] { return run(Flags, Fatal, Args); });
}
