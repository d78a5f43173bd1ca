// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a trace on one page.

#include "Bundle.h"
#include "Cli/FailOn.h"
#include "Cli/HelpText.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Gates.h"
#include "JobPage.h"
#include "Sections.h"
#include "Support/NearName.h"
#include "Terminal/Graph.h"
#include "TraceText/ReportPrinters.h"
#include "memkit/Model/Imported.h"
#include "memkit/Model/Merged.h"
#include "memkit/Model/Redact.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

enum class StatFormat { Text, Json, Markdown, Svg, Csv };

static cl::list<std::string> Inputs(cl::Positional, cl::desc("<trace>..."),
                                    cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(toolCategory()));
static cl::opt<StatFormat> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(StatFormat::Text, "text", "for people (default)"),
               clEnumValN(StatFormat::Json, "json", "for scripts"),
               clEnumValN(StatFormat::Markdown, "markdown", "for a page"),
               clEnumValN(StatFormat::Svg, "svg", "with --timeline: a picture"),
               clEnumValN(StatFormat::Csv, "csv",
                          "with --timeline: a row for each measurement")),
    cl::init(StatFormat::Text), cl::cat(toolCategory()));
static cl::opt<unsigned>
    Top("top", cl::init(3), cl::value_desc("n"), cl::cat(toolCategory()),
        cl::desc(
            "Maximum rows per section (default 3, more where useful); 0: all"));
static cl::list<std::string>
    Show("show", cl::CommaSeparated, cl::value_desc("section,..."),
         cl::desc("Show these sections only: lines, heaps, steps, layers, ..."),
         cl::cat(toolCategory()));
static cl::opt<bool> Timeline("timeline", cl::cat(toolCategory()),
                              cl::desc("Draw live bytes of each heap over time "
                                       "(--show=timeline)"));
static cl::list<std::string> Groups(
    "groups", cl::CommaSeparated, cl::value_desc("name:size[:stride],..."),
    cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("Of a job: also compare groups of ranks; the group of a rank is "
             "rank / stride % size (stride 1), as expert:8:2"));
enum class BundleKind { None, Plain, Environment };
static cl::opt<BundleKind> Bundle(
    "bundle", cl::ValueOptional, cl::init(BundleKind::None),
    cl::cat(toolCategory()),
    cl::desc("Write one file to send: the trace, this page, the machine, "
             "versions, warnings (TRACE.bundle.tar.zst, or -o)"),
    cl::values(clEnumValN(BundleKind::Plain, "", ""),
               clEnumValN(BundleKind::Plain, "plain", "these (the default)"),
               clEnumValN(BundleKind::Environment, "environment",
                          "also the values of variables that change how "
                          "memory is allocated, as memstat has them")));
static cl::opt<bool>
    Redact("redact", cl::cat(helpGroup(HelpGroup::Expert)),
           cl::desc("--bundle: of a copy of the trace without paths, commands, "
                    "host and source"));
static cl::opt<bool> NoGrowth("no-growth",
                              cl::cat(helpGroup(HelpGroup::Expert)),
                              cl::desc("Do not look for growth"));
static cl::opt<bool>
    Ascii("ascii", cl::cat(helpGroup(HelpGroup::Expert)),
          cl::desc("Draw with ASCII (default in locales without UTF-8)"));
static std::string Input; ///< the trace, if there is one

/// Whether the output is the timeline alone.
static bool isTimelineFormat() {
  return OutputFormat == StatFormat::Svg || OutputFormat == StatFormat::Csv;
}

static Error checkTimelineFormat() {
  if (!isTimelineFormat())
    return Error::success();
  StringRef Name = OutputFormat == StatFormat::Svg ? "svg" : "csv";
  if (!Timeline)
    return makeUsageError("--format=" + Name +
                          " needs --timeline; all sections are in "
                          "--format=text, markdown and json");
  if (!Show.empty() || isVerbose())
    return makeUsageError("--format=" + Name + " has the timeline alone: " +
                          (Show.empty() ? "-v" : "--show") +
                          " needs --format=text or markdown");
  return Error::success();
}

