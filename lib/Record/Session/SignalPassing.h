// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on signals that came to memrec in place of the program.

#ifndef MEMKIT_LIB_RECORD_SESSION_SIGNALPASSING_H
#define MEMKIT_LIB_RECORD_SESSION_SIGNALPASSING_H

#include "Session/SignalWitness.h"

namespace memkit {

/// Passes on the signals of a user to memrec alone: `kill PID`, `docker stop`,
/// a supervisor that knows only its own child. What the terminal sends, or
/// somebody sends to the group, has reached the program already. Belongs to the
/// recorder's thread.
class SignalPassing {
public:
  /// Starts the witness, and takes PassedSignals from now on; those that are
  /// ignored stay ignored. Only before other threads.
  void start();
  /// Sends the program what has come to memrec alone. Call often: the witness
  /// needs a moment to see a signal.
  void pass(pid_t Program);
  /// Whether a signal has come that pass() has not judged yet.
  bool isWaiting() const;
  /// How often SIGTERM has come, from anybody.
  static unsigned terminations();

private:
  void settle(unsigned Index);

  SignalWitness Witness;
  unsigned Taken[NumPassedSignals] = {}, Witnessed[NumPassedSignals] = {};
  uint64_t SinceNs[NumPassedSignals] = {}; ///< 0: nothing is waiting
  /// Since when the witness alone has seen a signal; 0: it has not.
  uint64_t ChangedNs[NumPassedSignals] = {};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_SIGNALPASSING_H
