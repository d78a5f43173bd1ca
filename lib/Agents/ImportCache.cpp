// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of other tools' recordings, in memory.

#include "Agents/ImportCache.h"
#include "Support/Failure.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

ImportCache::~ImportCache() {
  drop();
  for (const ImportedTrace &T : All)
    close(T.Fd);
}

bool ImportCache::stateOf(StringRef Path, RecordingState &To) {
  struct stat St;
  if (stat(Path.str().c_str(), &St) != 0 || !S_ISREG(St.st_mode))
    return false;
  constexpr uint64_t NsPerSecond = 1'000'000'000;
  To = {St.st_dev, St.st_ino, uint64_t(St.st_size),
        uint64_t(St.st_mtim.tv_sec) * NsPerSecond +
            uint64_t(St.st_mtim.tv_nsec)};
  return true;
}

std::string ImportCache::find(StringRef Path) const {
  RecordingState Now;
  for (const ImportedTrace &T : All)
    if (T.Path == Path && stateOf(Path, Now) && Now == T.Of)
      return "/proc/" + std::to_string(getpid()) + "/fd/" +
             std::to_string(T.Fd);
  return "";
}

Expected<int> ImportCache::begin(StringRef Path) {
  drop();
  ImportedTrace T{Path.str(), {}, -1};
  if (!stateOf(Path, T.Of))
    return makeError(Path + ": no file");
  T.Fd = memfd_create("memmcp-import", MFD_CLOEXEC);
  if (T.Fd < 0)
    return makeError(Path + ": a file in memory: " + std::strerror(errno));
  Begun = std::move(T);
  return Begun.Fd;
}

void ImportCache::keep() {
  if (All.size() == MaxTraces) {
    close(All.front().Fd);
    All.pop_front();
  }
  All.push_back(std::exchange(Begun, {}));
}

void ImportCache::drop() {
  if (Begun.Fd >= 0)
    close(Begun.Fd);
  Begun = {};
}
