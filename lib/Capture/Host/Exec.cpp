// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of exec and posix_spawn.
//
// The hooks add the recorder's variables to the environment of the new program,
// unless the variables would harm the program, and report the program's path to
// the recorder, for programs that cannot greet.
//
// A hook may run in a child of vfork, on its parent's memory. So the hooks
// allocate nothing, and the records carry the pid of the calling process.

#include "Exec.h"
#include "ChildEnvironment.h"
#include "ExecTarget.h"
#include "Real.h"
#include "Runtime/ReadMemory.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <spawn.h>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;

namespace {
struct RealExec {
  int (*Execve)(const char *, char *const *, char *const *);
  int (*Execvpe)(const char *, char *const *, char *const *);
  int (*Fexecve)(int, char *const *, char *const *);
  int (*Execveat)(int, const char *, char *const *, char *const *, int);
  int (*Spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
               const posix_spawnattr_t *, char *const *, char *const *);
  decltype(Spawn) Spawnp;
};
} // namespace

static RealExec RealFns;

void capture::prepareExec() {
  auto Find = [](auto &Fn, const char *Name) {
    if (!Fn)
      Fn = reinterpret_cast<std::remove_reference_t<decltype(Fn)>>(
          nextSymbol(Name));
  };
  Find(RealFns.Execve, "execve");
  Find(RealFns.Execvpe, "execvpe");
  Find(RealFns.Fexecve, "fexecve");
  Find(RealFns.Execveat, "execveat");
  Find(RealFns.Spawn, "posix_spawn");
  Find(RealFns.Spawnp, "posix_spawnp");
}