static Error checkBundle() {
  if (Bundle == BundleKind::None)
    return Redact ? makeUsageError("--redact needs --bundle; memdump --redact "
                                   "writes a trace")
                  : Error::success();
  if (Redact && Bundle == BundleKind::Environment)
    return makeUsageError("--redact: values of variables may be private: "
                          "--bundle, without =environment");
  if (OutputFormat.getNumOccurrences() || Timeline || !Show.empty())
    return makeUsageError("--bundle has the whole page, as text and JSON: "
                          "without --format, --timeline and --show");
  if (Input == "-" || StringRef(Input).starts_with("live:"))
    return makeUsageError("--bundle needs a trace in a file; "
                          "live:PID: `memrec --on-alert=snapshot` or SIGUSR2 "
                          "writes what is known into the file");
  return Error::success();
}

static Error checkSections() {
  for (const std::string &Name : Show) {
    if (is_contained(sectionNames(), Name))
      continue;
    SmallVector<StringRef, 32> Names(sectionNames().begin(),
                                     sectionNames().end());
    StringRef Near = nearestName(Name, Names);
    return makeUsageError("--show=" + Name + ": there is no such section; " +
                          (Near.empty()
                               ? join(sectionNames(), ", ")
                               : ("did you mean '" + Near + "'?").str()));
  }
  return Error::success();
}

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
  return Options;
}

/// The exit status of a job. A condition that no rank can meet is an error: a
/// gate that never closes helps nobody.
static Expected<int> jobStatus(const FailOn &Fatal, const JobReport &J) {
  for (ConditionMetric M :
       {ConditionMetric::Suggestions, ConditionMetric::Fragmentation})
    if (Fatal.asksFor(M))
      return makeUsageError("--fail-on=" + metricWord(M) +
                            " needs a single trace: the page of a job has "
                            "none");
  if (Error E = Fatal.checkNames(spacesOfJob(J)))
    return E;
  std::vector<MetricValue> Values = metricsOfJob(J);
  return Fatal.status([&](const Condition &C) { return judge(C, Values); });
}

