// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a trace on one page.

#include "Bundle.h"
#include "Cli/FailOn.h"
#include "Cli/GrowthFlags.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Gates.h"
#include "JobPage.h"
#include "Options.h"
#include "Report/RunPrinters.h"
#include "Sections.h"
#include "SourceView.h"
#include "Terminal/Graph.h"
#include "memkit/Model/CutOff.h"
#include "memkit/Model/Imported.h"
#include "memkit/Model/Merged.h"
#include "memkit/Model/Redact.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// The curves' columns, so that the page fits into Width.
static unsigned curveColumns(unsigned Width) {
  constexpr unsigned Min = 20, Usual = 80, OfData = 100;
  if (OutputFormat == StatFormat::Svg)
    return PictureColumns;
  if (OutputFormat == StatFormat::Json || OutputFormat == StatFormat::Csv)
    return Timeline ? OfData : 0;
  // The timeline's columns have no labels on their left.
  unsigned Indent = Timeline && !isVerbose() ? 2 : 12;
  return std::max(Min, (Width ? Width : Usual) - Indent);
}

static std::vector<RankDimension> Dimensions; ///< of --groups

static JobPageOptions jobOptions(const SelectionSpec &Spec) {
  JobPageOptions Options;
  Options.Groups = Dimensions;
  Options.Top = Top;
  Options.AllRanks = isVerbose() || !Top;
  Options.Output = Output;
  Options.As = OutputFormat == StatFormat::Json       ? JobFormat::Json
               : OutputFormat == StatFormat::Markdown ? JobFormat::Markdown
                                                      : JobFormat::Text;
  Options.Names = Spec.Names;
  Options.FindsLeaks = !NoGrowth;
  return Options;
}

/// The exit status of a job. A condition that no rank can meet is an error: a
/// gate that never closes helps nobody.
static Expected<int> jobStatus(FailOn &Fatal, const JobReport &J) {
  for (ConditionMetric M :
       {ConditionMetric::Suggestions, ConditionMetric::Fragmentation})
    if (Fatal.asksFor(M))
      return makeUsageError("--fail-on=" + metricWord(M) +
                            " needs a single trace: the page of a job has "
                            "none");
  if (Error E = Fatal.checkNames(spacesOfJob(J)))
    return E;
  if (any_of(J.Ranks, [](const JobRank &R) { return R.CutNs.has_value(); }))
    Fatal.noteNoAnswer("the recording of a rank is cut off");
  std::vector<MetricValue> Values = metricsOfJob(J);
  return Fatal.status([&](const Condition &C) { return judge(C, Values); });
}

/// The page of several traces, or of a folder of traces.
static Expected<int> runJob(const SelectionFlags &Flags, FailOn &Fatal) {
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  if (!Spec->empty() || !isPlainPage() || Redact || isTimelineFormat() ||
      !Source.empty())
    return makeUsageError("several traces are shown as one job: --heap, "
                          "--process, --show, --source, --timeline and "
                          "--bundle need a single trace");
  if (Error E = Fatal.check())
    return E;
  std::vector<std::string> Given(Inputs.begin(), Inputs.end());
  if (Error E = checkNoStdin(Given))
    return E;
  Expected<JobReport> J = showJob(Given, jobOptions(*Spec));
  if (!J)
    return J.takeError();
  return jobStatus(Fatal, *J);
}

namespace {
/// A trace and all that its page is made of.
struct StatPage {
  SelectionSpec Spec;
  GrowthOptions Growth;
  std::optional<TempTrace> Redacted;
  std::string File; ///< Input, or its redacted copy
  SelectedTrace In;
  std::optional<RanksOfTrace> Ranks;
  std::optional<JobInput> Job; ///< of Ranks
  std::vector<TimelineSeries> Series;
};
} // namespace

/// The first screen shows stacks only in suggestions.
static bool showsStacks() {
  return isVerbose() || !Show.empty() ||
         (!isTimelineFormat() &&
          (Timeline || OutputFormat != StatFormat::Text));
}

/// Frames are then folded beside the search for growth, or when there are
/// suggestions.
static bool foldsLate(const StatPage &P) {
  return !showsStacks() && !P.Spec.AllFrames;
}

