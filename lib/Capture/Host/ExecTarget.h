// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that exec or posix_spawn is about to run.
//
// Finds the program's path, for the recorder, and whether the program may be
// preloaded. Allocates nothing, leaves errno alone and no descriptor open; may
// run in a child of vfork, and on a small stack (2 KiB).

#ifndef MEMKIT_CAPTURE_HOST_EXECTARGET_H
#define MEMKIT_CAPTURE_HOST_EXECTARGET_H

#include "Wire/Layout.h"

#include <fcntl.h>

namespace memkit::capture {

struct ExecTarget {
  /// As given; made absolute if possible. Cut to the room.
  char Path[sizeof(wire::ExecSlot::Path)];
  /// False: the library would break the program, or cannot be loaded into the
  /// program (ProgramFile.h), or is not there in this process's root. True also
  /// if the file cannot be examined.
  bool Preloadable = true;

  /// The target of execve, relative to \p Folder as in openat. A pointer to no
  /// memory is an empty path: the kernel reports the pointer.
  static ExecTarget ofPath(const char *Path, int Folder = AT_FDCWD);
  /// The target of execvp: a name without a slash is searched in this process's
  /// PATH.
  static ExecTarget ofSearch(const char *File);
  /// The target of fexecve: an open file.
  static ExecTarget ofFile(int Fd);

private:
  ExecTarget() = default;
  void setPath(const char *From);
  void take(int Folder, const char *From);
  void examine(int Fd);
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_HOST_EXECTARGET_H
