//===- memleak.cpp - What was never freed -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LeakPrinter.h"
#include "memkit/Support/FailOn.h"
#include "memkit/Support/LargePages.h"
#include "memkit/Support/OutputFile.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

enum class Format { Text, Json };

static cl::opt<std::string> Input(cl::Positional, cl::desc("<trace>"),
                                  cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(toolCategory()));
static cl::opt<Format> OutputFormat(
    "format", cl::desc("What to write:"),
    cl::values(clEnumValN(Format::Text, "text", "for people (default)"),
               clEnumValN(Format::Json, "json", "for programs")),
    cl::init(Format::Text), cl::cat(toolCategory()));
static cl::opt<uint64_t>
    Top("top", cl::desc("Show at most this many findings; 0: all (text: 10)"),
        cl::value_desc("n"), cl::cat(toolCategory()));
static cl::list<std::string>
    SuppressionFiles("suppressions", cl::value_desc("file"),
                     cl::desc("Hide leaks with a frame that matches a line "
                              "leak:PATTERN of this file"),
                     cl::cat(toolCategory()));
static cl::opt<bool> NoDefaults(
    "no-default-suppressions",
    cl::desc("Show what the loader, libc and the interpreter keep by design, "
             "too"),
    cl::cat(toolCategory()));
static constexpr FailMetric Conditions[] = {
    {"leaks", FF_Any | FF_Value | FF_PerHeap}, {"lost", FF_Any}};

/// Whether the findings, or those of the heaps that C names, meet C.
static bool holds(const FailCondition &C, const Trace &T, const LeakReport &R) {
  if (C.Metric == "lost")
    return C.isAbove(T.lostEvents());
  uint64_t Bytes = 0, Findings = 0;
  for (const HeapLeaks &H : R.Heaps)
    if (C.isOfHeap(T.heapName(H.Heap))) {
      Bytes += H.Bytes;
      Findings += H.Findings;
    }
  return Findings &&
         C.isAbove(C.What == FailCondition::Kind::Any ? Findings : Bytes);
}

static Expected<int> run(const SelectionFlags &Flags, FailOn &Fatal) {
  if (Error E = requireArgument(Input, "a trace"))
    return E;
  if (Error E = Fatal.check())
    return E;
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  Suppressions Hidden;
  for (const std::string &Path : SuppressionFiles)
    if (Error E = Hidden.parseFile(Path))
      return E;

  SelectedTrace In;
  if (Error E = In.open(Input, *Spec))
    return E;
  for_each(In.T->warnings(), [](const std::string &W) { warn(W); });
  Suppressions ByDefault;
  if (!NoDefaults)
    ByDefault = Suppressions::byDefault(*In.T);
  LeakReport Report = findLeaks(*In.S, Hidden, ByDefault);

  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(Output);
  if (!Out)
    return Out.takeError();
  bool Json = OutputFormat == Format::Json;
  uint64_t Most = Top.getNumOccurrences() ? Top : Json ? 0 : 10;
  if (Json)
    writeLeakJson((*Out)->os(), *In.T, Report, Most);
  else
    printLeaks((*Out)->os(), *In.T, Report, Most);
  if (Error E = (*Out)->keep())
    return E;
  for (const SuppressionUse &U : Report.Suppressed)
    if (!U.Findings)
      warn("suppression 'leak:" + U.Pattern + "' matched nothing");
  return Fatal.status(
      [&](const FailCondition &C) { return holds(C, *In.T, Report); });
}

int main(int Argc, char **Argv) {
  useLargePages();
  SelectionFlags Flags(SF_All);
  FailOn Fatal(Conditions,
               "Exit with status 3 on leaks, leaks>SIZE (more bytes in all, of "
               "HEAP:leaks>SIZE in these heaps) or lost (events)");
  return runTool(Argc, Argv,
                 {"memleak", "Shows what a recorded program never freed.",
                  "memleak trace.fb\n"
                  "memleak --format=json --fail-on='leaks>1MiB' trace.fb"},
                 [&] { return run(Flags, Fatal); });
}
