// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folders whose traces a client may ask about.

#include "Agents/Folders.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <sys/stat.h>

using namespace llvm;
using namespace memkit;

Expected<Folders> Folders::create(ArrayRef<std::string> Names) {
  Folders F;
  for (const std::string &Name : Names) {
    SmallString<256> Path;
    if (std::error_code Code = sys::fs::real_path(Name, Path))
      return makeError(Name + ": " + Code.message());
    if (!sys::fs::is_directory(Path))
      return makeError(Name + ": not a folder");
    F.Real.push_back(Path.str().str());
  }
  return F;
}

/// Whether Path is Folder, or lies below.
static bool isBelow(StringRef Path, StringRef Folder) {
  return Path.consume_front(Folder) &&
         (Path.empty() || Path.starts_with("/") || Folder.ends_with("/"));
}

Expected<std::string> Folders::resolve(StringRef Path) const {
  StringRef Number = Path;
  if (Number.consume_front("live:") && all_of(Number, isDigit))
    return Path.str();
  if (Path.empty() || Path.contains('\0'))
    return makeError("the path is empty");
  SmallString<256> Found;
  std::error_code Code = sys::fs::real_path(wholePath(Path), Found);
  if (!Code && isAllowed(Found))
    return Found.str().str();
  // A client must not learn which files exist elsewhere.
  return makeError(oneLine(Path) +
                   ": no file below the folders that memmcp was given");
}

bool Folders::isAllowed(StringRef RealPath) const {
  return any_of(Real, [&](StringRef F) { return isBelow(RealPath, F); });
}

SmallString<256> Folders::wholePath(StringRef Path) const {
  SmallString<256> Whole(Path);
  if (!sys::path::is_absolute(Path)) {
    Whole = Real.front();
    sys::path::append(Whole, Path);
  }
  return Whole;
}

Expected<std::string> Folders::resolveNew(StringRef Path) const {
  StringRef Name = sys::path::filename(Path);
  if (Path.contains('\0') || !Name.ends_with(".fb") || Name == ".fb")
    return makeError("the name of a trace to write ends in .fb");
  SmallString<256> Found, Whole = wholePath(Path);
  std::error_code Code =
      sys::fs::real_path(sys::path::parent_path(Whole), Found);
  if (Code || !isAllowed(Found))
    return makeError(oneLine(Path) +
                     ": not in the folders that memmcp was given");
  sys::path::append(Found, Name);
  // Also a link that leads nowhere is there.
  struct stat St;
  if (lstat(Found.c_str(), &St) == 0 || errno != ENOENT)
    return makeError(oneLine(Path) + ": there is a file of this name");
  return Found.str().str();
}