/// Reports what hinders the answer: warnings, or an error.
static Error checkTrace(const StatPage &P, const FailOn &Fatal) {
  const Trace &T = *P.In.T;
  if (Error E = Fatal.checkNames(spacesAndHeaps(T, P.In.S->selection())))
    return E;
  if (std::string Why = noAnswerReason(T.header(), HistoryQuestion::OverTime);
      Timeline && !Why.empty())
    return makeError(Input + ": --timeline: " + Why);
  for_each(T.warnings(), [](const std::string &W) { warn(W); });
  warnOfDamage(T);
  return Error::success();
}

static Error openPage(StatPage &P, const FailOn &Fatal) {
  P.File = Input;
  if (Redact) {
    Expected<TempTrace> Copy = redactedCopy(Input);
    if (!Copy)
      return Copy.takeError();
    P.Redacted.emplace(std::move(*Copy));
    P.File = P.Redacted->path();
  }
  SelectionSpec Opened = P.Spec;
  Opened.AllFrames |= foldsLate(P);
  if (Error E = P.In.open(P.File, Opened, showProgress()))
    return E;
  if (Error E = checkTrace(P, Fatal))
    return E;
  if (!P.Spec.empty())
    return Error::success();
  if (Error E = ranksOfTrace(*P.In.S, Dimensions).moveInto(P.Ranks))
    return E;
  if (P.Ranks)
    P.Job.emplace(P.Ranks->Job, P.Ranks->Details, Top,
                  isVerbose() || !Top || Bundle != BundleKind::None,
                  P.Ranks->Together);
  return Error::success();
}

static OverviewOptions overviewOptions() {
  OverviewOptions Options;
  // The title of a picture has the growth; a table of series has no place.
  Options.Growth = !NoGrowth && OutputFormat != StatFormat::Csv;
  Options.Stacks = showsStacks();
  Options.Top = Top;
  Options.Columns = curveColumns(outputWidth());
  for (const StatSection &S : statSections())
    if (S.Reads)
      Options.*S.Reads = is_contained(Show, S.Name.str());
  return Options;
}

static Expected<Overview> readOverview(StatPage &P) {
  OverviewOptions Options = overviewOptions();
  Options.GrowthOf = P.Growth;
  bool FoldsLate = foldsLate(P);
  auto Fold = [&] { P.In.T->applyRules(P.Spec.Names, /*Folds=*/true); };
  if (FoldsLate && Options.Growth)
    Options.Fold = Fold;
  Expected<Overview> O = queryOverview(*P.In.S, Options);
  if (!O)
    return O.takeError();
  if (FoldsLate && !Options.Fold && !O->Suggestions.empty())
    Fold();
  if (Timeline && (OutputFormat == StatFormat::Json || isTimelineFormat()))
    if (Error E = readRunTimeline(*P.In.S, O->Live).moveInto(P.Series))
      return std::move(E);
  return O;
}

static Error bundlePage(const StatPage &P, const PageInput &F) {
  std::string To =
      Output.getNumOccurrences() ? std::string(Output) : bundleName(Input);
  if (Error E = writeBundle(
          {P.File, F, Bundle == BundleKind::Environment, Redact}, To))
    return E;
  say("wrote " + To +
      (isRedacted(F.T.header())
           ? ""
           : ", with the arguments of commands (--redact: without)"));
  return Error::success();
}

/// The sections to show. Warns of names in --show without a section.
static std::vector<PageSection> sectionsOf(const PageInput &F) {
  std::vector<std::string> Shown(Show.begin(), Show.end());
  if (Timeline)
    Shown.push_back("timeline");
  std::vector<PageSection> Page = makePage(F, isVerbose(), Shown);
  for (const std::string &Name : Show)
    if (!Explain &&
        none_of(Page, [&](const PageSection &S) { return S.Name == Name; }))
      warn("--show=" + Name + ": " +
           (Name == "layers" ? whyNoLayers(F.T)
                             : "the trace has nothing to show there"));
  if (Explain && !Page.empty() && !Page[0].Lines.empty()) {
    Page[0].Title = Page[0].Lines[0];
    Page[0].Lines.clear();
    Page[0].Titled = true;
  }
  return Page;
}

static void writeFormat(raw_ostream &OS, const PageInput &F) {
  switch (OutputFormat) {
  case StatFormat::Json:
    return writeStatJson(OS, F);
  case StatFormat::Svg:
    return writeTimelineSvg(OS, F);
  case StatFormat::Csv:
    return writeTimelineCsv(OS, F);
  case StatFormat::Markdown:
    return printMarkdown(OS, sectionsOf(F));
  case StatFormat::Text:
    return printText(OS, sectionsOf(F), outputWidth());
  }
  llvm_unreachable("all formats are handled");
}

