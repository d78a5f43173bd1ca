// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds memory that is never freed or that grows.

#include "Cli/FailOn.h"
#include "Cli/GrowthFlags.h"
#include "Cli/HelpText.h"
#include "Cli/LargePages.h"
#include "Cli/OutputFile.h"
#include "Cli/Progress.h"
#include "Cli/SelectionFlags.h"
#include "Cli/Terminal.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "LeakPrinter.h"
#include "Merge/FolderInput.h"
#include "Support/RunBoth.h"
#include "memkit/Model/CutOff.h"
#include "memkit/Model/Imported.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;
using namespace memkit;

enum class LeakFormat { Text, Json, Markdown, Sarif, Collapsed };

static cl::list<std::string> Inputs(cl::Positional, cl::desc("<trace>..."),
                                    cl::cat(toolCategory()));
static std::string Input; ///< of Inputs, as one trace
static cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(toolCategory()));
static cl::opt<LeakFormat> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(LeakFormat::Text, "text", "for people (default)"),
               clEnumValN(LeakFormat::Json, "json", "for scripts"),
               clEnumValN(LeakFormat::Markdown, "markdown",
                          "the same as text, for a page"),
               clEnumValN(LeakFormat::Sarif, "sarif", "SARIF 2.1.0"),
               clEnumValN(LeakFormat::Collapsed, "collapsed",
                          "root;..;leaf BYTES, for one kind (default: exit)")),
    cl::init(LeakFormat::Text), cl::cat(toolCategory()));
static cl::bits<LeakKinds> Kinds(
    "kind", cl::CommaSeparated,
    cl::desc("Findings to look for (default: all):"),
    cl::values(clEnumValN(0, "exit", "memory never freed"),
               clEnumValN(1, "growth", "memory that grows, or grew"),
               clEnumValN(2, "outlier", "blocks that outlive their siblings")),
    cl::cat(toolCategory()));
static cl::opt<uint64_t> Top(
    "top",
    cl::desc("Show at most this many findings of a kind; 0: all (text: 10)"),
    cl::value_desc("n"), cl::cat(toolCategory()));
static cl::list<std::string>
    SuppressionFiles("suppressions", cl::value_desc("file"),
                     cl::desc("Hide findings with a frame that matches a line "
                              "leak:PATTERN in this file"),
                     cl::cat(helpGroup(HelpGroup::Gates)));
static cl::opt<bool> NoDefaults(
    "no-default-suppressions",
    cl::desc("Also show memory that the loader, libc and the interpreter keep "
             "by design"),
    cl::cat(helpGroup(HelpGroup::Gates)));
static cl::opt<std::string>
    Baseline("baseline", cl::value_desc("trace"),
             cl::desc("Hide findings that this trace also has"),
             cl::cat(helpGroup(HelpGroup::Gates)));
static constexpr MetricForms Conditions[] = {
    {ConditionMetric::Leaks, CF_Any | CF_Value | CF_PerHeap},
    {ConditionMetric::Growth,
     CF_Any | CF_Value | CF_PerStep | CF_PerTime | CF_PerHeap},
    {ConditionMetric::Growing,
     CF_Any | CF_Value | CF_PerStep | CF_PerTime | CF_PerHeap},
    {ConditionMetric::Outliers, CF_Any | CF_Value | CF_PerHeap},
    {ConditionMetric::Lost, CF_Any}};

static const char HowSteps[] =
    "record steps with memkit.step(), a PyTorch optimizer or memrec "
    "--step=REGEX";

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether C names the heap or its memory space, and the space is Space: bytes
/// of several memory spaces are never added.
static bool isMeant(const Condition &C, const Trace &T, uint32_t Heap,
                    uint32_t Space) {
  return T.heap(Heap).Space == Space &&
         (C.isOfHeap(T.heapName(Heap)) || C.isOfHeap(T.spaceName(Space)));
}

static bool isOfGrowth(const Condition &C) {
  return C.Metric == ConditionMetric::Growth ||
         C.Metric == ConditionMetric::Growing;
}

/// Whether growth with this word counts: `growth` is leaks, `growing` also what
/// grows to the end of the run.
static bool counts(const Condition &C, GrowthWord Word) {
  return Word == GrowthWord::Leak ||
         (Word == GrowthWord::Grows && C.Metric == ConditionMetric::Growing);
}

