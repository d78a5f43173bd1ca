//===- memdiff.cpp - What changed between two traces -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DiffPrinter.h"
#include "memkit/Analysis/DiffTrace.h"
#include "memkit/Support/FailOn.h"
#include "memkit/Support/OutputFile.h"
#include "memkit/Support/RunBoth.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

enum class Format { Text, Json, Trace };

static cl::opt<std::string> InputBefore(cl::Positional, cl::desc("<before>"),
                                        cl::cat(toolCategory()));
static cl::opt<std::string> InputAfter(cl::Positional, cl::desc("<after>"),
                                       cl::cat(toolCategory()));
static cl::opt<std::string>
    Output("o",
           cl::desc("Write to this file, a trace unless --format is given"),
           cl::value_desc("file"), cl::init("-"), cl::cat(toolCategory()));
static cl::opt<Format> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(Format::Text, "text", "for people (default)"),
               clEnumValN(Format::Json, "json", "for programs"),
               clEnumValN(Format::Trace, "trace",
                          "a trace of the differences, which memflame draws "
                          "(default with -o)")),
    cl::init(Format::Text), cl::cat(toolCategory()));
static cl::opt<Metric>
    By("metric", cl::desc("What is compared (default: peak and live):"),
       cl::values(clEnumValN(Metric::Peak, "peak", "bytes live at the peak"),
                  clEnumValN(Metric::Live, "live", "bytes live at the end"),
                  clEnumValN(Metric::Allocated, "allocated", "bytes allocated"),
                  clEnumValN(Metric::Count, "count", "allocations")),
       cl::cat(toolCategory()));
static cl::opt<std::string>
    Noise("noise",
          cl::desc("Leave out changes below this part of the larger "
                   "peak, or size (1%)"),
          cl::value_desc("n%|size"), cl::init("1%"), cl::cat(toolCategory()));
static cl::opt<uint64_t>
    Top("top", cl::desc("Show at most this many; 0: all (text: 10)"),
        cl::value_desc("n"), cl::cat(toolCategory()));

static constexpr FailMetric Conditions[] = {{"differences"}, {"lost"}};

/// -o alone means the trace: text would go to standard output.
static Format outputFormat() {
  if (!OutputFormat.getNumOccurrences() && Output.getNumOccurrences())
    return Format::Trace;
  return OutputFormat;
}

static Error write(const DiffView &V) {
  Format F = outputFormat();
  auto Content = F == Format::Trace ? OutputFile::Content::Trace
                                    : OutputFile::Content::Text;
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(Output, Content);
  if (!Out)
    return Out.takeError();
  if (F == Format::Trace) {
    FdSink Sink((*Out)->fd(), (*Out)->name().str());
    if (Error E = writeDiffTrace(Sink, V.Before, V.After, V.Report.Differences,
                                 {"memdiff", InputBefore, InputAfter}))
      return E;
  } else if (F == Format::Json) {
    writeDiffJson((*Out)->os(), V);
  } else {
    printDiff((*Out)->os(), V);
  }
  return (*Out)->keep();
}

static Expected<int> run(const SelectionFlags &Flags, FailOn &Fatal) {
  if (Error E = requireArgument(InputAfter, "a trace"))
    return E;
  if (Error E = Fatal.check())
    return E;
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  DiffOptions Options;
  if (By.getNumOccurrences())
    Options.By = By;
  Expected<Threshold> Bound = parseThreshold(Noise);
  if (!Bound)
    return makeUsageError("--noise: " + toString(Bound.takeError()));
  Options.Noise = *Bound;

  Options.KeepAll = outputFormat() == Format::Trace;

  SelectedTrace Before, After;
  Error Failed[] = {Error::success(), Error::success()};
  runBoth([&] { Failed[0] = Before.open(InputBefore, *Spec); },
          [&] { Failed[1] = After.open(InputAfter, *Spec); });
  for (Error &E : Failed)
    if (E)
      return std::move(E);
  for (const Trace *T : {Before.T.get(), After.T.get()})
    for_each(T->warnings(), [](const std::string &W) { warn(W); });
  DiffReport Report = diffTraces(*Before.S, *After.S, Spec->empty(), Options);
  uint64_t Most = Top.getNumOccurrences()        ? uint64_t(Top)
                  : OutputFormat == Format::Json ? 0
                                                 : 10;
  if (Error E = write({*Before.T, *After.T, Report,
                       Options.By.value_or(Metric::Peak), Most}))
    return E;
  bool Lost = Before.T->lostEvents() || After.T->lostEvents();
  return Fatal.status([&](const FailCondition &C) {
    return C.isAbove(C.Metric == "lost" ? Lost : Report.Shown);
  });
}

int main(int Argc, char **Argv) {
  SelectionFlags Flags(SF_All);
  FailOn Fatal(Conditions,
               "Exit with status 3 on differences (above the noise) or lost "
               "(events)");
  return runTool(Argc, Argv,
                 {"memdiff",
                  "Shows what changed from one recording to another.",
                  "memdiff before.fb after.fb\n"
                  "memdiff before.fb after.fb -o diff.fb && memflame diff.fb"},
                 [&] { return run(Flags, Fatal); });
}
