// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exec and posix_spawn are to run.
//
// What the exec functions and posix_spawn are about to run: its path, for the
// recorder, and whether it may be preloaded. Nothing here allocates, sets errno
// or leaves a descriptor open; it may run in a child of vfork.

#ifndef MEMKIT_CAPTURE_HOST_EXECTARGET_H
#define MEMKIT_CAPTURE_HOST_EXECTARGET_H

#include "Wire/Layout.h"

#include <fcntl.h>

namespace memkit::capture {

struct ExecTarget {
  /// As given; absolute where that could be found out. Cut to what fits.
  char Path[sizeof(wire::ExecSlot::Path)];
  /// False: it is linked with a sanitizer's runtime. True too when it cannot be
  /// examined.
  bool Preloadable = true;

  /// Of execve, relative to \p Folder as in openat. Null is an empty path.
  static ExecTarget ofPath(const char *Path, int Folder = AT_FDCWD);
  /// Of execvp: a name without a slash is looked for in this process's PATH.
  static ExecTarget ofSearch(const char *File);
  /// Of fexecve: an open file.
  static ExecTarget ofFile(int Fd);

private:
  ExecTarget() = default;
  void setPath(const char *From);
  void examine(int Fd);
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_EXECTARGET_H
