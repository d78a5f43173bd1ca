// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wait between two passes.

#ifndef MEMKIT_LIB_RECORD_SESSION_IDLEWAIT_H
#define MEMKIT_LIB_RECORD_SESSION_IDLEWAIT_H

#include "Session/ChildList.h"
#include "Session/Greeter.h"
#include "Session/ProgramProcess.h"
#include <poll.h>
#include <vector>

namespace memkit {

class Door;

/// Waits between two passes of the session's loop until work may be due, at
/// most 2 ms, and writes sections meanwhile.
class IdleWait {
public:
  IdleWait(Recording &R, const Greeter &Listener, const ProgramProcess &Program,
           const ChildList &Children)
      : R(R), Listener(Listener), Program(Program), Children(Children) {}

  /// Waits. Fullest: highest fill of a ring in the last pass, from 0 to 1. The
  /// wait gets shorter while records come fast, so that the fullest ring is a
  /// quarter to a half full when the session reads it. A pass costs some
  /// microseconds and cold caches: short waits over nearly empty rings doubled
  /// the cost of an event.
  /// IsBusy: something is read a part at a time: does not sleep.
  void wait(double Fullest, bool IsBusy);
  /// Whether the listener may have a new connection.
  bool listenerReady() const { return ListenerReady; }
  /// Also waits for the door; null: no longer.
  void setDoor(const Door *D) { Visitors = D; }
  /// Whether the door may have something to take.
  bool doorReady() const { return DoorReady; }

private:
  Recording &R;
  const Greeter &Listener;
  const ProgramProcess &Program;
  const ChildList &Children;
  uint64_t NapNs = 50000;
  const Door *Visitors = nullptr;
  bool ListenerReady = true, DoorReady = false;
  std::vector<pollfd> Polls;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_IDLEWAIT_H
