// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that exec or posix_spawn is about to run.

#include "ExecTarget.h"
#include "ProgramFile.h"
#include "Runtime/Process.h"
#include "Runtime/ReadMemory.h"
#include "Runtime/Syscall.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;

void ExecTarget::setPath(const char *From) {
  size_t N = strnlen(From, sizeof(Path) - 1);
  memcpy(Path, From, N);
  Path[N] = 0;
}

namespace {
/// The name of an open file in /proc.
struct ProcLink {
  char Text[32] = "/proc/self/fd/";
  explicit ProcLink(int Fd) {
    char Digits[12], *At = Text + strlen(Text);
    int N = 0;
    for (unsigned F = unsigned(Fd); N == 0 || F; F /= 10)
      Digits[N++] = char('0' + F % 10);
    while (N)
      *At++ = Digits[--N];
    *At = 0;
  }
};
} // namespace

/// A program in another root finds no library there, and its loader would
/// complain about that.
static bool isLibraryThere() {
  return !*Kept.preloadPath() ||
         sys::call(SYS_faccessat, AT_FDCWD, long(Kept.preloadPath()), R_OK,
                   0) != -ENOENT;
}

/// Examines the file and closes it. Makes a relative path absolute, because the
/// recorder is in another folder.
void ExecTarget::examine(int Fd) {
  if (Fd < 0)
    return;
  Preloadable = mayBePreloaded(Fd) && isLibraryThere();
  if (Path[0] != '/') {
    long Got = sys::readlink(ProcLink(Fd).Text, Path, sizeof(Path) - 1);
    if (Got > 0)
      Path[Got] = 0;
  }
  sys::close(Fd);
}

void ExecTarget::take(int Folder, const char *From) {
  bool HasPath;
  int Fd = openToExamine(Folder, From, HasPath);
  if (HasPath && From != Path)
    setPath(From);
  examine(Fd);
}

ExecTarget ExecTarget::ofPath(const char *Path, int Folder) {
  ExecTarget T;
  T.setPath("");
  T.take(Folder, Path);
  return T;
}

ExecTarget ExecTarget::ofFile(int Fd) {
  // Opens the file again: \p Fd may be open for execution only.
  ExecTarget T;
  T.setPath("");
  bool HasPath;
  T.examine(openToExamine(AT_FDCWD, ProcLink(Fd).Text, HasPath));
  return T;
}

static const char *searchPath() {
  for (char **E = environ; E && *E; ++E)
    if (strncmp(*E, "PATH=", 5) == 0)
      return *E + 5;
  return "/bin:/usr/bin"; // libc's default
}

/// Is \p Path a regular file that this process may execute?
static bool isProgram(const char *Path) {
  struct stat St;
  return !sys::failed(
             sys::call(SYS_faccessat, AT_FDCWD, long(Path), X_OK, 0)) &&
         !sys::failed(
             sys::call(SYS_newfstatat, AT_FDCWD, long(Path), long(&St), 0)) &&
         S_ISREG(St.st_mode);
}

ExecTarget ExecTarget::ofSearch(const char *File) {
  if (!isMapped(File) || !*File || strchr(File, '/'))
    return ofPath(File);
  ExecTarget T;
  size_t FileSize = strlen(File) + 1;
  for (const char *P = searchPath();; ++P) {
    size_t N = strcspn(P, ":");
    // In a longer path nothing is looked for: the stack may be small.
    if (N + 1 + FileSize <= sizeof(T.Path)) {
      char *At = T.Path;
      memcpy(At, P, N);
      At += N;
      if (N) // an empty entry is the current folder
        *At++ = '/';
      memcpy(At, File, FileSize);
      if (isProgram(T.Path)) {
        T.take(AT_FDCWD, T.Path);
        return T;
      }
    }
    P += N;
    if (!*P)
      break;
  }
  T.setPath(File);
  return T;
}
