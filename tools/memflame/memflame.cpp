//===- memflame.cpp - Flame graphs of a trace -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Export/Collapsed.h"
#include "memkit/Export/Speedscope.h"
#include "memkit/Support/LargePages.h"
#include "memkit/Support/OutputFile.h"
#include "memkit/Support/RunBoth.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

enum class Format { Speedscope, Collapsed };

static cl::opt<std::string> Input(cl::Positional, cl::desc("<trace>"),
                                  cl::cat(toolCategory()));
static cl::opt<std::string> Output("o", cl::desc("Write to this file"),
                                   cl::value_desc("file"), cl::init("-"),
                                   cl::cat(toolCategory()));
static cl::opt<Format>
    OutputFormat("format", cl::desc("What to write:"),
                 cl::values(clEnumValN(Format::Speedscope, "speedscope",
                                       "a file for speedscope (default)"),
                            clEnumValN(Format::Collapsed, "collapsed",
                                       "lines root;..;leaf VALUE")),
                 cl::init(Format::Speedscope), cl::cat(toolCategory()));
static cl::list<Metric> Metrics(
    "metric",
    cl::desc("What to draw (default: speedscope peak, allocated and live, "
             "collapsed peak):"),
    cl::values(clEnumValN(Metric::Peak, "peak", "bytes live at the peak"),
               clEnumValN(Metric::Live, "live", "bytes live at the end"),
               clEnumValN(Metric::Allocated, "allocated", "bytes allocated"),
               clEnumValN(Metric::Count, "count", "allocations"),
               clEnumValN(Metric::Temporary, "temporary",
                          "allocations freed before their thread's next"),
               clEnumValN(Metric::Leaked, "leaked",
                          "bytes live at the end, less what exec gave back")),
    cl::CommaSeparated, cl::cat(toolCategory()));
static cl::opt<GroupBy> Grouping(
    "group-by", cl::desc("What the frames are:"),
    cl::values(
        clEnumValN(GroupBy::Stack, "stack", "the code's (default)"),
        clEnumValN(GroupBy::Layer, "layer",
                   "layers by path, in the phases of training"),
        clEnumValN(GroupBy::Operator, "operator", "the innermost operators"),
        clEnumValN(GroupBy::Scope, "scope", "ranges and the program's scopes"),
        clEnumValN(GroupBy::Context, "context",
                   "phases, layers, operators and scopes as they nest")),
    cl::init(GroupBy::Stack), cl::cat(toolCategory()));
static cl::opt<bool> Full("full", cl::desc("Fold no small frames away"),
                          cl::cat(toolCategory()));

/// One frame is no picture: says what scopes there are in its place.
static void warnOfNone(const Trace &T) {
  size_t Counts[NumScopeKinds] = {};
  for (const Scope &S : T.scopes())
    ++Counts[static_cast<size_t>(S.Kind)];
  std::string There;
  for (size_t K = 0; K != NumScopeKinds; ++K)
    if (Counts[K])
      There += ((There.empty() ? "; there are " : ", ") + Twine(Counts[K]) +
                " " + scopeKindName(static_cast<ScopeKind>(K)) +
                (Counts[K] == 1 ? "" : "s"))
                   .str();
  warn(T.name() + ": nothing in it to group by so" +
       (There.empty() ? "; it has no contexts" : There));
}

/// Tree: what the keys of S are of.
static Error write(raw_ostream &OS, const Sums &S, ShownTree Tree) {
  if (OutputFormat == Format::Collapsed) {
    if (Metrics.size() > 1)
      return makeUsageError("--format=collapsed holds one metric");
    writeCollapsed(OS, Tree,
                   makeProfile(S, Metrics.empty() ? Metric::Peak : Metrics[0]));
    return Error::success();
  }
  SmallVector<Metric, 6> Wanted(Metrics.begin(), Metrics.end());
  // At a moment there is but one.
  if (Wanted.empty() && S.selection().times().At)
    Wanted = {Metric::Live};
  else if (Wanted.empty())
    Wanted = {Metric::Peak, Metric::Allocated, Metric::Live};
  std::vector<Profile> Profiles;
  std::optional<NodeRanks> Ranks;
  runBoth([&] { Ranks.emplace(Tree); },
          [&] { Profiles = makeHeapProfiles(S, Wanted); });
  // A viewer wants at least one.
  if (Profiles.empty())
    Profiles.push_back(makeProfile(S, Wanted.front()));
  writeSpeedscope(OS, Tree, *Ranks, Profiles, Full);
  return Error::success();
}

static Expected<int> run(const SelectionFlags &Flags) {
  if (Error E = requireArgument(Input, "a trace"))
    return E;
  Expected<SelectionSpec> Spec = Flags.spec();
  if (!Spec)
    return Spec.takeError();
  SelectedTrace In;
  bool OfStacks = Grouping == GroupBy::Stack;
  if (Error E =
          In.open(Input, *Spec, OfStacks ? SumsOf::Stacks : SumsOf::Contexts))
    return E;
  for_each(In.T->warnings(), [](const std::string &W) { warn(W); });
  Expected<std::unique_ptr<OutputFile>> Out = OutputFile::open(Output);
  if (!Out)
    return Out.takeError();
  ContextView Contexts;
  if (!OfStacks)
    Contexts = groupContexts(*In.T, Grouping);
  if (!OfStacks && Contexts.Frames.size() == 1)
    warnOfNone(*In.T);
  ShownTree Tree = OfStacks ? ShownTree(*In.T) : ShownTree(*In.T, Contexts);
  if (Error E = write((*Out)->os(), *In.S, Tree))
    return E;
  if (Error E = (*Out)->keep())
    return E;
  return ExitOk;
}

int main(int Argc, char **Argv) {
  useLargePages();
  SelectionFlags Flags(SF_All);
  return runTool(Argc, Argv,
                 {"memflame", "Draws what a recorded program had in memory.",
                  "memflame trace.fb > out.speedscope.json\n"
                  "memflame --format=collapsed --metric=leaked trace.fb\n"
                  "memflame --group-by=layer trace.fb > layers.json"},
                 [&] { return run(Flags); });
}