static Error writePage(const PageInput &F) {
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(
      Output, OutputFormat == StatFormat::Svg ? OutputFile::Content::Machine
                                              : OutputFile::Content::Text);
  if (!Out)
    return Out.takeError();
  writeFormat((*Out)->os(), F);
  if (Error E = (*Out)->keep())
    return E;
  for_each(F.T.reader().unknownWarnings(),
           [](const std::string &W) { warn(W); });
  return Error::success();
}

static Error writeSourcePage(const StatPage &P) {
  Expected<std::unique_ptr<OutputFile>> Out =
      OutputFile::open(Output, OutputFile::Content::Text);
  if (!Out)
    return Out.takeError();
  if (Error E = writeSource((*Out)->os(), *P.In.S, Source,
                            OutputFormat == StatFormat::Json, outputWidth()))
    return E;
  return (*Out)->keep();
}

static Expected<int> showTrace(StatPage &P, FailOn &Fatal) {
  if (Error E = openPage(P, Fatal))
    return std::move(E);
  const Trace &T = *P.In.T;
  Fatal.noteNoAnswer(cannotAnswerText(T));
  // The sums of a merged trace say little: the ranks are the answer.
  if (P.Job && numMerged(T.header()) && isPlainPage() && Source.empty()) {
    if (Error E = writeJob(*P.Job, jobOptions(P.Spec)))
      return std::move(E);
    return jobStatus(Fatal, P.Job->J);
  }
  Expected<Overview> O = readOverview(P);
  if (!O)
    return O.takeError();
  RunReport R = queryRun(T);
  PageInput F{T,
              R,
              *O,
              P.In.S->selection(),
              P.Spec.empty(),
              !P.Spec.Heaps.empty(),
              Top,
              Ascii || !isUtf8Locale(),
              P.Series,
              P.Job ? &*P.Job : nullptr};
  Error E = Bundle != BundleKind::None ? bundlePage(P, F)
            : !Source.empty()          ? writeSourcePage(P)
                                       : writePage(F);
  if (E)
    return std::move(E);
  return gateStatus(Fatal, F, *P.In.S);
}

static Expected<int> run(const SelectionFlags &Flags,
                         const GrowthFlags &Growing, FailOn &Fatal) {
  if (Error E = parseGroups(Groups).moveInto(Dimensions))
    return std::move(E);
  if (Error E = applyExplain())
    return std::move(E);
  if (Inputs.size() > 1 || (Inputs.size() == 1 && isFolder(Inputs[0])))
    return runJob(Flags, Fatal);
  Input = Inputs.empty() ? "" : Inputs[0];
  if (Error E = chooseTrace(Input))
    return std::move(E);
  if (Explain)
    showExplained();
  if (Error E = checkOptions())
    return std::move(E);
  if (Error E = Fatal.check())
    return std::move(E);
  StatPage P;
  if (Error E = Flags.spec().moveInto(P.Spec))
    return std::move(E);
  if (Error E = Growing.options().moveInto(P.Growth))
    return std::move(E);
  return showTrace(P, Fatal);
}

int main(int Argc, char **Argv) {
  useLargePages();
  SelectionFlags Flags(SF_Heap | SF_Process | SF_AllFrames);
  GrowthFlags Growing;
  FailOn Fatal(gateConditions(),
               "Exit with status 3 if a condition holds: lost (events), "
               "suggestions, suggestions>SIZE (one of more bytes), peak>SIZE, "
               "live>SIZE (in any memory space), HEAP:peak>SIZE (in a heap or "
               "space; HEAP? may be missing), rss>SIZE, used>90%, "
               "reserved>SIZE, unaccounted>SIZE, fragmentation>30%, oom");
  return runTool(Argc, Argv,
                 {"memstat",
                  "Shows a summary of a trace, or of a job, on one page.",
                  "memstat trace.fb\n"
                  "memstat run/ # the ranks of a job: a folder of traces\n"
                  "memstat --timeline --heap='torch.*' trace.fb\n"
                  "memstat --timeline --format=svg trace.fb > curve.svg\n"
                  "memstat --format=markdown trace.fb > page.md",
                  "[trace | folder]..."},
                 [&] { return run(Flags, Growing, Fatal); });
}
