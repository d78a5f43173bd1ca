// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays what a program asked of malloc, with each allocator.

#include "HostRun.h"
#include "Cli/ToolMain.h"
#include "Record/Shared/MemoryGroup.h"
#include "Support/Failure.h"
#include "memkit/Support/Format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <sys/sysinfo.h>

using namespace llvm;
using namespace memkit;

/// memkit-replay lies at a path relative to this program, as libmemrec.so does.
static std::string findReplayProgram(const char *Argv0) {
  StringRef Prefix;
  std::string Self = sys::fs::getMainExecutable(
      Argv0, reinterpret_cast<void *>(&findReplayProgram));
  Prefix = sys::path::parent_path(sys::path::parent_path(Self));
  SmallString<128> Path;
  for (const char *Folder : {"lib", "lib/x86_64-linux-gnu", "lib64"}) {
    Path = Prefix;
    sys::path::append(Path, Folder, "memkit/memkit-replay");
    if (sys::fs::exists(Path))
      break;
  }
  return std::string(Path);
}

/// Half of the memory that this process may have.
static uint64_t halfOfMemory() {
  struct sysinfo S = {};
  uint64_t Bytes =
      sysinfo(&S) == 0 ? uint64_t(S.totalram) * S.mem_unit : uint64_t(1) << 30;
  if (uint64_t Limit = MemoryGroup::own().limit())
    Bytes = std::min(Bytes, Limit);
  return Bytes / 2;
}

Expected<bool> memkit::runHost(const Trace &T, const Selection &Sel,
                               const HostRequest &R,
                               function_ref<Error(const HostView &)> Write) {
  HostReplayLimits Limits = {findReplayProgram(R.Argv0), halfOfMemory(),
                             R.StuckNs};
  Expected<std::vector<HostAllocator>> Allocators =
      chooseHostAllocators(T, R.With, Limits);
  if (!Allocators)
    return Allocators.takeError();
  Expected<HostTarget> Target = findHostTarget(T, Sel, R.Scale);
  if (!Target)
    return Target.takeError();
  if (Target->PeakBytes > Limits.MaxResidentBytes)
    return makeError(
        T.name() + ": a replay needs " + formatSize(Target->PeakBytes) +
        " at least, and may take " + formatSize(Limits.MaxResidentBytes) +
        ", half of the memory of this machine: --scale=N replays one block in "
        "N");
  std::vector<HostResult> Results;
  bool IsDone = true;
  for (const HostAllocator &A : *Allocators) {
    Expected<HostResult> Of = replayHost(T, *Target, A, Limits);
    if (!Of)
      return Of.takeError();
    IsDone &= Of->Failure.empty();
    Results.push_back(std::move(*Of));
  }
  if (Error E = Write({T, *Target, *Allocators, Results}))
    return std::move(E);
  return IsDone;
}