/// Whether the growth of the heaps that C names in Space meets C.
static bool growthHolds(const Condition &C, const Trace &T,
                        const LeakFindings &R, uint32_t Space) {
  using ConditionKind = Condition::ConditionKind;
  double Steps = 0, Times = 0, Rise = 0;
  for (const Growth &G : R.Growth.Found) {
    if (!counts(C, G.Word) || !isMeant(C, T, G.Heap, Space))
      continue;
    (R.Growth.Spans[G.Span].HasSteps ? Steps : Times) += G.Rate;
    Rise += static_cast<double>(G.Rise);
  }
  if (C.What == ConditionKind::PerStep)
    return C.isAbove(Steps);
  if (C.What == ConditionKind::PerTime)
    return C.isAbove(Times);
  return Rise > 0 && C.isAbove(Rise);
}

/// Whether the findings of a kind of the heaps that C names in Space meet C.
static bool findingsHold(const Condition &C, const Trace &T,
                         const LeakFindings &R, LeakKinds Kind,
                         uint32_t Space) {
  uint64_t Bytes = 0, Findings = 0;
  for (const LeakFinding &F : R.All)
    if (F.Kind == Kind && isMeant(C, T, F.Heap, Space)) {
      Bytes += F.Bytes;
      Findings += 1;
    }
  return Findings &&
         C.isAbove(static_cast<double>(
             C.What == Condition::ConditionKind::Any ? Findings : Bytes));
}

static Expected<bool> holds(const Condition &C, const Trace &T,
                            const LeakFindings &R) {
  auto InAnySpace = [&](function_ref<bool(uint32_t)> Holds) {
    return any_of(seq<uint32_t>(T.devices().size() + 1), Holds);
  };
  auto HasFindings = [&](LeakKinds Kind) {
    return InAnySpace(
        [&](uint32_t Space) { return findingsHold(C, T, R, Kind, Space); });
  };
  switch (C.Metric) {
  case ConditionMetric::Lost:
    return C.isAbove(static_cast<double>(T.lostEvents()));
  case ConditionMetric::Leaks:
    return HasFindings(FK_Exit);
  case ConditionMetric::Outliers:
    return HasFindings(FK_Outlier);
  case ConditionMetric::Growth:
  case ConditionMetric::Growing:
    return InAnySpace(
        [&](uint32_t Space) { return growthHolds(C, T, R, Space); });
  default:
    return cannotJudge(C, "memleak does not know it");
  }
}

/// Reports conditions that the trace cannot answer: they must not count as met.
static Error checkRates(const FailOn &Fatal, const LeakFindings &R) {
  for (const Condition &C : Fatal.conditions()) {
    if (isOfGrowth(C) && !R.HasLifetimes)
      return makeError(Input + ": --fail-on=" + C.Text +
                       ": cannot judge growth: the trace has neither lifetimes "
                       "nor all events");
    if (C.What == Condition::ConditionKind::PerStep && !R.HasSteps)
      return makeError(Input + ": --fail-on=" + C.Text +
                       ": the trace has no steps; " + HowSteps);
  }
  return Error::success();
}

/// The question that a kind of findings answers.
static HistoryQuestion questionOf(LeakKinds Kind) {
  return Kind == FK_Growth    ? HistoryQuestion::Growth
         : Kind == FK_Outlier ? HistoryQuestion::Outliers
                              : HistoryQuestion::Leaks;
}

static bool gatesGrowth(const FailOn &Fatal) {
  return Fatal.asksFor(ConditionMetric::Growth) ||
         Fatal.asksFor(ConditionMetric::Growing);
}

