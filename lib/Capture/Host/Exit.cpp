// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of _exit and its variants.
//
// The hooks and a handler for exit record the exit status, which is otherwise
// unknown for a process that is not the recorder's child. An exit waits for a
// last sample of the resident memory if the recorder wants the sample.

#include "AllocatorReport.h"
#include "Exec.h"
#include "Real.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <unistd.h>
#include <x86intrin.h>

using namespace memkit;
using namespace memkit::capture;

/// Waits once, as long as the recorder has said. The recorder sees the page of
/// the process, so no record, lock or memory is needed, and a signal handler
/// may exit, too.
static void waitForSample(wire::Control &C) {
  constexpr uint32_t MaxUs = 2000000;
  uint64_t Us = std::min(C.EndWaitUs.load(std::memory_order_relaxed), MaxUs);
  if (!Us || C.EndWaits.exchange(1, std::memory_order_release) ||
      C.Detached.load(std::memory_order_relaxed))
    return;
  uint64_t End = sys::clockNs(CLOCK_MONOTONIC) + Us * 1000;
  while (!C.EndSampled.load(std::memory_order_acquire) && !recorderGone(C)) {
    uint64_t Now = sys::clockNs(CLOCK_MONOTONIC);
    if (Now >= End)
      return;
    // Looks for the recorder's death each 20 ms.
    timespec T = {0, long(std::min<uint64_t>(End - Now, 20000000))};
    sys::call(SYS_futex, long(&C.EndSampled), FUTEX_WAIT, 0, long(&T));
  }
}

/// False for a child of vfork, whose exit does not end its parent, and for a
/// child of fork without any record, which is no process of the trace.
static bool isRecorded() {
  return Proc.Epoch.load(std::memory_order_acquire) &&
         Proc.Pid == sys::getpid();
}

/// VmHWM of /proc/self/status in bytes; 0: not known. An exit may have little
/// stack, and a sandbox may kill who opens a file.
static uint64_t highestResident() {
  static char Text[4096];
  static std::atomic<uint32_t> Busy;
  constexpr char Key[] = "\nVmHWM:";
  // A sandbox that forbids close, as for a greeting, counts as one, too.
  if (Kept.IsSandboxed || sys::isForbidden(SYS_openat) ||
      sys::isForbidden(SYS_read) || Busy.exchange(1, std::memory_order_acquire))
    return 0;
  long Fd = sys::call(SYS_openat, AT_FDCWD, long("/proc/self/status"),
                      O_RDONLY | O_CLOEXEC);
  long Size =
      sys::failed(Fd) ? 0 : sys::call(SYS_read, Fd, long(Text), sizeof(Text));
  if (!sys::failed(Fd))
    sys::close(int(Fd));
  uint64_t Kilobytes = 0;
  if (!sys::failed(Size))
    if (auto *At = static_cast<const char *>(
            memmem(Text, size_t(Size), Key, sizeof(Key) - 1)))
      for (At += sizeof(Key) - 1; At != Text + Size && *At != 'k'; ++At)
        if (*At >= '0' && *At <= '9')
          Kilobytes = Kilobytes * 10 + uint64_t(*At - '0');
  Busy.store(0, std::memory_order_release);
  return Kilobytes << 10;
}

static void noteExit(int Status) {
  if (!isRecorded())
    return;
  Proc.Ctl->HighestResident.store(highestResident(), std::memory_order_relaxed);
  Proc.Ctl->ExitStatus.store(Status & 0xff, std::memory_order_relaxed);
  Proc.Ctl->ExitTsc.store(__rdtsc(), std::memory_order_relaxed);
  Proc.Ctl->HasExitStatus.store(1, std::memory_order_release);
  waitForSample(*Proc.Ctl);
}

/// Only for handlers of exit: _exit may be called where malloc must not be.
static void reportAllocator() {
  if (!isRecorded() || !Proc.Ctl->AllocatorWanted ||
      Proc.Ctl->Detached.load(std::memory_order_relaxed) ||
      recorderGone(*Proc.Ctl))
    return;
  askAllocator(Proc.Ctl->Allocator);
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
  auto AtExit = [](int Status, void *) {
    reportAllocator();
    noteExit(Status);
  };
  on_exit(AtExit, nullptr);
}

[[noreturn]] static void leave(int Status, ExitFn *Fn) {
  noteExit(Status);
  if (Fn)
    Fn(Status);
  for (;;)
    sys::forward(SYS_exit_group, Status);
}

MEMKIT_EXPORT void _exit(int Status) { leave(Status, Real_exit); }
MEMKIT_EXPORT void _Exit(int Status) noexcept { leave(Status, Real_Exit); }

MEMKIT_EXPORT void quick_exit(int Status) noexcept {
  if (!RealQuickExit) // not recorded: only forward
    RealQuickExit = reinterpret_cast<ExitFn *>(nextSymbol("quick_exit"));
  leave(Status, RealQuickExit);
}
