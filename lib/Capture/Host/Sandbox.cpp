// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks of the calls by which a program gives up system calls.
//
// A sandbox kills a program for a call that the program does not make itself.
// Before a seccomp filter begins, the hooks ask the filter about every call of
// this library: the library never makes a call that is killed, and recording
// ends before the filter begins if recording needs the call. Strict mode also
// forbids reading the clock (rdtsc), as PR_SET_TSC does.

#include "Sandbox.h"

#include "Runtime/Hook.h"
#include "Runtime/ReadMemory.h"
#include "Runtime/Recording.h"
#include "Runtime/Symbols.h"
#include "SeccompFilter.h"
#include "Wire/LibraryCalls.h"

#include <cerrno>
#include <cstdarg>
#include <iterator>
#include <sys/prctl.h>
#include <unistd.h>

using namespace memkit;
using namespace memkit::capture;
using wire::LibraryCall;
using wire::LibraryCalls;
using Need = wire::CallNeed;

static bool passes(const sock_fprog &Filter, const LibraryCall &Call) {
  return passesFilter(Filter,
                      Call.data(reinterpret_cast<uintptr_t>(&passesFilter)));
}

/// Recording ends for this process. Why: a code of
/// wire::SandboxTexts.
static void endRecording(uint32_t Why) {
  if (ThreadState *T = recordingThread(); T && !recorderGone(*Proc.Ctl)) {
    uint32_t None = 0;
    Proc.Ctl->Findings[wire::FS_Sandbox].Code.compare_exchange_strong(
        None, Why, std::memory_order_release);
    if (hasRoom(*T))
      T->Ring.write(wire::MarkRecord{0, wire::MarkWhat::Off, 0});
  }
  Kept.IsSandboxed = true;
  turnOff();
}

/// Before \p Filter begins.
static void enterFilter(const sock_fprog *Filter) {
  if (!isMapped(Filter) || !isMapped(Filter->filter) ||
      !isMapped(Filter->filter + Filter->len - 1))
    return; // The kernel reports the pointer.
  const LibraryCall *Missing = nullptr;
  for (const LibraryCall &Call : LibraryCalls) {
    if (passes(*Filter, Call))
      continue;
    if (Call.For == Need::Record && !Missing)
      Missing = &Call;
    else if (Call.For == Need::Greet)
      Kept.IsSandboxed = true;
  }
  // The last records may need the calls.
  if (Missing)
    endRecording(Missing->Number + 1);
  for (const LibraryCall &Call : LibraryCalls)
    if (Call.For != Need::Greet && !passes(*Filter, Call))
      sys::forbid(Call.Number);
}

static void enterStrictMode() {
  endRecording(wire::StrictSandbox);
  for (const LibraryCall &Call : LibraryCalls)
    sys::forbid(Call.Number);
}

/// Before the system call \p Number with the arguments \p A, if it is one that
/// takes system calls or the clock away.
static void noteCall(long Number, const long *A) {
  if (Number == SYS_seccomp) {
    if (A[0] == SECCOMP_SET_MODE_FILTER)
      enterFilter(reinterpret_cast<const sock_fprog *>(A[2]));
    else if (A[0] == SECCOMP_SET_MODE_STRICT)
      enterStrictMode();
  } else if (A[0] == PR_SET_SECCOMP) {
    if (A[1] == SECCOMP_MODE_FILTER)
      enterFilter(reinterpret_cast<const sock_fprog *>(A[2]));
    else if (A[1] == SECCOMP_MODE_STRICT)
      enterStrictMode();
  } else if (A[0] == PR_SET_TSC && A[1] == PR_TSC_SIGSEGV) {
    endRecording(wire::NoClockSandbox);
  }
}

static long toErrno(long Result) {
  if (!sys::failed(Result))
    return Result;
  errno = int(-Result);
  return -1;
}

MEMKIT_EXPORT int prctl(int Option, ...) {
  va_list List;
  va_start(List, Option);
  long A[5] = {Option};
  for (size_t I = 1; I != std::size(A); ++I)
    A[I] = va_arg(List, long);
  va_end(List);
  noteCall(SYS_prctl, A);
  return int(toErrno(sys::forward(SYS_prctl, A[0], A[1], A[2], A[3], A[4])));
}

/// libc's syscall, of which libseccomp and others make the call.
extern "C" {
__attribute__((visibility("hidden"))) long (*memkitRealSyscall)(long, ...);
}

/// A call of syscall() that may take calls away, or the first one.
extern "C" __attribute__((visibility("hidden"), used)) long
memkitNoteSyscall(long Number, long A, long B, long C, long D, long E, long F) {
  long Args[] = {A, B, C, D, E};
  if (Number == SYS_seccomp || Number == SYS_prctl)
    noteCall(Number, Args);
  return toErrno(sys::forward(Number, A, B, C, D, E, F));
}

void capture::prepareSandbox() {
  memkitRealSyscall =
      reinterpret_cast<decltype(memkitRealSyscall)>(nextSymbol("syscall"));
}

// All other calls go on to libc's function as they are: it has seven arguments,
// may return twice (clone), and is called where little is allowed.
asm(R"(
        .text
        .globl  syscall
        .type   syscall, @function
syscall:
        .cfi_startproc
        endbr64
        cmpl    $317, %edi              # SYS_seccomp
        je      1f
        cmpl    $157, %edi              # SYS_prctl
        je      1f
        movq    memkitRealSyscall(%rip), %rax
        testq   %rax, %rax
        je      1f
        jmpq    *%rax
1:      jmp     memkitNoteSyscall
        .cfi_endproc
        .size   syscall, .-syscall
)");
