// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags that select a part of a trace.

#include "SelectionFlags.h"
#include "HelpText.h"
#include "ToolMain.h"
#include "memkit/Model/Rules.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;

namespace memkit {

using ListOption = cl::list<std::string>;

struct SelectionFlags::Options {
  std::optional<ListOption> Heap, Process, Thread, Stack, Scope, Layer;
  std::optional<cl::opt<std::string>> MinSize, Since, Until, At;
  std::optional<cl::opt<bool>> AllFrames;
  std::optional<ListOption> Own, RulesFiles;
  std::vector<std::string> MoreRules;
};

static void addList(std::optional<ListOption> &Option, StringRef Name,
                    StringRef Value, StringRef Help,
                    HelpGroup Group = HelpGroup::Select) {
  Option.emplace(Name, cl::value_desc(Value), cl::desc(Help),
                 cl::cat(helpGroup(Group)));
}

static void addTimePoint(std::optional<cl::opt<std::string>> &Option,
                         StringRef Name, StringRef Help) {
  Option.emplace(Name, cl::value_desc("time point"), cl::desc(Help),
                 cl::cat(helpGroup(HelpGroup::Select)));
}

SelectionFlags::SelectionFlags(unsigned Wanted)
    : O(std::make_unique<Options>()) {
  if (Wanted & SF_Heap)
    addList(O->Heap, "heap", "glob",
            "Only these heaps (torch.*), inner heaps not subtracted");
  if (Wanted & SF_Process)
    addList(
        O->Process, "process", "pid|glob",
        "Only these processes: a pid, #N for process N, or a program's name");
  if (Wanted & SF_Thread)
    addList(O->Thread, "thread", "tid|glob",
            "Only allocations of these threads (replays the events)");
  if (Wanted & SF_Stack)
    addList(O->Stack, "stack", "regex",
            "Only stacks with a function, file or binary that matches");
  if (Wanted & SF_Scope)
    addList(O->Scope, "scope", "glob",
            "Only allocations in these scopes (replays the events, except for "
            "views of scope paths)");
  if (Wanted & SF_Layer)
    addList(O->Layer, "layer", "glob",
            "Only allocations in the layers with this module path and in their "
            "sublayers (replays as --scope)");
  if (Wanted & SF_MinSize)
    O->MinSize.emplace("min-size", cl::value_desc("size"),
                       cl::desc("Only allocations of at least this size "
                                "(replays the events)"),
                       cl::cat(helpGroup(HelpGroup::Select)));
  if (Wanted & SF_At)
    addTimePoint(
        O->At, "at",
        "Only blocks live at this time point, with their values then: a "
        "time (1.5s), step:N, mark:NAME, peak, oom, end or now (replays some "
        "events)");
  if (Wanted & SF_Window) {
    addTimePoint(O->Since, "since",
                 "Only allocations from this time point on (replays the events "
                 "from there)");
    addTimePoint(O->Until, "until",
                 "Only allocations before this time point, which ends the run");
  }
  if (Wanted & SF_AllFrames) {
    O->AllFrames.emplace("all-frames",
                         cl::desc("Show all frames, also those that rules fold "
                                  "(interpreters, dispatchers, std::)"),
                         cl::cat(helpGroup(HelpGroup::Names)));
    addList(O->Own, "own", "glob",
            "Source files and binaries that are your own code (/srv/app/*)",
            HelpGroup::Names);
    addList(O->RulesFiles, "rules", "file",
            "Rules of what to fold, whose code is yours, what is no leak",
            HelpGroup::Names);
  }
}

SelectionFlags::~SelectionFlags() = default;

void SelectionFlags::addRules(std::vector<std::string> Files) {
  O->MoreRules = std::move(Files);
}

/// The path of the user's rules; empty: no such file.
static std::string userRules() {
  if (const char *Path = getenv("MEMKIT_RULES"))
    return Path;
  SmallString<128> Path;
  const char *Config = getenv("XDG_CONFIG_HOME");
  if (Config && *Config)
    Path = Config;
  else if (const char *Home = getenv("HOME"); Home && *Home)
    sys::path::append(Path, Home, ".config");
  if (Path.empty())
    return "";
  sys::path::append(Path, "memkit", "rules");
  return sys::fs::exists(Path) ? std::string(Path) : "";
}

static std::vector<std::string> valuesOf(const std::optional<ListOption> &L) {
  if (!L)
    return {};
  return std::vector<std::string>(L->begin(), L->end());
}

static Error readTimePoint(const std::optional<cl::opt<std::string>> &Option,
                           StringRef Name, std::optional<TimePointSpec> &Out) {
  if (!Option || !Option->getNumOccurrences())
    return Error::success();
  Expected<TimePointSpec> P = parseTimePoint(*Option);
  if (!P)
    return makeUsageError(Name + ": " + toString(P.takeError()));
  Out = std::move(*P);
  return Error::success();
}

Error SelectionFlags::readRules(SelectionSpec &S) const {
  auto Names = std::make_shared<Rules>();
  for (const std::string &Glob : *O->Own)
    Names->addOwn(Glob);
  std::vector<std::string> Files = valuesOf(O->RulesFiles);
  append_range(Files, O->MoreRules);
  if (std::string Path = userRules(); !Path.empty())
    Files.push_back(Path);
  for (const std::string &Path : Files)
    if (Error E = Names->parseFile(Path))
      return E;
  Names->addBuiltIn();
  S.Names = std::move(Names);
  return Error::success();
}

Expected<SelectionSpec> SelectionFlags::spec() const {
  SelectionSpec S;
  S.Heaps = valuesOf(O->Heap);
  S.Processes = valuesOf(O->Process);
  S.Threads = valuesOf(O->Thread);
  S.Stacks = valuesOf(O->Stack);
  S.ScopePaths = valuesOf(O->Scope);
  S.Layers = valuesOf(O->Layer);
  S.AllFrames = O->AllFrames && *O->AllFrames;
  if (O->Own)
    if (Error E = readRules(S))
      return std::move(E);
  if (O->MinSize && O->MinSize->getNumOccurrences()) {
    Expected<uint64_t> Size = parseSize(*O->MinSize);
    if (!Size)
      return makeUsageError("--min-size: " + toString(Size.takeError()));
    S.MinSize = *Size;
  }
  if (Error E = readTimePoint(O->Since, "--since", S.Since))
    return E;
  if (Error E = readTimePoint(O->Until, "--until", S.Until))
    return E;
  if (Error E = readTimePoint(O->At, "--at", S.At))
    return E;
  return S;
}

} // namespace memkit
