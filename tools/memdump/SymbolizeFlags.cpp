// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of --symbolize.

#include "SymbolizeFlags.h"
#include "Cli/HelpText.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Support/Failure.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace memkit;

static cl::list<std::string>
    DebugDirs("debug-dir", cl::value_desc("dir"),
              cl::desc("--symbolize: also take debug files from this folder"),
              cl::cat(helpGroup(HelpGroup::Names)));
static cl::list<std::string>
    Sysroots("sysroot", cl::value_desc("dir"),
             cl::desc("--symbolize: also take the recorded machine's files "
                      "from this folder"),
             cl::cat(helpGroup(HelpGroup::Names)));
static cl::list<std::string>
    Twins("exe", cl::value_desc("[name=]file"),
          cl::desc("--symbolize: this file stands for the program, or for the "
                   "binary of this name"),
          cl::cat(helpGroup(HelpGroup::Names)));
static cl::list<std::string>
    PerfMaps("perf-map", cl::value_desc("[pid=]file"),
             cl::desc("--symbolize: names of JIT code; default: "
                      "/tmp/perf-PID.map of each process"),
             cl::cat(helpGroup(HelpGroup::Names)));
static cl::opt<bool>
    UseServers("debuginfod",
               cl::desc("--symbolize: ask the servers of DEBUGINFOD_URLS for "
                        "debug files"),
               cl::cat(helpGroup(HelpGroup::Names)));

bool memkit::hasSymbolizeFlags() {
  return !DebugDirs.empty() || !Sysroots.empty() || !Twins.empty() ||
         !PerfMaps.empty() || UseServers;
}

/// Takes the folders of an option.
static Error takeDirs(StringRef Option, const cl::list<std::string> &Values,
                      std::vector<std::string> &Out) {
  for (const std::string &Dir : Values) {
    if (Dir.empty())
      return makeUsageError(Option + ": the folder is missing");
    if (!sys::fs::is_directory(Dir))
      return makeError(
          Option + "=" + Dir +
          (sys::fs::exists(Dir) ? ": is not a folder" : ": no such folder"));
    Out.push_back(Dir);
  }
  return Error::success();
}

/// `FILE`, which may contain `=`, or `NAME=FILE`.
static Error takeTwin(const std::string &Value, SymbolizeOptions &Out) {
  NamedFile Named;
  auto [Name, File] = StringRef(Value).split('=');
  if (!Value.empty() && (File.empty() || sys::fs::exists(Value)))
    Named.File = Value;
  else
    Named = {Name.str(), File.str()};
  if (Named.File.empty() || (Named.Name.empty() && Named.File != Value) ||
      StringRef(Named.File).ends_with("="))
    return makeUsageError("--exe=" + Value + ": FILE or NAME=FILE");
  Out.Named.push_back(std::move(Named));
  return Error::success();
}

/// `FILE`, `PID=FILE` or `default`.
static Error takePerfMap(const std::string &Value, SymbolizeOptions &Out) {
  if (Value == "default") {
    Out.PerfMaps.ReadUsualPlace = true;
    return Error::success();
  }
  PerfMapFile Map;
  auto [Pid, File] = StringRef(Value).split('=');
  if (!Pid.empty() && all_of(Pid, isDigit) && !File.empty()) {
    if (!to_integer(Pid, Map.Pid, 10) || !Map.Pid)
      return makeUsageError("--perf-map=" + Value + ": there is no such pid");
    Map.File = File.str();
  } else {
    Map.File = Value;
  }
  if (Map.File.empty())
    return makeUsageError("--perf-map: FILE, PID=FILE or default");
  Out.PerfMaps.Files.push_back(std::move(Map));
  return Error::success();
}

Expected<SymbolizeOptions>
memkit::symbolizeOptions(std::unique_ptr<DebugServers> &Servers) {
  SymbolizeOptions Out;
  Out.OnProgress = showProgress();
  if (Error E = takeDirs("--debug-dir", DebugDirs, Out.Places.DebugDirs))
    return std::move(E);
  if (Error E = takeDirs("--sysroot", Sysroots, Out.Places.Sysroots))
    return std::move(E);
  for (const std::string &Value : Twins)
    if (Error E = takeTwin(Value, Out))
      return std::move(E);
  for (const std::string &Value : PerfMaps)
    if (Error E = takePerfMap(Value, Out))
      return std::move(E);
  if (UseServers) {
    auto Opened = DebugServers::open(showProgress());
    if (!Opened)
      return makeError("--debuginfod: " + toString(Opened.takeError()));
    Servers = std::move(*Opened);
    Out.Places.Servers = Servers.get();
  }
  return Out;
}
