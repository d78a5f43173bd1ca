// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an output goes, in folders that other users may write to.

#include "OutputPath.h"
#include "CommandText.h"
#include "Failure.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

bool OutputPlace::isForeign() const { return Old && Old->st_uid != geteuid(); }

static std::string folderOf(StringRef Path) {
  StringRef Folder = sys::path::parent_path(Path);
  return Folder.empty() ? "." : Folder.str();
}

/// Whether another user may have put Of into the folder, against the wishes of
/// the folder's owner. As the kernel's fs.protected_symlinks, also where the
/// folder is not sticky.
static bool isPlanted(const struct stat &Of, const std::string &Folder) {
  struct stat In;
  if (Of.st_uid == geteuid() || stat(Folder.c_str(), &In) != 0)
    return false;
  return (In.st_mode & (S_IWGRP | S_IWOTH)) && Of.st_uid != In.st_uid;
}

Expected<OutputPlace> placeOfOutput(StringRef Path) {
  constexpr unsigned MaxLinks = 40; // the kernel's limit
  OutputPlace To;
  To.Path = Path.str();
  for (unsigned Links = 0; Links != MaxLinks; ++Links) {
    // The link that is judged is the link that is read.
    int Fd = open(To.Path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (Fd < 0 && errno == ENOENT)
      return To;
    if (Fd < 0)
      return makeError(oneLine(Path) + ": " + std::strerror(errno));
    auto Close = make_scope_exit([=] { close(Fd); });
    struct stat St;
    if (fstat(Fd, &St) != 0)
      return makeError(oneLine(Path) + ": " + std::strerror(errno));
    bool IsLink = S_ISLNK(St.st_mode);
    if ((IsLink || S_ISFIFO(St.st_mode)) && isPlanted(St, folderOf(To.Path)))
      return makeError(oneLine(Path) + ": " + (IsLink ? "a link" : "a pipe") +
                       " of another user in a folder that others may write "
                       "to; choose another name");
    if (!IsLink) {
      To.Old = St;
      return To;
    }
    char Text[PATH_MAX];
    ssize_t Size = readlinkat(Fd, "", Text, sizeof(Text));
    if (Size < 0)
      return makeError(oneLine(Path) + ": " + std::strerror(errno));
    StringRef Next(Text, size_t(Size));
    // What a link of /proc names may have no path: a pipe, a terminal.
    struct stat Of;
    bool IsOfKernel = StringRef(To.Path).starts_with("/proc/") ||
                      StringRef(To.Path).starts_with("/dev/");
    if (IsOfKernel && stat(To.Path.c_str(), &Of) == 0 && !S_ISREG(Of.st_mode)) {
      To.Old = Of;
      return To;
    }
    To.Path = Next.starts_with("/") ? Next.str()
                                    : folderOf(To.Path) + "/" + Next.str();
  }
  return makeError(oneLine(Path) + ": " + std::strerror(ELOOP));
}

} // namespace memkit
