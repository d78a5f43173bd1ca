// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on signals that came to memrec in place of the program.

#include "Session/SignalPassing.h"
#include "Session/Requests.h"
#include <algorithm>
#include <ctime>
#include <iterator>
#include <unistd.h>

using namespace memkit;

/// A signal to the group reaches the witness within this time, on a busy
/// machine, too.
static constexpr uint64_t WitnessNs = 50'000'000;

/// Of processes, not of the terminal, by PassedSignals.
static std::atomic<unsigned> Came[NumPassedSignals];

static uint64_t monotonicNs() {
  timespec T = {};
  clock_gettime(CLOCK_MONOTONIC, &T);
  return uint64_t(T.tv_sec) * 1'000'000'000 + uint64_t(T.tv_nsec);
}

/// Signals that come within this time are one: `timeout` sends to its command,
/// and at once to the group of both. On a busy machine memrec may see the
/// latter late.
static constexpr uint64_t SameNs = 1'000'000'000;
static std::atomic<uint64_t> TerminatedNs;

/// Whether SIGTERM comes again, on purpose or for the first time.
static bool isNewTermination() {
  uint64_t Now = monotonicNs(), Last = TerminatedNs;
  if (Last && Now - Last < SameNs)
    return false;
  TerminatedNs = Now;
  return true;
}

static void onSignal(int Signal, siginfo_t *Info, void *) {
  auto Index = unsigned(
      std::find(std::begin(PassedSignals), std::end(PassedSignals), Signal) -
      std::begin(PassedSignals));
  if (Index == NumPassedSignals)
    return;
  // The kernel itself sends for the terminal.
  if (Info->si_code <= 0)
    ++Came[Index];
  if (Signal == SIGTERM)
    TheRequests.Terminations += isNewTermination();
  else if (Signal != SIGHUP)
    ++TheRequests.Interrupts;
}

void SignalPassing::start() {
  Witness.start();
  for (int Signal : PassedSignals) {
    struct sigaction Old, New{};
    sigaction(Signal, nullptr, &Old);
    if (Old.sa_handler == SIG_IGN)
      continue;
    New.sa_sigaction = onSignal;
    New.sa_flags = SA_SIGINFO;
    sigaction(Signal, &New, nullptr);
  }
}

unsigned SignalPassing::terminations() { return TheRequests.Terminations; }

bool SignalPassing::isWaiting() const {
  return !std::equal(std::begin(Came), std::end(Came), std::begin(Taken));
}

/// Forgets what came to the witness alone, as from `pkill -P`.
void SignalPassing::settle(unsigned I) {
  std::optional<unsigned> Seen = Witness.count(I);
  if (!Seen || *Seen == Witnessed[I])
    return;
  uint64_t Now = monotonicNs();
  if (!ChangedNs[I])
    ChangedNs[I] = Now;
  if (Now - ChangedNs[I] < 2 * WitnessNs)
    return;
  Witnessed[I] = *Seen;
  ChangedNs[I] = 0;
}

void SignalPassing::pass(pid_t Program) {
  for (unsigned I = 0; I != NumPassedSignals; ++I) {
    unsigned New = Came[I] - Taken[I];
    if (!New) {
      settle(I);
      continue;
    }
    uint64_t Now = monotonicNs();
    if (!SinceNs[I])
      SinceNs[I] = Now;
    if (Now - SinceNs[I] < WitnessNs)
      continue;
    SinceNs[I] = ChangedNs[I] = 0;
    Taken[I] += New;
    std::optional<unsigned> Seen = Witness.count(I);
    // The first process of a container has no group that others address.
    bool IsAlone = Seen ? *Seen == Witnessed[I] : getpid() == 1;
    Witnessed[I] = Seen.value_or(0);
    if (IsAlone)
      kill(Program, PassedSignals[I]);
  }
}