/// Takes kinds that an imported trace cannot answer out of Wanted. Errors: a
/// kind that the user asked for.
static Error dropUnanswerable(const Trace &T, const FailOn &Fatal,
                              unsigned &Wanted) {
  static constexpr std::pair<LeakKinds, ConditionMetric> All[] = {
      {FK_Exit, ConditionMetric::Leaks},
      {FK_Growth, ConditionMetric::Growth},
      {FK_Outlier, ConditionMetric::Outliers}};
  for (auto [Kind, Metric] : All) {
    std::string Why = noAnswerReason(T.header(), questionOf(Kind));
    if (Why.empty())
      continue;
    if (Fatal.asksFor(Metric) || (Kind == FK_Growth && gatesGrowth(Fatal)))
      return makeError(Input + ": --fail-on: cannot judge " +
                       metricWord(Metric) + ": " + Why);
    // Blocks that live at one moment are no problems, and SARIF is a list of
    // problems.
    if (Kind == FK_Exit && OutputFormat == LeakFormat::Sarif)
      return makeError(Input + ": --format=sarif: cannot judge leaks: " + Why);
    if (Kind == FK_Exit)
      continue;
    if (Kinds.getBits() & Kind)
      return makeError(Input + ": cannot judge " + metricWord(Metric) + ": " +
                       Why);
    Wanted &= ~unsigned(Kind);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static unsigned wantedKinds(const FailOn &Fatal) {
  unsigned Wanted = Kinds.getBits();
  if (!Wanted)
    Wanted = OutputFormat == LeakFormat::Collapsed
                 ? FK_Exit
                 : FK_Exit | FK_Growth | FK_Outlier;
  // Conditions need the findings of their kind.
  if (Fatal.asksFor(ConditionMetric::Leaks))
    Wanted |= FK_Exit;
  if (gatesGrowth(Fatal))
    Wanted |= FK_Growth;
  if (Fatal.asksFor(ConditionMetric::Outliers))
    Wanted |= FK_Outlier;
  return Wanted;
}

static Expected<LeakOptions> readOptions(const FailOn &Fatal,
                                         const GrowthFlags &Growing) {
  LeakOptions Options;
  Options.Kinds = wantedKinds(Fatal);
  if (OutputFormat == LeakFormat::Collapsed && popcount(Options.Kinds) != 1)
    return makeUsageError("--format=collapsed needs a single --kind");
  if (Error E = Growing.options().moveInto(Options.Growth))
    return std::move(E);
  return Options;
}

/// Warns a user who asked for growth if growth is not searched, or is per
/// second.
static void explainGrowth(const FailOn &Fatal, const LeakFindings &R) {
  bool Asked = Kinds.getBits() & FK_Growth;
  if (!R.LooksForGrowth || !(Asked || gatesGrowth(Fatal)))
    return;
  if (!R.HasLifetimes)
    return warn(
        Input +
        ": cannot judge growth: the trace has neither lifetimes nor all "
        "events");
  // A gate that passes has seen no growth, and here it could see none.
  if (R.Growth.Spans.empty())
    return warn(
        Input + ": too short to judge growth: " + Twine(R.Growth.MaxIntervals) +
        " of at least " + Twine(MinGrowthIntervals) + " steps or intervals");
  if (Asked && !R.HasSteps)
    warn(Input + ": no steps: growth is per second; " + HowSteps);
}

/// Says that something grows where `growth` passes.
static void explainPassed(const FailOn &Fatal, const LeakFindings &R) {
  if (Fatal.asksFor(ConditionMetric::Growth) &&
      !Fatal.asksFor(ConditionMetric::Growing) &&
      !R.Growth.has(GrowthWord::Leak) && R.Growth.has(GrowthWord::Grows))
    warn(Input + ": memory grows, and nothing shows that it leaks: growth "
                 "passes, growing would fail");
}

static Error write(const LeakView &V) {
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(Output);
  if (!Out)
    return Out.takeError();
  raw_ostream &OS = (*Out)->os();
  switch (OutputFormat) {
  case LeakFormat::Text:
    if (isVerbose())
      printLeaks(OS, V);
    else
      printShort(OS, V);
    break;
  case LeakFormat::Json:
    writeLeakJson(OS, V);
    break;
  case LeakFormat::Markdown:
    printShortMarkdown(OS, V);
    break;
  case LeakFormat::Sarif:
    writeLeakSarif(OS, V);
    break;
  case LeakFormat::Collapsed:
    writeLeakCollapsed(OS, V);
    break;
  }
  return (*Out)->keep();
}

/// Opens a trace and searches it for findings of all wanted kinds. Where: null,
/// or takes the places of the trace, which a second thread finds.
static Expected<LeakFindings> analyse(StringRef Path, SelectedTrace &In,
                                      const SelectionSpec &Spec,
                                      const FailOn &Fatal, LeakOptions &Options,
                                      const Suppressions &Hidden,
                                      std::optional<Places> *Where) {
  if (Error E = In.open(Path, Spec, showProgress()))
    return std::move(E);
  if (Error E = dropUnanswerable(*In.T, Fatal, Options.Kinds))
    return std::move(E);
  for_each(In.T->warnings(), [](const std::string &W) { warn(W); });
  warnOfDamage(*In.T);
  std::optional<Expected<LeakFindings>> Found;
  // Only one thread may read the file. The search for places reads nothing.
  runBoth(
      [&] {
        Found.emplace(queryLeaks(*In.S, Options, Hidden,
                                 /*HidesDesign=*/!NoDefaults));
      },
      [&] {
        if (Where)
          Where->emplace(*In.S);
      });
  return std::move(*Found);
}

static Expected<int> run(SelectionFlags &Flags, const GrowthFlags &Growing,
                         FailOn &Fatal) {
  if (Error E = chooseTraces(Inputs).moveInto(Input))
    return E;
  if (Error E = Fatal.check())
    return E;
  Flags.addRules({SuppressionFiles.begin(), SuppressionFiles.end()});
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  Expected<LeakOptions> Options = readOptions(Fatal, Growing);
  if (!Options)
    return Options.takeError();
  Suppressions Hidden;
  if (Spec->Names)
    Hidden = Suppressions::ofUser(*Spec->Names);

  SelectedTrace In, Old;
  bool IsMarkdown = OutputFormat == LeakFormat::Markdown;
  bool IsText = IsMarkdown || OutputFormat == LeakFormat::Text;
  bool IsShort = IsMarkdown || (IsText && !isVerbose());
  std::optional<Places> Where;
  Expected<LeakFindings> R = analyse(Input, In, *Spec, Fatal, *Options, Hidden,
                                     IsShort ? &Where : nullptr);
  if (!R)
    return R.takeError();
  if (Error E = Fatal.checkNames(spacesAndHeaps(*In.T, In.S->selection())))
    return E;
  if (Error E = checkRates(Fatal, *R))
    return E;
  explainGrowth(Fatal, *R);
  if (!Baseline.empty()) {
    Expected<LeakFindings> Before =
        analyse(Baseline, Old, *Spec, Fatal, *Options, Hidden, nullptr);
    if (!Before)
      return Before.takeError();
    keepNew(*R, *In.T, *Before, *Old.T);
  }
  uint64_t Max = Top.getNumOccurrences() ? uint64_t(Top) : IsText ? 10 : 0;
  StringRef At = Spec->At && Spec->At->K != TimePointSpec::TimePointKind::End
                     ? StringRef(Spec->At->Text)
                     : "";
  if (Error E = write(
          {*In.T, *In.S, *R, Options->Kinds, Max, Top.getNumOccurrences() != 0,
           IsMarkdown ? 0 : outputWidth(), At, Where ? &*Where : nullptr}))
    return E;
  for_each(In.T->reader().unknownWarnings(),
           [](const std::string &W) { warn(W); });
  for (const SuppressionUse &U : R->Exit.Suppressed)
    if (!U.any())
      warn("suppression 'leak:" + U.Pattern + "' matched nothing");
  explainPassed(Fatal, *R);
  Fatal.noteNoAnswer(cannotAnswerText(*In.T));
  return Fatal.status([&](const Condition &C) { return holds(C, *In.T, *R); });
}

int main(int Argc, char **Argv) {
  acceptFolders();
  useLargePages();
  SelectionFlags Flags(SF_All);
  GrowthFlags Growing;
  FailOn Fatal(Conditions,
               "Exit with status 3 if a condition holds: leaks, leaks>SIZE, "
               "growth (LEAK), growth>SIZE/step, growing (LEAK and grows), "
               "outliers, lost (events); in any memory space, or with HEAP: in "
               "a heap or space; HEAP? may be missing");
  return runTool(
      Argc, Argv,
      {"memleak", "Finds memory that a program never frees or that grows.",
       "memleak trace.fb\n"
       "memleak --format=json --fail-on='growth>1MiB/step' trace.fb\n"
       "memleak run/",
       "[trace | folder]..."},
      [&] { return run(Flags, Growing, Fatal); });
}
