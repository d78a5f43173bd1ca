// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls functions in another process, in one of its threads.

#include "Attach/BorrowedThread.h"
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <sys/syscall.h>

using namespace llvm;
using namespace memkit;

namespace {
/// The frame of a signal handler, as rt_sigreturn reads it.
struct SignalFrame {
  uint64_t Return;
  uint64_t Flags, Link;
  uint64_t StackAt, StackFlags, StackBytes;
  uint64_t R8, R9, R10, R11, R12, R13, R14, R15;
  uint64_t Rdi, Rsi, Rbp, Rbx, Rdx, Rax, Rcx, Rsp, Rip, Rflags;
  uint16_t Cs, Gs, Fs, Ss;
  uint64_t Error, Trap, OldMask, Cr2;
  uint64_t FloatState;
  uint64_t Reserved[8];
  uint64_t Mask;
  uint8_t Info[128];
};
static_assert(offsetof(SignalFrame, R8) == 8 + 40);
static_assert(offsetof(SignalFrame, Mask) == 8 + 40 + 256);

/// What the kernel looks for in a frame's floating point state.
struct FloatHeader {
  uint32_t Magic1, ExtendedBytes;
  uint64_t Features;
  uint32_t StateBytes;
};
} // namespace

static constexpr uint32_t FloatMagic1 = 0x46505853, FloatMagic2 = 0x46505845;
static constexpr size_t FloatHeaderAt = 464; ///< in the legacy area
static constexpr unsigned SystemCallMs = 1000;

/// call *%rbx; mov %rax, (%rbp); 1: mov $15, %eax; syscall; jmp 1b
static constexpr uint8_t Stub[] = {0xff, 0xd3, 0x48, 0x89, 0x45,
                                   0x00, 0xb8, 0x0f, 0x00, 0x00,
                                   0x00, 0x0f, 0x05, 0xeb, 0xf7};
static constexpr uint64_t StubReturned = 13; ///< behind the syscall

/// All signals but those of a fault.
static uint64_t maskForCalls() {
  uint64_t Mask = ~uint64_t(0);
  for (int Signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS})
    Mask &= ~(uint64_t(1) << (Signal - 1));
  return Mask;
}

// Results of a system call that the kernel starts again (its linux/errno.h):
// with the same arguments, or for the time that is left.
static constexpr int64_t RestartAnew = -512, RestartAlways = -513,
                         RestartWithoutHandler = -514, RestartWithRest = -516;

static bool startsAgain(int64_t Result) {
  return Result == RestartAnew || Result == RestartAlways ||
         Result == RestartWithoutHandler || Result == RestartWithRest;
}

/// The frame that leads back to the thread's own registers, at At; the floating
/// point state follows.
std::vector<uint8_t> BorrowedThread::frame(uint64_t At) const {
  SignalFrame F = {};
  const TargetRegisters &R = Before;
  F.Return = Code.signalReturn();
  // FP_XSTATE, SIGCONTEXT_SS, STRICT_RESTORE_SS.
  F.Flags = 7;
  F.StackFlags = 0x1234; // not valid: the alternate stack stays
  F.R8 = R.r8, F.R9 = R.r9, F.R10 = R.r10, F.R11 = R.r11;
  F.R12 = R.r12, F.R13 = R.r13, F.R14 = R.r14, F.R15 = R.r15;
  F.Rdi = R.rdi, F.Rsi = R.rsi, F.Rbp = R.rbp, F.Rbx = R.rbx;
  F.Rdx = R.rdx, F.Rax = R.rax, F.Rcx = R.rcx, F.Rsp = R.rsp;
  F.Rip = R.rip, F.Rflags = R.eflags;
  F.Cs = uint16_t(R.cs), F.Ss = uint16_t(R.ss);
  if (int64_t(R.orig_rax) >= 0 && startsAgain(int64_t(R.rax))) {
    F.Rax = R.orig_rax;
    F.Rip = R.rip - 2;
  }
  F.Mask = MaskBefore;
  size_t FloatAt = (At + sizeof(F) + 63) / 64 * 64 - At;
  std::vector<uint8_t> Bytes(FloatAt + FloatBefore.size() +
                             sizeof(FloatMagic2));
  F.FloatState = At + FloatAt;
  std::memcpy(Bytes.data(), &F, sizeof(F));
  std::memcpy(Bytes.data() + FloatAt, FloatBefore.data(), FloatBefore.size());
  FloatHeader H;
  std::memcpy(&H.Features, FloatBefore.data() + FloatHeaderAt,
              sizeof(H.Features));
  H.Magic1 = FloatMagic1;
  H.StateBytes = uint32_t(FloatBefore.size());
  H.ExtendedBytes = H.StateBytes + sizeof(FloatMagic2);
  std::memcpy(Bytes.data() + FloatAt + FloatHeaderAt, &H, 20);
  std::memcpy(Bytes.data() + FloatAt + FloatBefore.size(), &FloatMagic2,
              sizeof(FloatMagic2));
  return Bytes;
}

