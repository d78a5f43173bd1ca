// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells signals to memrec alone from signals to its whole process group.

#ifndef MEMKIT_LIB_RECORD_SESSION_SIGNALWITNESS_H
#define MEMKIT_LIB_RECORD_SESSION_SIGNALWITNESS_H

#include <atomic>
#include <csignal>
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace memkit {

/// The signals of a user to a program, which memrec passes on.
inline constexpr int PassedSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
inline constexpr unsigned NumPassedSignals = 4;

/// A process in memrec's process group that only counts the signals it gets. A
/// receiver cannot ask the kernel whether a signal was sent to it or to its
/// group: a signal that reached memrec and not the witness was sent to memrec.
/// The same holds for control groups, as systemd ends them.
class SignalWitness {
public:
  SignalWitness() = default;
  SignalWitness(const SignalWitness &) = delete;
  SignalWitness &operator=(const SignalWitness &) = delete;
  /// Ends the process.
  ~SignalWitness();

  /// Starts the process, which ends with memrec. Only before other threads.
  void start();
  /// How often PassedSignals[Index] came; none: no process could be started.
  std::optional<unsigned> count(unsigned Index) const;

private:
  struct SignalCounts {
    std::atomic<unsigned> Of[NumPassedSignals];
  };
  [[noreturn]] static void witness(SignalCounts &C, pid_t Recorder);

  SignalCounts *Seen = nullptr; ///< in memory that both processes share
  pid_t Pid = -1;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_SIGNALWITNESS_H
