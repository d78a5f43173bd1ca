// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells signals to memrec alone from signals to its whole process group.

#include "Session/SignalWitness.h"
#include "Support/OwnName.h"
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace memkit;

static sigset_t passedSet() {
  sigset_t Set;
  sigemptyset(&Set);
  for (int Signal : PassedSignals)
    sigaddset(&Set, Signal);
  return Set;
}

/// All signals are blocked: those of the terminal and those that the user
/// ignores end nothing.
void SignalWitness::witness(SignalCounts &C, pid_t Recorder) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setOwnName("memkit-signals");
  if (getppid() != Recorder)
    _exit(0);
  // Holds no pipe of the program's or of memrec's.
  syscall(SYS_close_range, 0u, ~0u, 0u);
  sigset_t Set = passedSet();
  for (;;) {
    int Signal = sigwaitinfo(&Set, nullptr);
    for (unsigned I = 0; I != NumPassedSignals; ++I)
      if (PassedSignals[I] == Signal)
        C.Of[I].fetch_add(1, std::memory_order_relaxed);
  }
}

void SignalWitness::start() {
  void *P = mmap(nullptr, sizeof(SignalCounts), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (P == MAP_FAILED)
    return;
  Seen = new (P) SignalCounts();
  sigset_t All, Old;
  sigfillset(&All);
  sigprocmask(SIG_SETMASK, &All, &Old);
  pid_t Recorder = getpid();
  Pid = fork();
  if (Pid == 0)
    witness(*Seen, Recorder);
  sigprocmask(SIG_SETMASK, &Old, nullptr);
}

SignalWitness::~SignalWitness() {
  if (Pid > 0) {
    kill(Pid, SIGKILL);
    waitpid(Pid, nullptr, 0);
  }
  if (Seen)
    munmap(Seen, sizeof(SignalCounts));
}

std::optional<unsigned> SignalWitness::count(unsigned Index) const {
  if (Pid <= 0)
    return std::nullopt;
  return Seen->Of[Index].load(std::memory_order_relaxed);
}
