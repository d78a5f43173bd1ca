// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memstat's options.

#include "Options.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "Sections.h"
#include "Support/NearName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

static StringRef showHelp() {
  static const std::string Text =
      "Show these sections only: " + join(sectionNames(), ", ");
  return Text;
}

cl::list<std::string> memkit::Inputs(cl::Positional, cl::desc("<trace>..."),
                                     cl::cat(toolCategory()));
cl::opt<std::string> memkit::Output("o", cl::desc("Write to this file"),
                                    cl::value_desc("file"), cl::init("-"),
                                    cl::cat(toolCategory()));
cl::opt<StatFormat> memkit::OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(StatFormat::Text, "text", "for people (default)"),
               clEnumValN(StatFormat::Json, "json", "for scripts"),
               clEnumValN(StatFormat::Markdown, "markdown", "for a page"),
               clEnumValN(StatFormat::Svg, "svg", "with --timeline: a picture"),
               clEnumValN(StatFormat::Csv, "csv",
                          "with --timeline: a row for each measurement")),
    cl::init(StatFormat::Text), cl::cat(toolCategory()));
cl::opt<unsigned> memkit::Top(
    "top", cl::init(3), cl::value_desc("n"), cl::cat(toolCategory()),
    cl::desc(
        "Maximum rows per section (default 3, more where useful); 0: all"));
cl::list<std::string> memkit::Show("show", cl::CommaSeparated,
                                   cl::value_desc("section,..."),
                                   cl::desc(showHelp()),
                                   cl::cat(toolCategory()));
cl::opt<bool>
    memkit::Timeline("timeline", cl::cat(toolCategory()),
                     cl::desc("Draw live bytes of each heap over time "
                              "(--show=timeline)"));
cl::opt<std::string> memkit::Source(
    "source", cl::value_desc("file|function"), cl::cat(toolCategory()),
    cl::desc("The lines of a file, or of a function, with the memory that each "
             "holds: train.py, Net.forward"));
cl::opt<bool> memkit::Explain(
    "explain", cl::cat(toolCategory()),
    cl::desc("The whole finding as a page of Markdown, for an issue tracker: "
             "memkit explain"));
cl::list<std::string> memkit::Groups(
    "groups", cl::CommaSeparated, cl::value_desc("name:size[:stride],..."),
    cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("Of a job: also compare groups of ranks; the group of a rank is "
             "rank / stride % size (stride 1), as expert:8:2"));
cl::opt<BundleKind> memkit::Bundle(
    "bundle", cl::ValueOptional, cl::init(BundleKind::None),
    cl::cat(toolCategory()),
    cl::desc("Write one file to send: the trace, this page, the machine, "
             "versions, warnings (TRACE.bundle.tar.zst, or -o)"),
    cl::values(clEnumValN(BundleKind::Plain, "", ""),
               clEnumValN(BundleKind::Plain, "plain", "these (the default)"),
               clEnumValN(BundleKind::Environment, "environment",
                          "also the values of variables that change how "
                          "memory is allocated, as memstat has them")));
cl::opt<bool> memkit::Redact(
    "redact", cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("--bundle: of a copy of the trace without paths, commands, "
             "host and source"));
cl::opt<bool> memkit::NoGrowth("no-growth",
                               cl::cat(helpGroup(HelpGroup::Expert)),
                               cl::desc("Do not look for growth"));
cl::opt<bool> memkit::Ascii(
    "ascii", cl::cat(helpGroup(HelpGroup::Expert)),
    cl::desc("Draw with ASCII (default in locales without UTF-8)"));
std::string memkit::Input;

/// Whether the output is the timeline alone.
bool memkit::isTimelineFormat() {
  return OutputFormat == StatFormat::Svg || OutputFormat == StatFormat::Csv;
}

bool memkit::isPlainPage() {
  return Show.empty() && !Timeline && Bundle == BundleKind::None;
}

Error memkit::applyExplain() {
  if (!Explain)
    return Error::success();
  if (Timeline || !Show.empty() || isVerbose() || Bundle != BundleKind::None)
    return makeUsageError("--explain is a page of its own: without --show, "
                          "--timeline, --bundle and -v");
  if (!OutputFormat.getNumOccurrences())
    OutputFormat = StatFormat::Markdown;
  if (OutputFormat != StatFormat::Markdown && OutputFormat != StatFormat::Text)
    return makeUsageError("--explain is Markdown, or --format=text");
  return Error::success();
}

void memkit::showExplained() {
  for (const char *Section : {"verdict", "ranks", "curve", "growth", "lines",
                              "holders", "try", "machine", "again"})
    Show.push_back(Section);
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
  std::vector<StringRef> Names = sectionNames();
  for (const std::string &Name : Show) {
    if (is_contained(Names, Name))
      continue;
    // Leaks have a tool of their own, and no spelling is near.
    if (Name == "leaks" || Name == "leak")
      return makeUsageError("--show=" + Name +
                            ": there is no such section; "
                            "did you mean 'growth', or memleak?");
    StringRef Near = nearestName(Name, Names);
    return makeUsageError("--show=" + Name + ": there is no such section; " +
                          (Near.empty()
                               ? join(Names, ", ")
                               : ("did you mean '" + Near + "'?").str()));
  }
  return Error::success();
}

static Error checkSource() {
  bool IsPage =
      OutputFormat == StatFormat::Text || OutputFormat == StatFormat::Json;
  if (Source.getNumOccurrences() && Source.empty())
    return makeUsageError("--source needs a file or a function");
  if (!Source.empty() && (!isPlainPage() || !IsPage))
    return makeUsageError("--source shows lines of source alone, as text or "
                          "json: without --show, --timeline, --bundle");
  return Error::success();
}

Error memkit::checkOptions() {
  for (Error (*Check)() :
       {checkSections, checkTimelineFormat, checkBundle, checkSource})
    if (Error E = Check())
      return E;
  return Error::success();
}
