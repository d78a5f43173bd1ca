// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of _exit and its variants.
//
// The hooks and a handler for exit record the exit status, which is otherwise
// unknown for a process that is not the recorder's child.

#include "Exec.h"
#include "Real.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"

#include <cstdlib>
#include <unistd.h>
#include <x86intrin.h>

using namespace memkit;
using namespace memkit::capture;

/// Ignores a child of vfork, whose exit does not end its parent, and a child of
/// fork without any record, which is no process of the trace.
static void noteExit(int Status) {
  if (!Proc.Epoch.load(std::memory_order_acquire) || Proc.Pid != sys::getpid())
    return;
  Proc.Ctl->ExitStatus.store(Status & 0xff, std::memory_order_relaxed);
  Proc.Ctl->ExitTsc.store(__rdtsc(), std::memory_order_relaxed);
  Proc.Ctl->HasExitStatus.store(1, std::memory_order_release);
}

using ExitFn = void(int);
static ExitFn *Real_exit, *Real_Exit, *RealQuickExit;

/// Finds the functions in advance: in a child of fork, the loader's lock may be
/// held by a thread that the child lacks.
void capture::prepareExit() {
  auto Find = [](ExitFn *&Fn, const char *Name) {
    Fn = reinterpret_cast<ExitFn *>(nextSymbol(Name));
  };
  Find(Real_exit, "_exit");
  Find(Real_Exit, "_Exit");
  Find(RealQuickExit, "quick_exit");
  on_exit([](int Status, void *) { noteExit(Status); }, nullptr);
}

[[noreturn]] static void leave(int Status, ExitFn *Fn) {
  noteExit(Status);
  if (Fn)
    Fn(Status);
  for (;;)
    sys::call(SYS_exit_group, Status);
}

MEMKIT_EXPORT void _exit(int Status) { leave(Status, Real_exit); }
MEMKIT_EXPORT void _Exit(int Status) noexcept { leave(Status, Real_Exit); }

MEMKIT_EXPORT void quick_exit(int Status) noexcept {
  if (!RealQuickExit) // not recorded: only forward
    RealQuickExit = reinterpret_cast<ExitFn *>(nextSymbol("quick_exit"));
  leave(Status, RealQuickExit);
}