Error BorrowedThread::explain(TargetStop Is) {
  auto Fail = [](const Twine &Why) {
    return createStringError(inconvertibleErrorCode(), Why);
  };
  switch (Is) {
  case TargetStop::Ended:
    IsAway = false;
    return Fail("ended meanwhile");
  case TargetStop::Timeout:
    giveUp();
    return Fail("did not answer in time");
  default:
    int Signal = T.signal();
    MayTryAgain = !Data;
    restore();
    return Fail("refused: signal " + Twine(Signal));
  }
}

/// Sets the registers for a call. The frame is in memory already.
bool BorrowedThread::enter(const TargetRegisters &R) {
  if (!T.set(R))
    return false;
  IsAway = true;
  return T.setSignalMask(maskForCalls());
}

/// Only before and after the calls: on the thread's own stack, below its red
/// zone.
Expected<uint64_t> BorrowedThread::systemCall(uint64_t Number,
                                              std::array<uint64_t, 6> Args) {
  constexpr uint64_t RedZone = 128;
  uint64_t Bytes = frame(0).size() + 128;
  uint64_t At = ((Before.rsp - RedZone - Bytes) & ~uint64_t(63)) - 8;
  if (!Memory.write(At, frame(At))) {
    MayTryAgain = !Data;
    return createStringError(inconvertibleErrorCode(),
                             "has a thread without room on its stack");
  }
  TargetRegisters R = Before;
  R.rax = Number;
  R.orig_rax = ~0ull;
  R.rdi = Args[0], R.rsi = Args[1], R.rdx = Args[2];
  R.r10 = Args[3], R.r8 = Args[4], R.r9 = Args[5];
  R.rip = Code.callInstruction();
  R.rsp = At;
  if (!enter(R))
    return explain(TargetStop::Ended);
  // Before the call and after it.
  for (int I = 0; I != 2; ++I)
    if (TargetStop Is = T.runToCall(SystemCallMs); Is != TargetStop::SystemCall)
      return explain(Is);
  if (!T.get(R))
    return explain(TargetStop::Ended);
  return R.rax;
}

static bool isError(uint64_t Result) {
  return int64_t(Result) < 0 && int64_t(Result) > -4096;
}