static const RealExec &realExec() {
  if (!RealFns.Spawnp)
    prepareExec();
  return RealFns;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

template <class R> static void write(ThreadState &T, const R &What) {
  if (hasRoom(T))
    T.Ring.write(What);
}

/// Fills the next slot and returns its number.
static uint32_t fillSlot(const char *Path) {
  wire::Control &C = *Proc.Ctl;
  uint32_t Number = C.NextExec.fetch_add(1, std::memory_order_relaxed);
  wire::ExecSlot &S = C.Execs[Number % wire::NumExecSlots];
  S.Sequence.fetch_add(1, std::memory_order_acq_rel); // odd: being written
  S.Pid = sys::getpid();
  size_t N = strnlen(Path, sizeof(S.Path) - 1);
  memcpy(S.Path, Path, N);
  S.Path[N] = 0;
  S.Sequence.fetch_add(1, std::memory_order_release);
  return Number % wire::NumExecSlots;
}

/// Records that this process executes \p Target, calls \p Call, and records the
/// failure if \p Call returns.
template <typename Fn>
static int recordExec(const ExecTarget &Target, char *const *Env, Fn Call) {
  ThreadState *T = recordingThread();
  uint32_t Slot = 0;
  if (T) {
    Slot = fillSlot(Target.Path);
    write(*T, wire::ExecRecord{Slot, sys::getpid()});
  }
  int Result = withChildEnvironment(Env, Target.Preloadable, Call);
  T = T ? recordingThread() : nullptr;
  if (T)
    write(*T, wire::ExecFailedRecord{Slot, sys::getpid()});
  return Result;
}

static int execPath(const char *Path, char *const *Argv, char *const *Env) {
  return recordExec(ExecTarget::ofPath(Path), Env, [&](char *const *New) {
    return realExec().Execve(Path, Argv, New);
  });
}

static int execSearch(const char *File, char *const *Argv, char *const *Env) {
  return recordExec(ExecTarget::ofSearch(File), Env, [&](char *const *New) {
    return realExec().Execvpe(File, Argv, New);
  });
}

//===----------------------------------------------------------------------===//
// exec
//===----------------------------------------------------------------------===//

MEMKIT_EXPORT int execve(const char *Path, char *const *Argv,
                         char *const *Env) {
  return execPath(Path, Argv, Env);
}
MEMKIT_EXPORT int execv(const char *Path, char *const *Argv) {
  return execPath(Path, Argv, environ);
}
MEMKIT_EXPORT int execvp(const char *File, char *const *Argv) {
  return execSearch(File, Argv, environ);
}
MEMKIT_EXPORT int execvpe(const char *File, char *const *Argv,
                          char *const *Env) {
  return execSearch(File, Argv, Env);
}

MEMKIT_EXPORT int fexecve(int Fd, char *const *Argv, char *const *Env) {
  return recordExec(ExecTarget::ofFile(Fd), Env, [&](char *const *New) {
    return realExec().Fexecve(Fd, Argv, New);
  });
}

MEMKIT_EXPORT int execveat(int Folder, const char *Path, char *const *Argv,
                           char *const *Env, int Flags) {
  // For no path, and one without memory, the kernel returns EFAULT.
  bool IsEmpty = isMapped(Path) && !*Path;
  ExecTarget Target =
      !IsEmpty ? ExecTarget::ofPath(Path, Folder) : ExecTarget::ofFile(Folder);
  return recordExec(Target, Env, [&](char *const *New) {
    if (auto *Fn = realExec().Execveat)
      return Fn(Folder, Path, Argv, New, Flags);
    long Result = sys::forward(SYS_execveat, Folder, long(Path), long(Argv),
                               long(New), Flags);
    errno = int(-Result);
    return -1;
  });
}

/// The variable arguments of an execl, from the first to the null.
#define MEMKIT_COLLECT(First)                                                  \
  va_list List;                                                                \
  va_start(List, First);                                                       \
  size_t Count = 1;                                                            \
  for (const char *A = First; A; ++Count)                                      \
    A = va_arg(List, const char *);                                            \
  va_end(List);                                                                \
  auto **Argv = static_cast<const char **>(alloca(Count * sizeof(char *)));    \
  va_start(List, First);                                                       \
  Argv[0] = First;                                                             \
  for (size_t I = 1; I < Count && Argv[I - 1]; ++I)                            \
    Argv[I] = va_arg(List, const char *);

MEMKIT_EXPORT int execl(const char *Path, const char *First, ...) {
  MEMKIT_COLLECT(First)
  va_end(List);
  return execPath(Path, const_cast<char **>(Argv), environ);
}

MEMKIT_EXPORT int execlp(const char *File, const char *First, ...) {
  MEMKIT_COLLECT(First)
  va_end(List);
  return execSearch(File, const_cast<char **>(Argv), environ);
}

MEMKIT_EXPORT int execle(const char *Path, const char *First, ...) {
  MEMKIT_COLLECT(First)
  auto *Env = va_arg(List, char *const *);
  va_end(List);
  return execPath(Path, const_cast<char **>(Argv), Env);
}

//===----------------------------------------------------------------------===//
// posix_spawn
//===----------------------------------------------------------------------===//

static int spawn(decltype(RealExec::Spawn) Fn, const ExecTarget &Target,
                 pid_t *Pid, const char *Path,
                 const posix_spawn_file_actions_t *Actions,
                 const posix_spawnattr_t *Attributes, char *const *Argv,
                 char *const *Env) {
  ThreadState *T = recordingThread();
  uint32_t Slot = T ? fillSlot(Target.Path) : 0;
  pid_t Mine = 0;
  int Error =
      withChildEnvironment(Env, Target.Preloadable, [&](char *const *New) {
        return Fn(&Mine, Path, Actions, Attributes, Argv, New);
      });
  if (Error == 0 && Pid)
    *Pid = Mine;
  T = T ? recordingThread() : nullptr;
  if (T && Error == 0)
    write(*T, wire::SpawnedRecord{uint64_t(Mine), Slot});
  return Error;
}

MEMKIT_EXPORT int posix_spawn(pid_t *Pid, const char *Path,
                              const posix_spawn_file_actions_t *Actions,
                              const posix_spawnattr_t *Attributes,
                              char *const *Argv, char *const *Env) {
  return spawn(realExec().Spawn, ExecTarget::ofPath(Path), Pid, Path, Actions,
               Attributes, Argv, Env);
}

MEMKIT_EXPORT int posix_spawnp(pid_t *Pid, const char *File,
                               const posix_spawn_file_actions_t *Actions,
                               const posix_spawnattr_t *Attributes,
                               char *const *Argv, char *const *Env) {
  return spawn(realExec().Spawnp, ExecTarget::ofSearch(File), Pid, File,
               Actions, Attributes, Argv, Env);
}
