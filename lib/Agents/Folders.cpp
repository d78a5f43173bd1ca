// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folders whose traces a client may ask about.

#include "Folders.h"
#include "Support/CommandText.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

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
  SmallString<256> Whole(Path), Found;
  if (!sys::path::is_absolute(Path)) {
    Whole = Real.front();
    sys::path::append(Whole, Path);
  }
  std::error_code Code = sys::fs::real_path(Whole, Found);
  bool IsAllowed =
      !Code && any_of(Real, [&](StringRef F) { return isBelow(Found, F); });
  if (IsAllowed)
    return Found.str().str();
  // A client must not learn which files exist elsewhere.
  return makeError(oneLine(Path) +
                   ": no file below the folders that memmcp was given");
}
