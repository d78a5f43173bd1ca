// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and stop of recording.

#ifndef MEMKIT_LIB_RECORD_SESSION_RECORDINGCONTROL_H
#define MEMKIT_LIB_RECORD_SESSION_RECORDINGCONTROL_H

#include "Session/ChildList.h"
#include "Session/RecordOptions.h"

namespace memkit {

/// Starts and stops recording, at a given time point or by request, and writes
/// what is known so far by request. Signals are such requests; others are calls
/// between two passes of the session's loop.
///
/// While recording is off, the program's hooks still report frees, so that the
/// recorder knows which blocks live.
class RecordingControl {
public:
  /// Ignores signals from before this call.
  RecordingControl(const RecordOptions &O, Recording &R, ChildList &Children);

  /// Called once a pass: follows time points and signals.
  void update(uint64_t Now);

  /// Starts or stops recording at the next update(): the threads must know
  /// before then that some blocks will not be recorded.
  void requestRecording(bool On);
  /// Requests the contrary of what is recorded or requested now.
  void toggleRecording() { requestRecording(!Requested.value_or(IsOn)); }
  /// Whether processes record now.
  bool isRecording() const { return IsOn; }
  /// Writes the live blocks and the stats at once, so that they survive a trace
  /// that is cut off later. Takes milliseconds for each 100,000 stacks.
  void writeNow();

  /// Has the processes find the names of Python that hold memory.
  void askHolders();

  /// RecordingBits for new processes.
  uint32_t recordingBits() const { return Bits; }
  /// Warns of a start or stop of the options whose time point never came.
  void warnOfTimePoints() const;

private:
  bool isTimePoint(const RecordTimePoint &M, uint64_t Now) const;
  void takeSignals();
  void setRecording(bool On, uint64_t Now);

  const RecordOptions &O;
  Recording &R;
  ChildList &Children;
  uint32_t Bits = wire::RB_On;
  bool IsOn = true;
  std::optional<bool> Requested;   ///< IsOn from the next update() on
  RecordTimePoint StartAt, StopAt; ///< None once reached
  /// Numbers of signals that were followed.
  unsigned TogglesTaken = 0, FlushesTaken = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_RECORDINGCONTROL_H
