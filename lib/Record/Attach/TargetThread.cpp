// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of another process, held by ptrace.

#include "Attach/TargetThread.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

using namespace llvm;
using namespace memkit;

// Of <linux/ptrace.h>, which does not go with <sys/ptrace.h>.
static constexpr auto GetSignalMask = __ptrace_request(0x420a),
                      SetSignalMask = __ptrace_request(0x420b),
                      GetRseq = __ptrace_request(0x420f);

TargetThread::TargetThread(pid_t Tid) : Tid(Tid) {
  Held = ptrace(PTRACE_SEIZE, Tid, nullptr, PTRACE_O_TRACESYSGOOD) == 0;
}

void TargetThread::release() {
  if (!Held)
    return;
  if (!Stopped)
    stop(1000);
  ptrace(PTRACE_DETACH, Tid, nullptr, nullptr);
  Held = Stopped = false;
}

static uint64_t monotonicNs() {
  timespec T = {};
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

static TargetStop stopOf(int Status) {
  int Event = Status >> 16, Signal = WSTOPSIG(Status);
  if (Signal == (SIGTRAP | 0x80))
    return TargetStop::SystemCall;
  if (Event == PTRACE_EVENT_STOP)
    return Signal == SIGTRAP ? TargetStop::Interrupted : TargetStop::GroupStop;
  return TargetStop::Signal;
}

TargetStop TargetThread::wait(unsigned TimeoutMs) {
  uint64_t Until = monotonicNs() + uint64_t(TimeoutMs) * 1'000'000;
  for (unsigned Turn = 0;; ++Turn) {
    int Status;
    pid_t Found = waitpid(Tid, &Status, __WALL | WNOHANG);
    if (Found == Tid && WIFSTOPPED(Status)) {
      Stopped = true;
      Signal = WSTOPSIG(Status);
      return Is = stopOf(Status);
    }
    if (Found == Tid || (Found < 0 && errno != EINTR)) {
      Held = Stopped = false;
      return Is = TargetStop::Ended;
    }
    if (monotonicNs() > Until)
      return TargetStop::Timeout;
    timespec Nap{0, Turn < 100 ? 5'000 : 100'000};
    nanosleep(&Nap, nullptr);
  }
}

/// Calls that end with EINTR when a thread is stopped and goes on, although no
/// handler of a signal ran: those of signal(7), and those of sockets with a
/// timeout.
static bool endsByStop(uint64_t Number) {
  switch (Number) {
  case SYS_epoll_wait:
  case SYS_epoll_pwait:
  case SYS_epoll_pwait2:
  case SYS_semop:
  case SYS_semtimedop:
  case SYS_rt_sigtimedwait:
  case SYS_io_getevents:
  case SYS_io_pgetevents:
  case SYS_io_uring_enter:
  case SYS_msgrcv:
  case SYS_msgsnd:
  case SYS_read:
  case SYS_readv:
  case SYS_write:
  case SYS_writev:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_recvmmsg:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_accept:
  case SYS_accept4:
  case SYS_connect:
    return true;
  default:
    return false;
  }
}

std::optional<std::vector<std::vector<sock_filter>>>
TargetThread::filters() const {
  std::vector<std::vector<sock_filter>> All;
  for (uint64_t Index = 0;; ++Index) {
    auto At = reinterpret_cast<void *>(Index);
    long Count = ptrace(PTRACE_SECCOMP_GET_FILTER, Tid, At, nullptr);
    if (Count < 0 && errno == ENOENT)
      return All;
    if (Count < 0)
      return std::nullopt;
    std::vector<sock_filter> &F = All.emplace_back(size_t(Count));
    if (ptrace(PTRACE_SECCOMP_GET_FILTER, Tid, At, F.data()) != Count)
      return std::nullopt;
  }
}

void TargetThread::goesOnWaiting() const {
  // The kernel's own code (linux/errno.h): the call starts again unless a
  // handler runs, and then it ends with EINTR.
  constexpr int64_t RestartWithoutHandler = -514;
  TargetRegisters R;
  if (!get(R) || int64_t(R.orig_rax) < 0 || int64_t(R.rax) != -EINTR ||
      !endsByStop(R.orig_rax))
    return;
  R.rax = uint64_t(RestartWithoutHandler);
  set(R);
}

bool TargetThread::stop(unsigned TimeoutMs) {
  if (Stopped)
    return true;
  if (!Held || ptrace(PTRACE_INTERRUPT, Tid, nullptr, nullptr) != 0)
    return false;
  for (;;)
    switch (wait(TimeoutMs)) {
    case TargetStop::Interrupted:
      goesOnWaiting();
      return true;
    case TargetStop::GroupStop:
      return true;
    case TargetStop::Signal:
    case TargetStop::SystemCall: {
      int Deliver = Signal == (SIGTRAP | 0x80) ? 0 : Signal;
      Stopped = false;
      ptrace(PTRACE_CONT, Tid, nullptr, Deliver);
      break;
    }
    case TargetStop::Ended:
    case TargetStop::Timeout:
      return false;
    }
}

bool TargetThread::get(TargetRegisters &To) const {
  iovec Room{&To, sizeof(To)};
  return ptrace(PTRACE_GETREGSET, Tid, ELF::NT_PRSTATUS, &Room) == 0 &&
         Room.iov_len == sizeof(To);
}

bool TargetThread::set(const TargetRegisters &From) const {
  iovec Room{const_cast<TargetRegisters *>(&From), sizeof(From)};
  return ptrace(PTRACE_SETREGSET, Tid, ELF::NT_PRSTATUS, &Room) == 0;
}

std::vector<uint8_t> TargetThread::floatState() const {
  std::vector<uint8_t> State(64 << 10);
  iovec Room{State.data(), State.size()};
  if (ptrace(PTRACE_GETREGSET, Tid, ELF::NT_X86_XSTATE, &Room) != 0)
    return {};
  State.resize(Room.iov_len);
  return State;
}

bool TargetThread::setFloatState(ArrayRef<uint8_t> State) const {
  iovec Room{const_cast<uint8_t *>(State.data()), State.size()};
  return ptrace(PTRACE_SETREGSET, Tid, ELF::NT_X86_XSTATE, &Room) == 0;
}

bool TargetThread::getSignalMask(uint64_t &To) const {
  return ptrace(GetSignalMask, Tid, sizeof(To), &To) == 0;
}

bool TargetThread::setSignalMask(uint64_t From) const {
  return ptrace(SetSignalMask, Tid, sizeof(From), &From) == 0;
}

uint64_t TargetThread::restartableWord() const {
  struct {
    uint64_t Area;
    uint32_t Bytes, Signature, Flags, Pad;
  } Is = {};
  constexpr uint64_t Offset = 8; // of struct rseq
  // Fails before Linux 5.13.
  if (ptrace(GetRseq, Tid, sizeof(Is), &Is) < 0 || !Is.Area)
    return 0;
  return Is.Area + Offset;
}

TargetStop TargetThread::runToCall(unsigned TimeoutMs) {
  if (Stopped && ptrace(PTRACE_SYSCALL, Tid, nullptr, nullptr) != 0)
    return TargetStop::Ended;
  Stopped = false;
  return wait(TimeoutMs);
}

TargetStop TargetThread::stopAtOnce(unsigned TimeoutMs) {
  if (ptrace(PTRACE_INTERRUPT, Tid, nullptr, nullptr) != 0 ||
      ptrace(PTRACE_CONT, Tid, nullptr, nullptr) != 0)
    return TargetStop::Ended;
  Stopped = false;
  return wait(TimeoutMs);
}
