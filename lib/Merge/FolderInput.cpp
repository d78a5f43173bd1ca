// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many traces as one input.

#include "FolderInput.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Merge.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "Trace/OpenFile.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <optional>
#include <unistd.h>

using namespace llvm;

namespace memkit {

namespace {
/// The traces of a command line; no traces: there are not several.
struct TraceList {
  std::string Name;
  std::vector<std::string> Paths;
};
} // namespace

static TraceList Listed; // written before any trace is opened

/// Traces without ranks may be runs that the user wants to compare. Said once:
/// some questions open their trace twice.
static void explainRuns(const MergeResult &R) {
  static std::atomic<bool> IsSaid = false;
  if (!Listed.Paths.empty() && R.Merged > 1 && !R.Ranked &&
      !IsSaid.exchange(true))
    say(formatCount(R.Merged) +
        " traces without ranks are taken as one job; memdiff compares runs");
}

static Expected<int> openMerged(ArrayRef<std::string> Inputs) {
  Expected<std::vector<std::string>> Paths = expandFolders(Inputs);
  if (!Paths)
    return Paths.takeError();
  MergeOptions Options;
  Options.Kind = MergeKind::Sums;
  Options.TemporaryFolder = temporaryFolder();
  Options.OnProgress = showProgress();
  Expected<int> Fd = openTemporary(Options.TemporaryFolder);
  if (!Fd)
    return Fd.takeError();
  FdSink Out(*Fd, "a temporary file in " + Options.TemporaryFolder);
  Expected<MergeResult> Result = mergeTraces(*Paths, Out, Options);
  if (!Result) {
    close(*Fd);
    return Result.takeError();
  }
  for (const std::string &Problem : Result->Unread)
    warn(Problem + "; left out");
  explainRuns(*Result);
  // A reader of a stream begins where the descriptor stands.
  lseek(*Fd, 0, SEEK_SET);
  return Fd;
}

static Expected<std::optional<int>> openJob(StringRef Path) {
  if (!Listed.Paths.empty() && Path == Listed.Name)
    return openMerged(Listed.Paths);
  if (isFolder(Path))
    return openMerged({Path.str()});
  return std::nullopt;
}

void acceptFolders() { setJobOpener(openJob); }

Expected<std::string> chooseTraces(ArrayRef<std::string> Given) {
  if (Given.size() < 2) {
    std::string Input = Given.empty() ? "" : Given.front();
    if (Error E = chooseTrace(Input))
      return std::move(E);
    return Input;
  }
  if (Error E = checkNoStdin(Given))
    return std::move(E);
  Listed.Paths = Given.vec();
  Listed.Name = (Given.front() + " and " + Twine(Given.size() - 1) +
                 (Given.size() == 2 ? " other trace" : " other traces"))
                    .str();
  return Listed.Name;
}

std::string shellWords(StringRef Path) {
  if (Listed.Paths.empty() || Path != Listed.Name)
    return shellWord(Path);
  return join(map_range(Listed.Paths,
                        [](const std::string &One) { return shellWord(One); }),
              " ");
}

} // namespace memkit