Error BorrowedThread::begin() {
  FloatBefore = T.floatState();
  constexpr size_t LeastFloat = 512 + 64;
  if (!T.get(Before) || FloatBefore.size() < LeastFloat ||
      !T.getSignalMask(MaskBefore))
    return explain(TargetStop::Ended);
  // Code that cannot be written, and data that is not code: some systems forbid
  // memory that is both.
  Expected<uint64_t> Mapped =
      systemCall(SYS_mmap, {0, CodeBytes, PROT_READ | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0});
  if (!Mapped)
    return Mapped.takeError();
  if (!isError(*Mapped)) {
    CodeAt = *Mapped;
    Mapped = systemCall(SYS_mmap, {0, DataBytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0});
    if (!Mapped)
      return Mapped.takeError();
  }
  if (isError(*Mapped) || !Memory.write(CodeAt, Stub)) {
    restore();
    return createStringError(
        inconvertibleErrorCode(),
        int64_t(*Mapped) == -ENOMEM
            ? "has no room for the library (a limit of its "
              "address space, ulimit -v, or of mappings)"
            : "may not map memory with code");
  }
  Data = *Mapped;
  return Error::success();
}

Expected<uint64_t> BorrowedThread::call(uint64_t Function,
                                        std::array<uint64_t, 2> Args,
                                        unsigned TimeoutMs) {
  // The frame lies above the stack of the call; its end above the floating
  // point state.
  constexpr uint64_t MaxFrame = 64 << 10;
  uint64_t At = Data + RoomOffset - MaxFrame - 8;
  uint64_t ResultAt = Data + RoomOffset - sizeof(uint64_t);
  if (!Memory.write(At, frame(At)))
    return explain(TargetStop::Ended);
  TargetRegisters R = Before;
  R.orig_rax = ~0ull;
  R.rdi = Args[0], R.rsi = Args[1];
  R.rbx = Function;
  R.rbp = ResultAt;
  R.rip = CodeAt;
  R.rsp = At + 8;
  R.eflags &= ~uint64_t(0x400); // direction
  if (!enter(R))
    return explain(TargetStop::Ended);
  for (;;) {
    TargetStop Is = T.runToCall(TimeoutMs);
    if (Is == TargetStop::GroupStop || Is == TargetStop::Interrupted)
      continue;
    if (Is != TargetStop::SystemCall)
      return explain(Is);
    if (!T.get(R))
      return explain(TargetStop::Ended);
    if (R.rip == CodeAt + StubReturned)
      break;
    HasSlept |=
        R.orig_rax == SYS_nanosleep || R.orig_rax == SYS_clock_nanosleep;
  }
  // The thread is about to restore itself: it does not, and waits behind the
  // call for what comes next.
  R.orig_rax = ~0ull;
  if (!T.set(R))
    return explain(TargetStop::Ended);
  if (TargetStop Is = T.runToCall(SystemCallMs); Is != TargetStop::SystemCall)
    return explain(Is);
  uint64_t Result = 0;
  if (!Memory.read(ResultAt, Result))
    return explain(TargetStop::Ended);
  return Result;
}

/// The call does not return. A thread that waits for a lock, as another one
/// loads a library, may be taken back; one that runs goes on, and restores
/// itself in the end.
void BorrowedThread::giveUp() {
  TargetRegisters R;
  if (T.stop(SystemCallMs) && T.get(R) && R.orig_rax == SYS_futex)
    restore();
  IsAway = false;
}

/// The mask first: until the registers are set, the thread would restore
/// itself. The kernel starts a system call again only behind a stop for a
/// signal.
void BorrowedThread::restore() {
  if (!IsAway)
    return;
  IsAway = false;
  if (T.isAtCall() && T.stopAtOnce(SystemCallMs) == TargetStop::Ended)
    return;
  T.setSignalMask(MaskBefore);
  T.setFloatState(FloatBefore);
  // The kernel has forgotten how much time was left: the call begins anew.
  if (HasSlept && int64_t(Before.rax) == RestartWithRest)
    Before.rax = uint64_t(RestartAnew);
  T.set(Before);
}

void BorrowedThread::end() {
  for (auto [At, Bytes] : {std::pair(Data, DataBytes), {CodeAt, CodeBytes}})
    if (At && IsAway)
      consumeError(systemCall(SYS_munmap, {At, Bytes, 0, 0, 0, 0}).takeError());
  restore();
  T.release();
}