/// The page of several traces, or of a folder of traces.
static Expected<int> runJob(const SelectionFlags &Flags, FailOn &Fatal) {
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  if (!Spec->empty() || !Show.empty() || Timeline ||
      Bundle != BundleKind::None || Redact || isTimelineFormat())
    return makeUsageError("several traces are shown as one job: --heap, "
                          "--process, --show, --timeline and --bundle need a "
                          "single trace");
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

static Expected<int> run(const SelectionFlags &Flags, FailOn &Fatal) {
  if (Error E = parseGroups(Groups).moveInto(Dimensions))
    return E;
  if (Inputs.size() > 1 || (Inputs.size() == 1 && isFolder(Inputs[0])))
    return runJob(Flags, Fatal);
  Input = Inputs.empty() ? "" : Inputs[0];
  if (Error E = chooseTrace(Input))
    return E;
  if (Error E = checkSections())
    return E;
  if (Error E = checkTimelineFormat())
    return E;
  if (Error E = checkBundle())
    return E;
  if (Error E = Fatal.check())
    return E;
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  bool Json = OutputFormat == StatFormat::Json;
  OverviewOptions Options;
  // The title of a picture has the growth; a table of series has no place.
  Options.Growth = !NoGrowth && OutputFormat != StatFormat::Csv;
  Options.Stacks =
      isVerbose() || !Show.empty() ||
      (!isTimelineFormat() && (Timeline || OutputFormat != StatFormat::Text));
  // The first screen shows stacks only in suggestions: frames are folded beside
  // the search for growth, or when there are suggestions.
  bool FoldsLate = !Options.Stacks && !Spec->AllFrames;
  SelectionSpec Opened = *Spec;
  Opened.AllFrames |= FoldsLate;
  std::optional<TempTrace> Redacted;
  if (Redact) {
    Expected<TempTrace> Copy = redactedCopy(Input);
    if (!Copy)
      return Copy.takeError();
    Redacted.emplace(std::move(*Copy));
  }
  std::string File = Redacted ? Redacted->path() : Input;
  SelectedTrace In;
  if (Error E = In.open(File, Opened, showProgress()))
    return E;
  const Trace &T = *In.T;
  if (Error E = Fatal.checkNames(spacesAndHeaps(T, In.S->selection())))
    return E;
  if (std::string Why = noAnswerReason(T.header(), HistoryQuestion::OverTime);
      Timeline && !Why.empty())
    return makeError(Input + ": --timeline: " + Why);
  for_each(T.warnings(), [](const std::string &W) { warn(W); });
  warnOfDamage(T);
  std::optional<RanksOfTrace> Ranks;
  if (Spec->empty())
    if (Error E = ranksOfTrace(*In.S, Dimensions).moveInto(Ranks))
      return E;
  std::optional<JobInput> Job;
  if (Ranks)
    Job.emplace(Ranks->Job, Ranks->Details, Top, Ranks->Together);
  // The sums of a merged trace say little: the ranks are the answer.
  bool IsPlain = Show.empty() && !Timeline && Bundle == BundleKind::None;
  if (Job && numMerged(T.header()) && IsPlain) {
    if (Error E = writeJob(*Job, jobOptions(*Spec)))
      return E;
    return jobStatus(Fatal, Job->J);
  }
  Options.Top = Top;
  Options.Rounding = is_contained(Show, "rounding");
  Options.Dtypes = is_contained(Show, "dtypes");
  unsigned Width = outputWidth();
  Options.Columns = curveColumns(Width);
  auto Fold = [&] { In.T->applyRules(Spec->Names, /*Folds=*/true); };
  if (FoldsLate && Options.Growth)
    Options.Fold = Fold;
  Expected<Overview> O = queryOverview(*In.S, Options);
  if (!O)
    return O.takeError();
  if (FoldsLate && !Options.Fold && !O->Suggestions.empty())
    Fold();

  std::vector<TimelineSeries> Series;
  if (Timeline && (Json || isTimelineFormat()))
    if (Error E = readRunTimeline(*In.S, O->Live).moveInto(Series))
      return E;

  RunReport R = queryRun(T);
  PageInput F{T,
              R,
              *O,
              In.S->selection(),
              Spec->empty(),
              !Spec->Heaps.empty(),
              Top,
              Ascii || !isUtf8Locale(),
              Series,
              Job ? &*Job : nullptr};
  if (Bundle != BundleKind::None) {
    std::string To =
        Output.getNumOccurrences() ? std::string(Output) : bundleName(Input);
    if (Error E = writeBundle(
            {File, F, Bundle == BundleKind::Environment, Redact}, To))
      return E;
    say("wrote " + To +
        (isRedacted(T.header())
             ? ""
             : ", with the arguments of commands (--redact: without)"));
    return 0;
  }
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(
      Output, OutputFormat == StatFormat::Svg ? OutputFile::Content::Machine
                                              : OutputFile::Content::Text);
  if (!Out)
    return Out.takeError();
  raw_ostream &OS = (*Out)->os();
  std::vector<std::string> Shown(Show.begin(), Show.end());
  if (Timeline)
    Shown.push_back("timeline");
  auto Page = [&] {
    std::vector<PageSection> Sections = makePage(F, isVerbose(), Shown);
    for (const std::string &Name : Show)
      if (none_of(Sections,
                  [&](const PageSection &S) { return S.Name == Name; }))
        warn("--show=" + Name + ": " +
             (Name == "layers" ? whyNoLayers(T)
                               : "the trace has nothing to show there"));
    return Sections;
  };
  if (Json)
    writeStatJson(OS, F);
  else if (OutputFormat == StatFormat::Svg)
    writeTimelineSvg(OS, F, Series);
  else if (OutputFormat == StatFormat::Csv)
    writeTimelineCsv(OS, Series);
  else if (OutputFormat == StatFormat::Markdown)
    printMarkdown(OS, Page());
  else
    printText(OS, Page(), Width);
  if (Error E = (*Out)->keep())
    return E;
  for_each(T.reader().unknownWarnings(), [](const std::string &W) { warn(W); });
  return gateStatus(Fatal, F, *In.S);
}

int main(int Argc, char **Argv) {
  useLargePages();
  SelectionFlags Flags(SF_Heap | SF_Process | SF_AllFrames);
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
                 [&] { return run(Flags, Fatal); });
}
