// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of the binaries that a program has loaded.

#include "Stacks/RecordedFiles.h"
#include "llvm/ADT/StringRef.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace memkit;

RecordedFiles::~RecordedFiles() {
  for (int Fd : Open)
    close(Fd);
}

void RecordedFiles::add(std::vector<uint8_t> BuildId,
                        std::vector<std::string> Places) {
  Binaries.push_back({std::move(BuildId), std::move(Places), {}});
}

/// Whether Path is the open file Fd: /proc may belong to another namespace of
/// process ids.
static bool isFile(const std::string &Path, int Fd) {
  struct stat Named, Opened;
  return stat(Path.c_str(), &Named) == 0 && fstat(Fd, &Opened) == 0 &&
         Named.st_dev == Opened.st_dev && Named.st_ino == Opened.st_ino;
}

/// Another path of the file at Path, which stays as long as this process; Path
/// if there is none.
std::string RecordedFiles::keepOpen(const std::string &Path) {
  int Fd =
      Open.size() < MaxOpen ? open(Path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (Fd < 0)
    return Path;
  std::string Kept =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(Fd);
  if (!isFile(Kept, Fd)) {
    close(Fd);
    return Path;
  }
  Open.push_back(Fd);
  return Kept;
}

SymbolFiles RecordedFiles::find(const RecordedBinary &B) {
  for (const std::string &Place : B.Places) {
    Expected<ElfOutline> Outline = readElfOutline(Place);
    if (!Outline) {
      consumeError(Outline.takeError());
      continue;
    }
    if (!B.BuildId.empty() && Outline->BuildId != B.BuildId)
      continue;
    SymbolFiles Files = Finder.filesOf(Place);
    if (Files.empty())
      continue;
    if (StringRef(Place).starts_with("/proc/")) {
      std::string Kept = keepOpen(Place);
      for (std::string *Path : {&Files.Debug, &Files.Symbols})
        if (*Path == Place)
          *Path = Kept;
    }
    return Files;
  }
  return {};
}

const SymbolFiles &RecordedFiles::of(uint32_t Binary) {
  RecordedBinary &B = Binaries[Binary];
  if (!B.Places.empty()) {
    B.Files = find(B);
    B.Places.clear();
  }
  return B.Files;
}
