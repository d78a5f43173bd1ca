// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of traces as an input.

#include "FolderInput.h"
#include "Cli/Progress.h"
#include "Cli/ToolMain.h"
#include "Cli/TraceFolder.h"
#include "Merge.h"
#include "Support/Failure.h"
#include "Trace/OpenFile.h"
#include <unistd.h>

using namespace llvm;

namespace memkit {

static Expected<int> openFolder(StringRef Folder) {
  Expected<std::vector<std::string>> Paths = expandFolders({Folder.str()});
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
  // A reader of a stream begins where the descriptor stands.
  lseek(*Fd, 0, SEEK_SET);
  return Fd;
}

void acceptFolders() { setFolderOpener(openFolder); }

} // namespace memkit
