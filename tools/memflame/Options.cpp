// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memflame's options.

#include "Options.h"
#include "Cli/HelpText.h"
#include "Cli/ToolMain.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

cl::list<std::string> Inputs(cl::Positional, cl::desc("<trace>..."),
                             cl::cat(toolCategory()));
cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                            cl::value_desc("file"), cl::init("-"),
                            cl::cat(toolCategory()));
cl::opt<FlameFormat> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(FlameFormat::Speedscope, "speedscope",
                          "a file for speedscope (default)"),
               clEnumValN(FlameFormat::Html, "html",
                          "a page with all in one file"),
               clEnumValN(FlameFormat::Svg, "svg", "a picture"),
               clEnumValN(FlameFormat::Collapsed, "collapsed",
                          "lines root;..;leaf VALUE"),
               clEnumValN(FlameFormat::Pprof, "pprof", "a file for pprof"),
               clEnumValN(FlameFormat::Perfetto, "perfetto",
                          "the run's timeline, a file for Perfetto"),
               clEnumValN(FlameFormat::Firefox, "firefox",
                          "each allocation and free, a file for the Firefox "
                          "Profiler"),
               clEnumValN(FlameFormat::Csv, "csv", "a row for each stack")),
    cl::init(FlameFormat::Speedscope), cl::cat(helpGroup(HelpGroup::Expert)));
cl::list<Metric> Metrics(
    "metric", cl::desc("Metrics (default: peak; pprof, csv: all):"),
    cl::values(
        clEnumValN(Metric::Peak, "peak", "bytes live at the peak"),
        clEnumValN(Metric::Live, "live", "bytes live at the end, or --at"),
        clEnumValN(Metric::Allocated, "allocated", "bytes allocated"),
        clEnumValN(Metric::Count, "count", "allocations"),
        clEnumValN(Metric::Temporary, "temporary",
                   "allocations freed before their thread's next, or "
                   "within --max-age"),
        clEnumValN(Metric::Leaked, "leaked",
                   "bytes live at the end, without memory freed by exec")),
    cl::CommaSeparated, cl::cat(toolCategory()));
static cl::OptionEnumValue grouped(GroupBy By, StringRef Help) {
  return {groupWord(By), int(By), Help};
}
cl::opt<GroupBy> Grouping(
    "group-by", cl::desc("Frames are:"),
    cl::values(
        grouped(GroupBy::Stack, "calls of the stack (default, unless Python)"),
        grouped(GroupBy::Line,
                "calls, each with its line of source, imports apart "
                "(default for Python's calls)"),
        grouped(GroupBy::Function, "functions by name"),
        grouped(GroupBy::File, "source files"),
        grouped(GroupBy::Binary, "binaries"),
        grouped(GroupBy::Layer, "layers by path, in the phases of training"),
        grouped(GroupBy::Operator, "innermost operators"),
        grouped(GroupBy::Scope, "ranges and the program's scopes"),
        grouped(GroupBy::ScopePath,
                "scope paths: phases, layers, operators and scopes"),
        grouped(GroupBy::Mixed,
                "stacks with the scopes inserted (replays the events)"),
        grouped(GroupBy::Category, "categories of tensors, at the peak"),
        grouped(GroupBy::Dtype,
                "dtypes of PyTorch's tensors, and stacks below (replays the "
                "events)"),
        grouped(GroupBy::Heap, "heaps, and stacks below"),
        grouped(GroupBy::Library, "libraries that asked for memory"),
        grouped(GroupBy::Thread,
                "threads, and stacks below (replays the events)"),
        grouped(GroupBy::Size, "sizes, and stacks below (replays the events)"),
        grouped(GroupBy::Step,
                "steps of the allocations, and stacks below (replays the "
                "events)")),
    cl::init(GroupBy::Stack), cl::cat(toolCategory()));
cl::opt<bool> Full("full", cl::desc("Keep small frames"),
                   cl::cat(helpGroup(HelpGroup::Expert)));
cl::opt<bool> TimeOrder(
    "time-order",
    cl::desc("speedscope, html: also draw the blocks live at the peak "
             "(or --at) in order of allocation"),
    cl::cat(helpGroup(HelpGroup::Expert)));
cl::opt<bool> OverTime("over-time",
                       cl::desc("speedscope: also draw the live bytes at 40 "
                                "times, one after the other"),
                       cl::cat(helpGroup(HelpGroup::Expert)));
cl::opt<bool> Invert("invert", cl::desc("Invert: leaves become roots"),
                     cl::cat(helpGroup(HelpGroup::Expert)));
cl::opt<bool> MergeRecursion("merge-recursion",
                             cl::desc("Merge recursive frames"),
                             cl::cat(helpGroup(HelpGroup::Expert)));
cl::list<std::string>
    StripPrefixes("strip-prefix", cl::value_desc("path"),
                  cl::desc("Remove this prefix from files and binaries"),
                  cl::cat(helpGroup(HelpGroup::Expert)));
cl::opt<std::string>
    MaxAge("max-age", cl::value_desc("time"),
           cl::desc("Blocks freed within this time count as temporary (replays "
                    "the events)"),
           cl::cat(helpGroup(HelpGroup::Expert)));
cl::opt<bool> OpenPage("open", cl::desc("Show the page in a browser"),
                       cl::cat(toolCategory()));

bool isOfStacks(GroupBy By) {
  return By == GroupBy::Stack || By == GroupBy::Line ||
         By == GroupBy::Function || By == GroupBy::File ||
         By == GroupBy::Binary;
}

/// Whether the keys of stats are stacks or scope paths alone.
static bool hasPlainKeys(GroupBy By) {
  return isOfScopes(By) || isOfStacks(By);
}

/// Errors: a format that cannot show what was asked for.
static Error checkFormat() {
  bool Chosen = OutputFormat.getNumOccurrences() != 0;
  if (OpenPage && Chosen && OutputFormat != FlameFormat::Html)
    return makeUsageError("--open needs --format=html");
  if (OpenPage)
    OutputFormat = FlameFormat::Html;
  bool IsPage = OutputFormat == FlameFormat::Speedscope ||
                OutputFormat == FlameFormat::Html;
  if (TimeOrder && !IsPage)
    return makeUsageError("--time-order needs --format=speedscope or html");
  if (OverTime && OutputFormat != FlameFormat::Speedscope)
    return makeUsageError("--over-time needs --format=speedscope");
  if (Metrics.size() > 1 && (OutputFormat == FlameFormat::Collapsed ||
                             OutputFormat == FlameFormat::Perfetto))
    return makeUsageError("--format=collapsed and perfetto support one metric "
                          "only");
  return Error::success();
}

Error checkOptions() {
  if (Error E = checkFormat())
    return E;
  if (!MaxAge.empty() && !Metrics.empty() &&
      !is_contained(Metrics, Metric::Temporary))
    return makeUsageError("--max-age needs --metric=temporary");
  if (OutputFormat == FlameFormat::Firefox &&
      (!Metrics.empty() || !MaxAge.empty()))
    return makeUsageError("--format=firefox has no --metric and no --max-age: "
                          "the viewer sums the bytes");
  if (OutputFormat == FlameFormat::Firefox && !hasPlainKeys(Grouping))
    return makeUsageError("with --format=firefox, --group-by must be a "
                          "grouping of stacks or scope paths");
  if ((TimeOrder || OverTime || !MaxAge.empty()) && !hasPlainKeys(Grouping))
    return makeUsageError("with --time-order, --over-time and --max-age, "
                          "--group-by must be a grouping of stacks or scope "
                          "paths");
  return Error::success();
}

} // namespace memkit
