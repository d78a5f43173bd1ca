// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces on a command line, folders of traces among them.

#include "TraceFolder.h"
#include "Support/Failure.h"
#include "ToolMain.h"
#include "memkit/Model/Merged.h"
#include "memkit/Model/Trace.h"
#include "memkit/Trace/ReadHeader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <map>
#include <set>

using namespace llvm;

namespace memkit {

bool isFolder(StringRef Path) { return sys::fs::is_directory(Path); }

Error checkNoStdin(ArrayRef<std::string> Inputs) {
  return is_contained(Inputs, "-")
             ? makeUsageError("a trace from standard input can be read only "
                              "once: write it to a file first")
             : Error::success();
}

static Error addFolder(const std::string &Folder,
                       std::vector<std::string> &Out) {
  size_t Before = Out.size();
  std::error_code Problem;
  sys::fs::recursive_directory_iterator At(Folder, Problem,
                                           /*follow_symlinks=*/false),
      End;
  for (; !Problem && At != End; At.increment(Problem))
    if (StringRef(At->path()).ends_with(".fb") &&
        At->type() != sys::fs::file_type::directory_file)
      Out.push_back(At->path());
  if (Problem)
    return makeError(Folder + ": " + Problem.message());
  if (Out.size() == Before)
    return makeError(Folder + ": no traces (*.fb) in this folder");
  std::sort(Out.begin() + std::ptrdiff_t(Before), Out.end());
  return Error::success();
}

/// A file that is named twice would count twice.
static void dropRepeated(std::vector<std::string> &Paths) {
  std::set<sys::fs::UniqueID> Seen;
  erase_if(Paths, [&](const std::string &Path) {
    sys::fs::UniqueID Id;
    return !sys::fs::getUniqueID(Path, Id) && !Seen.insert(Id).second;
  });
}

/// Drops merged traces beside their parts, which would count twice, as when
/// `run/job.fb` is made of `run/` again. A merged trace has the start and the
/// command of its first part, and its host unless it has several; imported ones
/// may have no start.
static void dropMerged(std::vector<std::string> &Paths) {
  std::vector<Header> Parts;
  std::map<std::string, Header> Merged;
  for (const std::string &Path : Paths) {
    std::optional<Header> H = readHeader(Path);
    if (H && numMerged(*H))
      Merged[Path] = *H;
    else if (H && H->Start.RealtimeNs)
      Parts.push_back(*H);
  }
  auto IsPart = [](const Header &Of, const Header &Whole) {
    return Of.Start == Whole.Start && Of.Command == Whole.Command &&
           (Whole.Host.empty() || Of.Host == Whole.Host);
  };
  erase_if(Paths, [&](const std::string &Path) {
    auto At = Merged.find(Path);
    if (At == Merged.end() || none_of(Parts, [&](const Header &Of) {
          return IsPart(Of, At->second);
        }))
      return false;
    warn(Path + ": was merged from traces that are given, too; left out");
    return true;
  });
}

Error checkNoInput(StringRef Output, ArrayRef<std::string> Inputs) {
  sys::fs::UniqueID Id, Of;
  if (Output == "-" || sys::fs::getUniqueID(Output, Id))
    return Error::success();
  return any_of(Inputs,
                [&](const std::string &Path) {
                  return !sys::fs::getUniqueID(Path, Of) && Id == Of &&
                         sys::fs::is_regular_file(Path);
                })
             ? makeError(Output + ": is an input, too; name another file")
             : Error::success();
}

Expected<std::vector<std::string>> expandFolders(ArrayRef<std::string> Inputs) {
  std::vector<std::string> Out;
  for (const std::string &Input : Inputs)
    if (!isFolder(Input))
      Out.push_back(Input);
    else if (Error E = addFolder(Input, Out))
      return std::move(E);
  dropRepeated(Out);
  if (Out.size() > 1)
    dropMerged(Out);
  return Out;
}

void warnOfDamage(const Trace &T) {
  constexpr uint64_t MaxNs = 100'000'000;
  if (Error E = T.reader().checkEvents(MaxNs))
    warn("damaged: " + toString(std::move(E)) +
         "; what follows is from the summary; memdump --check reads all");
}

} // namespace memkit
